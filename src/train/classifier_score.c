/* train/classifier_score.c - a classifier on labelled data; see jensen/classifier.h. */
#include <math.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/words.h"
#include "train/class_scores.h"
#include "train/classifier_impl.h"
#include "train/evaluate.h"

/* What an image was found to be. */
typedef struct verdict {
    bool seen;
    int32_t best;
    double best_probability, label_probability;
} verdict;

/* Averages members and views over one pass of a loader. */
typedef struct pass {
    const jsni_part *part;
    size_t classes, runs;
    jsni_evaluation *evaluation; /* borrowed; NULL: only the verdicts are wanted */
    double *sum;       /* [count][classes]; NULL for one run, which needs no average */
    verdict *verdicts; /* [count] */
    double *row;       /* [classes] */
} pass;

/* The probabilities of an image, averaged over all runs. */
static void take_row(const pass *p, size_t i, const double *row)
{
    const int32_t label = p->part->given[i];
    const size_t best = jsni_argmax_real(row, p->classes);
    p->verdicts[i] = (verdict){true, (int32_t)best, row[best], row[label]};
    if (p->evaluation != NULL)
        jsni_evaluation_add(p->evaluation, row, label, label);
}

static jsn_status add_logits(void *user, const uint32_t *position, size_t samples,
                             const float *logits)
{
    pass *p = user;
    for (size_t i = 0; i < samples; i++) {
        JSNI_TRY(jsni_probabilities(p->part, position[i], logits + i * p->classes,
                                    p->classes, p->row));
        if (p->sum == NULL) {
            take_row(p, position[i], p->row);
            continue;
        }
        double *to = p->sum + position[i] * p->classes;
        p->verdicts[position[i]].seen = true;
        for (size_t k = 0; k < p->classes; k++)
            to[k] += p->row[k] / (double)p->runs;
    }
    return JSN_OK;
}

static void release_pass(pass *p)
{
    jsni_free(p->sum);
    jsni_free(p->verdicts);
    jsni_free(p->row);
}

/* Tells every image that could not be read, unless it is all of them, which is a failure
 * of its own. */
static void name_bad(const jsni_loader *loader, size_t total, const jsn_logger *logger)
{
    const size_t count = jsni_loader_bad_count(loader);
    const bool can = logger != NULL && logger->message != NULL;
    for (size_t i = 0; can && count < total && i < count; i++) {
        uint32_t position = 0;
        const char *reason = NULL;
        jsni_loader_bad(loader, i, &position, &reason);
        logger->message(logger->user, JSN_LOG_WARNING, reason);
    }
}

static jsn_status run_pass(jsn_classifier *c, const jsni_part *part,
                           const jsn_augment *augment, const jsn_logger *logger,
                           jsni_evaluation *evaluation, pass *p, uint64_t *bad)
{
    const jsni_loader_options o = {.part = part,
                                   .classes = c->card.classes,
                                   .augment = augment,
                                   .height = c->card.image_size,
                                   .width = c->card.image_size,
                                   .batch = c->batch,
                                   .views = 1,
                                   .workers = 1,
                                   .order = JSNI_ORDER_KEPT,
                                   .seed = c->card.seed,
                                   .purpose = augment == c->augment ? 1 : 0,
                                   .max_bad = SIZE_MAX};
    jsni_loader *loader = NULL;
    const size_t views = augment == c->plain ? c->views : 1;
    *p = (pass){.part = part,
                .classes = c->card.classes,
                .runs = c->card.members * views,
                .evaluation = evaluation};
    if (p->runs > 1)
        JSNI_TRY_ALLOC(
            p->sum = jsni_alloc_zero(part->count, c->card.classes * sizeof(double)));
    JSNI_TRY_ALLOC(p->verdicts = jsni_alloc_zero(part->count, sizeof *p->verdicts));
    JSNI_TRY_ALLOC(p->row = jsni_alloc(c->card.classes, sizeof(double)));
    JSNI_TRY(jsni_loader_create(&loader, &o));
    jsn_status status = JSN_OK;
    for (size_t m = 0; status == JSN_OK && m < c->card.members; m++)
        status = jsni_evaluate_logits(&(jsni_logits_pass){.model = c->models[m],
                                                          .loader = loader,
                                                          .classes = c->card.classes,
                                                          .views = views,
                                                          .size = c->card.image_size,
                                                          .fn = add_logits,
                                                          .user = p,
                                                          .logger = logger,
                                                          .what = "evaluating"});
    for (size_t i = 0; status == JSN_OK && p->sum != NULL && i < part->count; i++)
        if (p->verdicts[i].seen)
            take_row(p, i, p->sum + i * p->classes);
    *bad = jsni_loader_bad_count(loader);
    if (status == JSN_OK && augment == c->plain)
        name_bad(loader, part->count, logger);
    if (status == JSN_OK && *bad == part->count) {
        uint32_t position = 0;
        const char *reason = NULL;
        jsni_loader_bad(loader, 0, &position, &reason);
        status =
            jsni_fail(JSN_ERR_DATA, "none of %zu %s could be used, such as %s",
                      part->count, jsni_noun(part->count, "image", "images"), reason);
    }
    jsni_loader_destroy(loader);
    return status;
}

