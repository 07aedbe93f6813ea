/* train/resident_feed.c - see resident_feed.h.
 *
 * The training set on the device is the whole split, so a sample has the same number
 * there as in the augmentation streams of the host; positions of a part are mapped by
 * its index. Validation and test parts are uploaded in their own order.
 */
#include "train/resident_feed.h"

#include <stdio.h>
#include <string.h>

#include "backend/resident.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/rng.h"
#include "train/loader_order.h"

enum {
    CHUNK_STEPS = 512,    /* between looks at the clock */
    CHUNK_SAMPLES = 16384 /* of an evaluation */
};

static const struct jsni_resident_ops *ops_of(const jsni_run *run)
{
    return run->model->plan->ops->resident;
}

/* Pixels of a part's split in memory, of the network's size; NULL otherwise. */
static const uint8_t *pixels_of(const jsni_run *run, const jsni_part *part)
{
    const jsn_dataset_traits *traits = jsn_dataset_about(part->data);
    const size_t size = (size_t)run->config->image_size;
    if (traits->width != size || traits->height != size)
        return NULL;
    return jsn_dataset_pixels(part->data, part->split);
}

static bool possible(const jsni_run *run)
{
    const jsni_problem *p = run->problem;
    const size_t size = (size_t)run->config->image_size;
    const bool plain = strcmp(jsn_augment_text(run->plain), "none") == 0 ||
                       jsn_augment_text(run->plain)[0] == '\0';
    return ops_of(run) != NULL && run->targets == NULL && run->class_weights == NULL &&
           run->posteriors == NULL && plain &&
           (size_t)run->config->views <= JSNI_RESIDENT_VIEWS &&
           pixels_of(run, &p->train) != NULL &&
           (p->val.data == NULL || pixels_of(run, &p->val) != NULL) &&
           (p->test.data == NULL || pixels_of(run, &p->test) != NULL) &&
           ops_of(run)->supports(run->model->plan, run->augment, size, size) == JSN_OK;
}

/* The images of a part in its own order. */
static jsn_status upload_part(const jsni_run *run, const jsni_part *part, size_t set)
{
    if (part->data == NULL)
        return JSN_OK;
    const size_t size = (size_t)run->config->image_size, bytes = 3 * size * size;
    const uint8_t *pixels = pixels_of(run, part);
    uint8_t *gathered = jsni_alloc(part->count, bytes);
    JSNI_TRY_ALLOC(gathered);
    for (size_t i = 0; i < part->count; i++)
        memcpy(gathered + i * bytes, pixels + part->index[i] * bytes, bytes);
    const jsni_resident_images images = {gathered, part->count, size, size};
    const jsn_status status = ops_of(run)->set_images(run->model->plan, set, &images);
    jsni_free(gathered);
    return status;
}

/* Labels by sample number of the split; samples outside the part are never asked for. */
static jsn_status upload_labels(const jsni_run *run)
{
    const jsni_part *part = &run->problem->train;
    const size_t samples = jsn_dataset_samples(part->data, part->split);
    int32_t *used = jsni_alloc_zero(samples, sizeof *used);
    int32_t *truth = jsni_alloc_zero(samples, sizeof *truth);
    uint8_t *second = jsni_alloc_zero(samples, 1);
    jsn_status status = JSN_ERR_MEMORY;
    if (used != NULL && truth != NULL && second != NULL) {
        for (size_t i = 0; i < part->count; i++) {
            used[part->index[i]] = part->used[i];
            truth[part->index[i]] = part->given[i];
            second[part->index[i]] = jsni_part_mislabelled(part, i);
        }
        const jsni_resident_labels labels = {used, part->truth ? truth : NULL,
                                             run->loss_noisy != NULL ? second : NULL};
        status = ops_of(run)->set_labels(run->model->plan, run->member, &labels);
    }
    jsni_free(second);
    jsni_free(truth);
    jsni_free(used);
    return status;
}

