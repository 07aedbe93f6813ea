/* train/problem_noise.c - label noise on the parts of a problem; see problem.h. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/progress.h"
#include "core/words.h"
#include "jensen/noise.h"
#include "train/problem.h"

jsn_status jsni_problem_noise_input(const jsni_problem *p, const jsni_part *part,
                                    uint64_t seed, uint32_t which, const char ***paths,
                                    jsn_noise_input *in)
{
    *paths = jsni_alloc(part->count, sizeof **paths);
    JSNI_TRY_ALLOC(*paths);
    for (size_t i = 0; i < part->count; i++)
        (*paths)[i] = jsn_dataset_path(part->data, part->split, part->index[i]);
    jsn_noise_input_init(in);
    in->labels = part->used;
    in->samples = part->count;
    in->classes = p->classes;
    in->class_names = p->names;
    in->asymmetric = jsn_dataset_about(p->data)->asymmetric;
    in->paths = *paths;
    in->numbers = part->index;
    in->total = jsn_dataset_samples(part->data, part->split);
    in->seed = seed;
    in->part = which;
    return JSN_OK;
}

static jsn_status add_noise(const jsni_problem *p, jsni_part *part,
                            const jsn_noise *noise, uint64_t seed, uint32_t which,
                            jsni_posteriors_fn *posteriors, jsn_noise_result *result)
{
    const char **paths = NULL;
    float *found = NULL;
    jsn_noise_input in;
    jsn_status status = jsni_problem_noise_input(p, part, seed, which, &paths, &in);
    const char *run = jsn_noise_about(noise).run;
    if (status == JSN_OK && run != NULL && posteriors != NULL)
        status = posteriors(run, part, p->classes, &found);
    in.posteriors = found;
    if (status == JSN_OK)
        status = jsn_noise_apply(noise, &in, result);
    if (status == JSN_OK) {
        memcpy(part->used, result->labels, part->count * sizeof *part->used);
        part->truth = true;
        /* Noise replaces labels; soft ones would contradict it. */
        if (result->changed > 0) {
            jsni_free(part->soft);
            part->soft = NULL;
        }
    }
    jsni_free(found);
    jsni_free(paths);
    return status;
}

/* Samples without a row are the validation part: nothing else may be asked for as such,
 * and a validation split that comes with the data gives way to them. */
static jsn_status check_unlisted(const jsni_problem *p, const jsn_train_config *config,
                                 size_t unlisted, const jsn_logger *logger)
{
    const char *other = NULL;
    if (config->val != NULL)
        other = "--val";
    else if (p->val_fraction > 0.0)
        other = "--val-fraction";
    if (other != NULL)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "--noise %s keeps %zu %s for validation, %s asks for others; "
                         "choose one of them",
                         config->noise, unlisted,
                         jsni_noun(unlisted, "image", "images"), other);
    if (strcmp(config->val_labels, "noisy") == 0)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "--noise %s keeps %zu %s for validation, which %s no noisy "
                         "labels; --val-labels must be clean",
                         config->noise, unlisted,
                         jsni_noun(unlisted, "image", "images"),
                         jsni_noun(unlisted, "has", "have"));
    if (p->val.data != NULL)
        jsni_say(
            logger, JSN_LOG_WARNING,
            "the %zu validation %s of the data %s not used: missing=val keeps %zu %s",
            p->val.count, jsni_noun(p->val.count, "image", "images"),
            jsni_noun(p->val.count, "is", "are"), unlisted,
            jsni_noun(unlisted, "other", "others"));
    return JSN_OK;
}

/* Samples that a label file does not list, when it says missing=val: they move, clean,
 * from the training to the validation part. */
static jsn_status move_unlisted(jsni_problem *p, const jsn_noise_result *result)
{
    jsni_part *train = &p->train;
    const size_t moved = train->count - result->listed_samples;
    uint32_t *index = jsni_alloc(moved, sizeof *index);
    JSNI_TRY_ALLOC(index);
    size_t to = 0, gone = 0;
    for (size_t i = 0; i < train->count; i++) {
        if (!result->listed[i]) {
            index[gone++] = train->index[i];
            continue;
        }
        train->index[to] = train->index[i];
        train->given[to] = train->given[i];
        train->used[to] = train->used[i];
        if (train->soft != NULL)
            memmove(train->soft + to * p->classes, train->soft + i * p->classes,
                    p->classes * sizeof *train->soft);
        to++;
    }
    train->count = to;
    jsni_part_release(&p->val);
    JSNI_TRY(jsni_part_make(&p->val, train->data, train->split, index, moved, true));
    jsni_problem_put_labels(p, &p->val);
    return JSN_OK;
}

jsn_status jsni_problem_add_noise(jsni_problem *p, const jsn_train_config *config,
                                  const jsn_noise *noise,
                                  jsni_posteriors_fn *posteriors,
                                  const jsn_logger *logger)
{
    jsn_noise_result result = {0}, other = {0};
    jsn_status status =
        add_noise(p, &p->train, noise, (uint64_t)config->seed, 0, posteriors, &result);
    if (status == JSN_OK) {
        const size_t unlisted = p->train.count - result.listed_samples;
        p->noise_nominal = result.nominal_rate;
        if (unlisted > 0)
            status = check_unlisted(p, config, unlisted, logger);
        if (status == JSN_OK && unlisted > 0)
            status = move_unlisted(p, &result);
    }
    if (status == JSN_OK && p->val.data != NULL &&
        strcmp(config->val_labels, "noisy") == 0)
        status =
            add_noise(p, &p->val, noise, (uint64_t)config->seed, 1, posteriors, &other);
    jsn_noise_result_release(&other);
    jsn_noise_result_release(&result);
    return status;
}
