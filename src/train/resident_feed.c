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
#include "core/progress.h"
#include "core/rng.h"
#include "data/dataset_part.h"
#include "train/loader_order.h"
#include "train/mixup.h"
#include "train/run_optimiser.h"

enum {
    CHUNK_STEPS = 512,    /* between looks at the clock */
    CHUNK_SAMPLES = 16384 /* of an evaluation */
};

static const struct jsni_resident_ops *ops_of(const jsni_group *group)
{
    return group->model->plan->ops->resident;
}

/* Pixels of a part's split in memory, of the network's size; NULL otherwise. */
static const uint8_t *pixels_of(const jsni_group *group, const jsni_part *part)
{
    const jsn_dataset_traits *traits = jsn_dataset_about(part->data);
    const size_t size = (size_t)group->config->image_size;
    if (traits->width != size || traits->height != size)
        return NULL;
    return jsni_dataset_pixels(part->data, part->split);
}

/* Whether the device can hold the images and knows the pipelines. */
static bool possible(const jsni_group *group)
{
    const jsni_problem *p = group->problem;
    const size_t size = (size_t)group->config->image_size;
    const char *plain = jsn_augment_text(group->plain);
    return ops_of(group) != NULL && (strcmp(plain, "none") == 0 || plain[0] == '\0') &&
           pixels_of(group, &p->train) != NULL &&
           (p->val.data == NULL || pixels_of(group, &p->val) != NULL) &&
           (p->test.data == NULL || pixels_of(group, &p->test) != NULL) &&
           ops_of(group)->supports(group->model->plan, group->augment, size, size) ==
               JSN_OK;
}

/* The images of a part in its own order. */
static jsn_status upload_part(const jsni_group *group, const jsni_part *part,
                              size_t set)
{
    if (part->data == NULL)
        return JSN_OK;
    const size_t size = (size_t)group->config->image_size, bytes = 3 * size * size;
    const uint8_t *pixels = pixels_of(group, part);
    uint8_t *gathered = jsni_alloc(part->count, bytes);
    JSNI_TRY_ALLOC(gathered);
    for (size_t i = 0; i < part->count; i++)
        memcpy(gathered + i * bytes, pixels + part->index[i] * bytes, bytes);
    const jsni_resident_images images = {gathered, part->count, size, size};
    const jsn_status status =
        ops_of(group)->set_images(group->model->plan, set, &images);
    jsni_free(gathered);
    return status;
}

/* Between the rows of a method's memory, by position in the part, and the device's, by
 * sample number of the split. */
static void copy_memory(const jsni_run *run, float *device, bool from_device)
{
    const jsni_part *part = &run->job.problem->train;
    const size_t classes = run->job.problem->classes;
    for (size_t i = 0; i < part->count; i++) {
        float *own = run->samples.memory + i * classes;
        float *other = device + part->index[i] * classes;
        memcpy(from_device ? own : other, from_device ? other : own,
               classes * sizeof *own);
    }
}

/* Room for the device's; NULL, and no failure, without a method. */
static jsn_status memory_room(const jsni_run *run, float **out)
{
    const jsni_part *part = &run->job.problem->train;
    *out = NULL;
    if (run->samples.memory == NULL)
        return JSN_OK;
    JSNI_TRY_ALLOC(*out = jsni_alloc_zero(jsn_dataset_samples(part->data, part->split),
                                          run->job.problem->classes * sizeof **out));
    return JSN_OK;
}

jsn_status jsni_resident_memory(jsni_run *run)
{
    float *rows = NULL;
    JSNI_TRY(memory_room(run, &rows));
    const jsn_status status =
        ops_of(run->group)->read_memory(run->group->model->plan, run->member, rows);
    if (status == JSN_OK)
        copy_memory(run, rows, true);
    jsni_free(rows);
    return status;
}