static bool same_part(const jsni_part *a, const jsni_part *b)
{
    return a->count == b->count && (a->data == NULL) == (b->data == NULL) &&
           (a->data == NULL ||
            memcmp(a->index, b->index, a->count * sizeof *a->index) == 0);
}

/* Members share what is evaluated on, and each of their epochs has as many steps. */
static bool go_together(const jsni_run *runs, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (!possible(&runs[i]) || runs[i].steps != runs[0].steps ||
            runs[i].problem->train.count != runs[0].problem->train.count ||
            !same_part(&runs[i].problem->val, &runs[0].problem->val) ||
            !same_part(&runs[i].problem->test, &runs[0].problem->test))
            return false;
    return true;
}

jsn_status jsni_resident_set_up(jsni_run *runs, size_t count)
{
    jsni_run *first = &runs[0];
    const jsni_part *part = &first->problem->train;
    const size_t size = (size_t)first->config->image_size;
    if (!possible(first) || !go_together(runs, count))
        return count == 1 ? JSN_OK
                          : jsni_fail(JSN_ERR_UNSUPPORTED,
                                      "these runs cannot be trained side by side");
    const jsni_resident_images images = {jsn_dataset_pixels(part->data, part->split),
                                         jsn_dataset_samples(part->data, part->split),
                                         size, size};
    JSNI_TRY(
        ops_of(first)->set_images(first->model->plan, JSNI_RESIDENT_TRAIN, &images));
    JSNI_TRY(upload_part(first, &first->problem->val, JSNI_RESIDENT_VAL));
    JSNI_TRY(upload_part(first, &first->problem->test, JSNI_RESIDENT_TEST));
    for (size_t i = 0; i < count; i++) {
        JSNI_TRY(upload_labels(&runs[i]));
        runs[i].resident = true;
    }
    return JSN_OK;
}

/* Sample numbers of the steps of an epoch, [steps][batch]. */
static jsn_status make_order(const jsni_run *run, uint32_t **out)
{
    const jsni_part *part = &run->problem->train;
    uint32_t *order = jsni_alloc(part->count, sizeof *order);
    JSNI_TRY_ALLOC(order);
    const bool balanced = strcmp(run->config->sampling, "balanced") == 0;
    const jsn_status status =
        jsni_loader_make_order(part, run->problem->classes,
                               balanced ? JSNI_ORDER_BALANCED : JSNI_ORDER_SHUFFLED,
                               run->seed, (uint32_t)run->state.epoch, order);
    for (size_t i = 0; i < part->count; i++)
        order[i] = part->index[order[i]];
    *out = order;
    return status;
}

static void count_steps(jsni_run *run, const jsni_resident_result *r, size_t steps)
{
    jsni_counts *c = &run->state.counts;
    const bool truth = run->problem->train.truth;
    const uint64_t right = truth ? r->true_samples : r->samples;
    c->loss_sum = r->loss_sum;
    c->samples += r->samples;
    c->steps += steps;
    c->seen[JSNI_KIND_TRUE] += right;
    c->seen[JSNI_KIND_NOISY] += r->samples - right;
    for (size_t v = 0; v < (size_t)run->config->views; v++) {
        c->correct[v][JSNI_KIND_TRUE] += truth ? r->fits_true[v] : r->fits[v];
        c->correct[v][JSNI_KIND_NOISY] += truth ? r->correct[v] - r->fits_true[v] : 0;
    }
    run->state.batch += steps;
    run->state.step += steps;
}

/* What the steps of an epoch need, for all runs. */
typedef struct epoch_plan {
    uint32_t **orders;             /* [count], owned */
    jsni_resident_member *members; /* [count], owned */
    jsni_resident_result *results; /* [count], owned */
    double *rates;                 /* [count][steps], owned */
} epoch_plan;

static void release_plan(epoch_plan *plan, size_t count)
{
    for (size_t i = 0; plan->orders != NULL && i < count; i++)
        jsni_free(plan->orders[i]);
    jsni_free(plan->orders);
    jsni_free(plan->members);
    jsni_free(plan->results);
    jsni_free(plan->rates);
}