static jsn_status tell_image(const jsni_part *part, size_t i, const pass *p,
                             jsn_classifier_image_fn *fn, void *user)
{
    const verdict *found = &p->verdicts[i];
    jsn_classifier_image image = {
        .path = jsn_dataset_path(part->data, part->split, part->index[i]),
        .label = part->given[i],
        .predicted = -1,
        .probability = NAN,
        .label_probability = NAN};
    if (found->seen) {
        image.predicted = found->best;
        image.probability = found->best_probability;
        image.label_probability = found->label_probability;
    }
    return fn(user, &image);
}

static jsn_status score(jsn_classifier *c, const jsni_part *part, int consistency,
                        const jsn_logger *logger, jsn_classifier_image_fn *fn,
                        void *user, jsn_classifier_scores *out)
{
    pass plain = {0}, copy = {0};
    jsni_evaluation e = {0};
    uint64_t bad = 0, both = 0, equal = 0;
    jsn_status status = jsni_evaluation_create(&e, c->card.classes);
    if (status == JSN_OK)
        status = run_pass(c, part, c->plain, logger, &e, &plain, &out->bad_images);
    if (status == JSN_OK && consistency)
        status = run_pass(c, part, c->augment, logger, NULL, &copy, &bad);
    for (size_t i = 0; status == JSN_OK && i < part->count; i++) {
        if (fn != NULL)
            status = tell_image(part, i, &plain, fn, user);
        if (!consistency || !plain.verdicts[i].seen || !copy.verdicts[i].seen)
            continue;
        both++;
        equal += plain.verdicts[i].best == copy.verdicts[i].best;
    }
    if (status == JSN_OK) {
        out->samples = e.samples;
        out->accuracy = jsni_evaluation_accuracy(&e);
        out->top5 = jsni_evaluation_top5(&e);
        out->loss = jsni_evaluation_loss(&e);
        out->ece = jsni_evaluation_ece(&e);
        out->consistency = both == 0 ? NAN : (double)equal / (double)both;
        out->confusion = e.confusion;
        e.confusion = NULL;
        status = jsni_class_scores_make(&e, out);
    }
    jsni_evaluation_release(&e);
    release_pass(&copy);
    release_pass(&plain);
    return status;
}

jsn_status jsni_classifier_evaluate(jsn_classifier *c, const char *data,
                                    int consistency, const jsn_logger *logger,
                                    jsn_classifier_scores *scores)
{
    return jsn_classifier_evaluate_images(c, data, consistency, logger, NULL, NULL,
                                          scores);
}

jsn_status jsn_classifier_evaluate_images(jsn_classifier *c, const char *data,
                                          int consistency, const jsn_logger *logger,
                                          jsn_classifier_image_fn *fn, void *user,
                                          jsn_classifier_scores *scores)
{
    JSNI_NEED(c);
    JSNI_NEED(scores);
    jsn_dataset *set = NULL;
    jsn_dataset_options options;
    jsni_part part = {0};
    *scores = (jsn_classifier_scores){0};
    jsn_dataset_options_init(&options);
    options.logger = logger;
    options.once = !consistency && c->card.members == 1;
    JSNI_TRY(jsn_dataset_open(&set, data, &options));
    /* What a run on this data would be judged by; a split that was picked is alone. */
    jsn_split split = jsn_dataset_about(set)->main_split;
    if (jsn_dataset_samples(set, JSN_SPLIT_TEST) > 0)
        split = JSN_SPLIT_TEST;
    else if (jsn_dataset_samples(set, JSN_SPLIT_VAL) > 0)
        split = JSN_SPLIT_VAL;
    jsn_status status = jsni_part_whole(&part, set, split);
    const jsni_classes classes = {(const char *const *)c->card.names, c->card.classes,
                                  c->folder != NULL ? c->folder : c->weights};
    if (status == JSN_OK)
        status = jsni_part_number_by_name(&part, &classes, "", logger);
    if (status == JSN_OK)
        status = score(c, &part, consistency, logger, fn, user, scores);
    scores->split = jsn_split_name(split);
    if (status != JSN_OK)
        jsn_classifier_scores_release(scores);
    jsni_part_release(&part);
    jsn_dataset_close(set);
    return status;
}