/* Labels by sample number of the split; samples outside the part are never asked for. */
static jsn_status upload_labels(const jsni_run *run)
{
    const jsni_part *part = &run->job.problem->train;
    const size_t samples = jsn_dataset_samples(part->data, part->split);
    float *memory = NULL;
    JSNI_TRY(memory_room(run, &memory));
    if (memory != NULL)
        copy_memory(run, memory, false);
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
                                             run->losses.noisy != NULL ? second : NULL,
                                             memory};
        status = ops_of(run->group)
                     ->set_labels(run->group->model->plan, run->member, &labels);
    }
    jsni_free(memory);
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

/* Members share what is evaluated on and as many images to train on; what each of them
 * asks for, the device does. */
static bool fits(const jsni_group *group, const jsni_run *run)
{
    const jsni_problem *p = run->job.problem, *all = group->problem;
    return p->train.soft == NULL && run->arrays.class_weights == NULL &&
           run->samples.posteriors == NULL &&
           (size_t)run->job.config->views <= JSNI_RESIDENT_VIEWS &&
           p->train.count == all->train.count && same_part(&p->val, &all->val) &&
           same_part(&p->test, &all->test);
}

jsn_status jsni_resident_set_up(jsni_group *group)
{
    const jsni_problem *p = group->problem;
    const jsni_part *part = &p->train;
    const size_t size = (size_t)group->config->image_size;
    bool fit = possible(group);
    for (size_t i = 0; fit && i < group->count; i++)
        fit = fits(group, &group->members[i]);
    if (!fit)
        return group->count == 1
                   ? JSN_OK
                   : jsni_fail(JSN_ERR_UNSUPPORTED,
                               "these runs cannot be trained side by side");
    const jsni_resident_images images = {jsni_dataset_pixels(part->data, part->split),
                                         jsn_dataset_samples(part->data, part->split),
                                         size, size};
    JSNI_TRY(
        ops_of(group)->set_images(group->model->plan, JSNI_RESIDENT_TRAIN, &images));
    JSNI_TRY(upload_part(group, &p->val, JSNI_RESIDENT_VAL));
    JSNI_TRY(upload_part(group, &p->test, JSNI_RESIDENT_TEST));
    for (size_t i = 0; i < group->count; i++)
        JSNI_TRY(upload_labels(&group->members[i]));
    group->resident = true;
    return JSN_OK;
}

/* Sample numbers of the steps of an epoch, [steps][batch]. */
static jsn_status make_order(const jsni_run *run, uint32_t **out)
{
    const jsni_part *part = &run->job.problem->train;
    uint32_t *order = jsni_alloc(part->count, sizeof *order);
    JSNI_TRY_ALLOC(order);
    const bool balanced = strcmp(run->job.config->sampling, "balanced") == 0;
    const jsn_status status =
        jsni_loader_make_order(part, run->job.problem->classes,
                               balanced ? JSNI_ORDER_BALANCED : JSNI_ORDER_SHUFFLED,
                               run->job.seed, (uint32_t)run->state.epoch, order);
    for (size_t i = 0; i < part->count; i++)
        order[i] = part->index[order[i]];
    *out = order;
    return status;
}