static jsn_status make_plan(epoch_plan *plan, jsni_run *runs, size_t count)
{
    const jsni_run *first = &runs[0];
    JSNI_TRY_ALLOC(plan->orders = jsni_alloc_zero(count, sizeof *plan->orders));
    JSNI_TRY_ALLOC(plan->members = jsni_alloc_zero(count, sizeof *plan->members));
    JSNI_TRY_ALLOC(plan->results = jsni_alloc_zero(count, sizeof *plan->results));
    JSNI_TRY_ALLOC(plan->rates = jsni_alloc(count * first->steps, sizeof *plan->rates));
    for (size_t i = 0; i < count; i++) {
        JSNI_TRY(make_order(&runs[i], &plan->orders[i]));
        for (size_t s = 0; s < first->steps; s++)
            plan->rates[i * first->steps + s] = jsni_run_rate(&runs[i], s);
    }
    return JSN_OK;
}

static jsni_resident_member member_of(const jsni_run *run, const uint32_t *order,
                                      const double *rates)
{
    jsni_resident_member own = {.order = order,
                                .rates = rates,
                                .seed = run->seed,
                                .views = (size_t)run->config->views,
                                .losses = {run->loss, run->loss_noisy},
                                .update = run->model->update,
                                .loss_sum = run->state.counts.loss_sum};
    own.update.decay = run->config->weight_decay;
    own.update.decay_all = run->config->decay_all != 0;
    return own;
}

static jsn_status run_chunk(jsni_run *runs, size_t count, epoch_plan *plan,
                            size_t steps)
{
    jsni_run *first = &runs[0];
    const jsn_train_config *c = first->config;
    const jsn_dataset_traits *traits = jsn_dataset_about(first->problem->data);
    const size_t from = first->state.batch, batch = (size_t)c->batch;
    for (size_t i = 0; i < count; i++)
        plan->members[i] = member_of(&runs[i], plan->orders[i] + from * batch,
                                     plan->rates + i * first->steps + from);
    jsni_resident_epoch epoch = {.members = plan->members,
                                 .steps = steps,
                                 .batch = batch,
                                 .augment = first->augment,
                                 .epoch = (uint32_t)first->state.epoch,
                                 .first_step = (uint32_t)first->state.step};
    memcpy(epoch.mean, traits->mean, sizeof epoch.mean);
    memcpy(epoch.deviation, traits->deviation, sizeof epoch.deviation);
    size_t done = 0;
    const double start = jsni_clock();
    const jsn_status status =
        ops_of(first)->epoch(first->model->plan, &epoch, first->stop.asked,
                             first->stop.user, &done, plan->results);
    if (status == JSN_ERR_NUMERIC) {
        char advice[128];
        jsni_run_advise(first, from, advice, sizeof advice);
        return jsni_fail(status,
                         "epoch %lld, steps %zu to %zu: %s; the training has diverged, "
                         "%s",
                         (long long)first->state.epoch + 1, from + 1, from + steps,
                         jsn_last_error(), advice);
    }
    if (status != JSN_OK && status != JSN_ERR_STOPPED)
        return status;
    const double seconds = jsni_clock() - start;
    for (size_t i = 0; i < count; i++) {
        count_steps(&runs[i], &plan->results[i], done);
        JSNI_TRY(jsni_run_after_steps(&runs[i], done, seconds,
                                      done * batch * plan->members[i].views));
    }
    return status;
}

jsn_status jsni_resident_steps(jsni_run *runs, size_t count)
{
    epoch_plan plan = {0};
    jsn_status status = make_plan(&plan, runs, count);
    while (status == JSN_OK && runs[0].state.batch < runs[0].steps) {
        const size_t left = runs[0].steps - runs[0].state.batch;
        status = run_chunk(runs, count, &plan, left < CHUNK_STEPS ? left : CHUNK_STEPS);
    }
    release_plan(&plan, count);
    return status;
}

/* The positions of the part among samples [first, first + count) of the set. */
typedef struct place_list {
    uint32_t *position; /* [part count], owned: by sample number; UINT32_MAX: none */
    float *logits;      /* [CHUNK_SAMPLES][classes], owned */
    uint32_t *chunk;    /* [CHUNK_SAMPLES], owned */
} place_list;

static void release_places(place_list *places)
{
    jsni_free(places->position);
    jsni_free(places->logits);
    jsni_free(places->chunk);
}

static jsn_status make_places(place_list *places, const jsni_part *part, bool whole,
                              size_t samples, size_t classes)
{
    JSNI_TRY_ALLOC(places->position = jsni_alloc(samples, sizeof(uint32_t)));
    JSNI_TRY_ALLOC(places->logits = jsni_alloc(CHUNK_SAMPLES, classes * sizeof(float)));
    JSNI_TRY_ALLOC(places->chunk = jsni_alloc(CHUNK_SAMPLES, sizeof(uint32_t)));
    for (size_t i = 0; i < samples; i++)
        places->position[i] = whole ? UINT32_MAX : (uint32_t)i;
    for (size_t i = 0; whole && i < part->count; i++)
        places->position[part->index[i]] = (uint32_t)i;
    return JSN_OK;
}

/* Drops the rows of samples outside the part and hands on the rest. */
static jsn_status hand_on(place_list *places, size_t first, size_t count,
                          size_t classes, jsni_logits_fn *fn, void *user)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (places->position[first + i] == UINT32_MAX)
            continue;
        if (kept != i)
            memmove(places->logits + kept * classes, places->logits + i * classes,
                    classes * sizeof(float));
        places->chunk[kept++] = places->position[first + i];
    }
    return kept == 0 ? JSN_OK : fn(user, places->chunk, kept, places->logits);
}

jsn_status jsni_resident_logits(jsni_run *run, jsni_pass_kind kind, const char *what,
                                jsni_logits_fn *fn, void *user)
{
    const jsni_part *part = jsni_run_part(run, kind);
    const size_t classes = run->problem->classes;
    const bool whole = kind == JSNI_PASS_CLEAN || kind == JSNI_PASS_COPY;
    const size_t samples =
        whole ? jsn_dataset_samples(part->data, part->split) : part->count;
    const jsn_dataset_traits *traits = jsn_dataset_about(run->problem->data);
    jsni_resident_query query = {.set = kind == JSNI_PASS_VAL    ? JSNI_RESIDENT_VAL
                                        : kind == JSNI_PASS_TEST ? JSNI_RESIDENT_TEST
                                                                 : JSNI_RESIDENT_TRAIN,
                                 .augment =
                                     kind == JSNI_PASS_COPY ? run->augment : NULL,
                                 .purpose = JSNI_RNG_CONSISTENCY,
                                 .seed = run->seed,
                                 .epoch = jsni_run_epochs_done(run)};
    memcpy(query.mean, traits->mean, sizeof query.mean);
    memcpy(query.deviation, traits->deviation, sizeof query.deviation);
    place_list places = {0};
    jsn_status status = make_places(&places, part, whole, samples, classes);
    for (size_t at = 0; status == JSN_OK && at < samples; at += query.count) {
        query.first = at;
        query.count = samples - at < CHUNK_SAMPLES ? samples - at : CHUNK_SAMPLES;
        status =
            ops_of(run)->evaluate(run->model->plan, run->member, &query, places.logits);
        if (status == JSN_OK)
            status = hand_on(&places, at, query.count, classes, fn, user);
        run->logger.progress(run, what, at + query.count, samples, "");
        if (status == JSN_OK && jsni_stop_asked(&run->stop))
            status = jsni_fail(JSN_ERR_STOPPED, "stopped while evaluating");
    }
    release_places(&places);
    return status;
}