static void count_steps(jsni_run *run, const jsni_resident_result *r, size_t steps)
{
    jsni_counts *c = &run->state.counts;
    const bool truth = run->job.problem->train.truth;
    const uint64_t right = truth ? r->true_samples : r->samples;
    c->loss_sum = r->loss_sum;
    c->samples += r->samples;
    c->steps += steps;
    c->seen[JSNI_KIND_TRUE] += right;
    c->seen[JSNI_KIND_NOISY] += r->samples - right;
    for (size_t v = 0; v < (size_t)run->job.config->views; v++) {
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
    uint32_t *walks;               /* [count][steps][batch] of mixup, owned, or NULL */
    float *shares;                 /* [count][steps], owned, or NULL */
} epoch_plan;

static void release_plan(epoch_plan *plan, size_t count)
{
    for (size_t i = 0; plan->orders != NULL && i < count; i++)
        jsni_free(plan->orders[i]);
    jsni_free(plan->orders);
    jsni_free(plan->members);
    jsni_free(plan->results);
    jsni_free(plan->rates);
    jsni_free(plan->walks);
    jsni_free(plan->shares);
}

/* What the loader draws for the batches of the epoch, for each run that mixes. */
static jsn_status make_mixup(epoch_plan *plan, const jsni_group *group)
{
    const size_t steps = group->steps, batch = (size_t)group->config->batch;
    uint32_t *partner = jsni_alloc(batch, sizeof *partner);
    JSNI_TRY_ALLOC(partner);
    plan->walks = jsni_alloc(group->count * steps, batch * sizeof *plan->walks);
    plan->shares = jsni_alloc(group->count * steps, sizeof *plan->shares);
    for (size_t i = 0; plan->walks != NULL && plan->shares != NULL && i < group->count;
         i++) {
        const jsni_run *run = &group->members[i];
        for (size_t s = 0; jsni_mixup_on(run->job.config) && s < steps; s++) {
            const size_t at = i * steps + s;
            plan->shares[at] =
                jsni_mixup_draw(run->job.config->mixup, run->job.seed,
                                (uint32_t)run->state.epoch, s, batch, partner);
            jsni_mixup_walk(partner, batch, plan->walks + at * batch);
        }
    }
    jsni_free(partner);
    return plan->walks == NULL || plan->shares == NULL ? JSN_ERR_MEMORY : JSN_OK;
}

static bool any_mixup(const jsni_group *group)
{
    for (size_t i = 0; i < group->count; i++)
        if (jsni_mixup_on(group->members[i].job.config))
            return true;
    return false;
}

static jsn_status make_plan(epoch_plan *plan, const jsni_group *group)
{
    const size_t count = group->count, steps = group->steps;
    JSNI_TRY_ALLOC(plan->orders = jsni_alloc_zero(count, sizeof *plan->orders));
    JSNI_TRY_ALLOC(plan->members = jsni_alloc_zero(count, sizeof *plan->members));
    JSNI_TRY_ALLOC(plan->results = jsni_alloc_zero(count, sizeof *plan->results));
    JSNI_TRY_ALLOC(plan->rates = jsni_alloc(count * steps, sizeof *plan->rates));
    for (size_t i = 0; i < count; i++) {
        JSNI_TRY(make_order(&group->members[i], &plan->orders[i]));
        for (size_t s = 0; s < steps; s++)
            plan->rates[i * steps + s] = jsni_run_rate(&group->members[i], s);
    }
    return any_mixup(group) ? make_mixup(plan, group) : JSN_OK;
}

static jsni_resident_member member_of(const jsni_run *run, const uint32_t *order,
                                      const double *rates)
{
    jsni_resident_member own = {.order = order,
                                .rates = rates,
                                .seed = run->job.seed,
                                .views = (size_t)run->job.config->views,
                                .losses = {run->losses.main, run->losses.noisy},
                                .update = run->group->model->update,
                                .loss_sum = run->state.counts.loss_sum};
    own.update.decay = run->job.config->weight_decay;
    own.update.l1 = jsni_run_l1(run->job.config);
    own.update.decay_all = run->job.config->decay_all != 0;
    return own;
}

/* What the device is told of a chunk of steps, from where the group stands. */
static jsni_resident_epoch make_chunk(const jsni_group *group, const epoch_plan *plan,
                                      size_t steps)
{
    const jsni_run_state *at = &jsni_group_lead(group)->state;
    const jsn_dataset_traits *traits = jsn_dataset_about(group->problem->data);
    const size_t batch = (size_t)group->config->batch;
    for (size_t i = 0; i < group->count; i++) {
        const size_t first = i * group->steps + at->batch;
        plan->members[i] =
            member_of(&group->members[i], plan->orders[i] + at->batch * batch,
                      plan->rates + first);
        if (jsni_mixup_on(group->members[i].job.config)) {
            plan->members[i].walk = plan->walks + first * batch;
            plan->members[i].shares = plan->shares + first;
        }
    }
    jsni_resident_epoch epoch = {.members = plan->members,
                                 .steps = steps,
                                 .batch = batch,
                                 .augment = group->augment,
                                 .epoch = (uint32_t)at->epoch,
                                 .first_step = (uint32_t)at->step};
    memcpy(epoch.mean, traits->mean, sizeof epoch.mean);
    memcpy(epoch.deviation, traits->deviation, sizeof epoch.deviation);
    return epoch;
}

static jsn_status fail_diverged(const jsni_group *group, size_t steps)
{
    const jsni_run *lead = jsni_group_lead(group);
    const size_t from = lead->state.batch;
    char advice[128];
    jsni_run_advise(lead, from, advice, sizeof advice);
    return jsni_fail(JSN_ERR_NUMERIC,
                     "epoch %lld, steps %zu to %zu: %s; the training has diverged, %s",
                     (long long)lead->state.epoch + 1, from + 1, from + steps,
                     jsn_last_error(), advice);
}

/* One event of `step` a chunk. Whoever hears it may want to stop. */
static jsn_status run_chunk(jsni_group *group, epoch_plan *plan, size_t steps)
{
    const jsni_resident_epoch epoch = make_chunk(group, plan, steps);
    size_t done = 0;
    const double start = jsni_clock();
    const jsn_status status =
        ops_of(group)->epoch(group->model->plan, &epoch, group->stop.asked,
                             group->stop.user, &done, plan->results);
    if (status == JSN_ERR_NUMERIC)
        return fail_diverged(group, steps);
    if (status != JSN_OK && status != JSN_ERR_STOPPED)
        return status;
    const double seconds = jsni_clock() - start;
    for (size_t i = 0; i < group->count; i++)
        count_steps(&group->members[i], &plan->results[i], done);
    JSNI_TRY(jsni_group_after_steps(group, done, seconds, done * epoch.batch));
    return status == JSN_OK && jsni_stop_asked(&group->stop) ? JSN_ERR_STOPPED : status;
}

jsn_status jsni_resident_steps(jsni_group *group)
{
    epoch_plan plan = {0};
    const jsni_run_state *at = &jsni_group_lead(group)->state;
    jsn_status status = make_plan(&plan, group);
    while (status == JSN_OK && at->batch < group->steps) {
        const size_t left = group->steps - at->batch;
        status = run_chunk(group, &plan, left < CHUNK_STEPS ? left : CHUNK_STEPS);
    }
    release_plan(&plan, group->count);
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
    const size_t classes = run->job.problem->classes;
    const bool whole = kind == JSNI_PASS_CLEAN || kind == JSNI_PASS_COPY;
    const size_t samples =
        whole ? jsn_dataset_samples(part->data, part->split) : part->count;
    const jsn_dataset_traits *traits = jsn_dataset_about(run->job.problem->data);
    jsni_resident_query query = {.set = kind == JSNI_PASS_VAL    ? JSNI_RESIDENT_VAL
                                        : kind == JSNI_PASS_TEST ? JSNI_RESIDENT_TEST
                                                                 : JSNI_RESIDENT_TRAIN,
                                 .augment = kind == JSNI_PASS_COPY ? run->group->augment
                                                                   : NULL,
                                 .purpose = JSNI_RNG_CONSISTENCY,
                                 .seed = run->job.seed,
                                 .epoch = jsni_run_epochs_done(run)};
    memcpy(query.mean, traits->mean, sizeof query.mean);
    memcpy(query.deviation, traits->deviation, sizeof query.deviation);
    place_list places = {0};
    jsn_status status = make_places(&places, part, whole, samples, classes);
    for (size_t at = 0; status == JSN_OK && at < samples; at += query.count) {
        query.first = at;
        query.count = samples - at < CHUNK_SAMPLES ? samples - at : CHUNK_SAMPLES;
        status =
            ops_of(run->group)
                ->evaluate(run->group->model->plan, run->member, &query, places.logits);
        if (status == JSN_OK)
            status = hand_on(&places, at, query.count, classes, fn, user);
        jsni_progress(&run->logger, what, at + query.count, samples);
        if (status == JSN_OK && jsni_stop_asked(&run->group->stop))
            status = jsni_fail(JSN_ERR_STOPPED, "stopped while evaluating");
    }
    release_places(&places);
    return status;
}
