/* train/problem.c - see problem.h. Order matters and follows the paper's code: split
 * first, then noise on the training part, then, independently, on the validation part.
 */
#include "train/problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/progress.h"
#include "core/rng.h"
#include "core/text.h"
#include "core/words.h"
#include "data/class_alike.h"
#include "data/dataset_impl.h"
#include "data/split.h"
#include "jensen/limit.h"
#include "jensen/noise.h"

void jsni_part_release(jsni_part *part)
{
    jsni_free(part->index);
    jsni_free(part->used);
    jsni_free(part->given);
    jsni_free(part->soft);
    *part = (jsni_part){0};
}

void jsni_problem_release(jsni_problem *problem)
{
    jsni_part_release(&problem->train);
    jsni_part_release(&problem->val);
    jsni_part_release(&problem->test);
    jsni_own_labels_release(&problem->own);
    jsni_free(problem->unread);
    jsni_free(problem->names);
    jsn_dataset_close(problem->test_data);
    jsn_dataset_close(problem->val_data);
    jsn_dataset_close(problem->data);
    *problem = (jsni_problem){0};
}

/* Data sets whose labels are known to be right: benchmarks, and whatever the user adds
 * noise to. A stranger's folder is neither. */
static bool is_benchmark(const jsn_dataset *data)
{
    static const char *const kinds[] = {"builtin", "cifar10", "cifar100", "idx"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(jsn_dataset_about(data)->kind, kinds[i]) == 0)
            return true;
    return false;
}

jsn_status jsni_part_make(jsni_part *part, const jsn_dataset *data, jsn_split split,
                          uint32_t *index, size_t count, bool truth)
{
    const size_t classes = jsn_dataset_about(data)->classes;
    const float *soft = jsn_dataset_soft_labels(data, split);
    *part = (jsni_part){
        .data = data, .split = split, .count = count, .index = index, .truth = truth};
    part->used = jsni_alloc(count, sizeof *part->used);
    part->given = jsni_alloc(count, sizeof *part->given);
    if (soft != NULL)
        part->soft = jsni_alloc(count, classes * sizeof *part->soft);
    if (part->used == NULL || part->given == NULL || (soft && part->soft == NULL)) {
        jsni_part_release(part);
        return JSN_ERR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        part->given[i] = part->used[i] = jsn_dataset_label(data, split, index[i]);
        if (soft != NULL)
            memcpy(part->soft + i * classes, soft + index[i] * classes,
                   classes * sizeof *soft);
    }
    return JSN_OK;
}

static jsn_status whole_split(jsni_part *part, const jsn_dataset *data, jsn_split split,
                              bool truth)
{
    const size_t count = jsn_dataset_samples(data, split);
    uint32_t *index = jsni_alloc(count, sizeof *index);
    JSNI_TRY_ALLOC(index);
    for (size_t i = 0; i < count; i++)
        index[i] = (uint32_t)i;
    return jsni_part_make(part, data, split, index, count, truth);
}

jsn_status jsni_part_whole(jsni_part *part, const jsn_dataset *data, jsn_split split)
{
    return whole_split(part, data, split, true);
}

/* A part that lacks classes is fine, but its accuracy says nothing of them. */
static void tell_lacking(const jsni_part *part, const jsni_classes *classes,
                         const uint8_t *found, const char *what,
                         const jsn_logger *logger)
{
    size_t first = classes->count, lacking = 0;
    for (size_t n = classes->count; n-- > 0;)
        if (!found[n]) {
            first = n;
            lacking++;
        }
    if (lacking == 0)
        return;
    jsni_say(logger, JSN_LOG_WARNING,
             "%s%s lacks %zu of the %zu classes of %s ('%s'%s); its results say "
             "nothing of them",
             jsn_dataset_about(part->data)->spec, what, lacking, classes->count,
             classes->whose, classes->names[first], lacking > 1 ? ", ..." : "");
}

/* Fills number[k] with the number of class k of the data among `classes`. */
static jsn_status match_names(const jsn_dataset *data, const jsni_classes *classes,
                              const char *what, int32_t *number, uint8_t *found)
{
    const jsn_dataset_traits *traits = jsn_dataset_about(data);
    for (size_t k = 0; k < traits->classes; k++) {
        const char *name = jsn_dataset_class(data, k);
        size_t n = k; /* most often it has the same number */
        if (n >= classes->count || !jsni_class_same(name, classes->names[n]))
            for (n = 0; n < classes->count; n++)
                if (jsni_class_same(name, classes->names[n]))
                    break;
        if (n == classes->count)
            return jsni_fail(JSN_ERR_DATA,
                             "%s%s: class '%s' is none of the %zu classes of %s (%s, "
                             "...)",
                             traits->spec, what, name, n, classes->whose,
                             classes->names[0]);
        number[k] = (int32_t)n;
        found[n] = 1;
    }
    return JSN_OK;
}

jsn_status jsni_part_number_by_name(jsni_part *part, const jsni_classes *classes,
                                    const char *what, const jsn_logger *logger)
{
    int32_t *number =
        jsni_alloc(jsn_dataset_about(part->data)->classes, sizeof *number);
    uint8_t *found = jsni_alloc_zero(classes->count, 1);
    jsn_status status = JSN_ERR_MEMORY;
    if (number == NULL || found == NULL)
        goto done;
    status = match_names(part->data, classes, what, number, found);
    if (status != JSN_OK)
        goto done;
    for (size_t i = 0; i < part->count; i++)
        part->given[i] = part->used[i] = number[part->given[i]];
    /* Columns of the other classes; nobody trains on an evaluated part. */
    jsni_free(part->soft);
    part->soft = NULL;
    tell_lacking(part, classes, found, what, logger);
done:
    jsni_free(found);
    jsni_free(number);
    return status;
}

/* Keeps `wanted` samples of the training part, as many of each class as of any other
 * (as far as they last), drawn by the seed; their order stays. */
static jsn_status take_subset(jsni_part *part, size_t classes, size_t wanted,
                              uint64_t seed)
{
    if (wanted == 0 || wanted >= part->count)
        return JSN_OK;
    uint32_t *order = jsni_alloc(part->count, sizeof *order);
    size_t *taken = jsni_alloc_zero(classes, sizeof *taken);
    uint8_t *keep = jsni_alloc_zero(part->count, 1);
    jsn_status status = JSN_ERR_MEMORY;
    if (order == NULL || taken == NULL || keep == NULL)
        goto done;
    for (size_t i = 0; i < part->count; i++)
        order[i] = (uint32_t)i;
    jsni_rng rng = jsni_rng_stream(seed, JSNI_RNG_SPLIT, 1, 0, 0);
    jsni_rng_shuffle(&rng, order, part->count);
    size_t kept = 0;
    for (size_t round = 1; kept < wanted; round++)
        for (size_t i = 0; i < part->count && kept < wanted; i++) {
            const size_t sample = order[i];
            size_t *held = &taken[part->given[sample]];
            if (!keep[sample] && *held < round) {
                keep[sample] = 1;
                ++*held;
                kept++;
            }
        }
    size_t to = 0;
    for (size_t i = 0; i < part->count; i++)
        if (keep[i]) {
            part->index[to] = part->index[i];
            part->given[to] = part->given[i];
            part->used[to] = part->used[i];
            if (part->soft != NULL)
                memmove(part->soft + to * classes, part->soft + i * classes,
                        classes * sizeof *part->soft);
            to++;
        }
    part->count = to;
    status = JSN_OK;
done:
    jsni_free(keep);
    jsni_free(taken);
    jsni_free(order);
    return status;
}

/* A further data set, whose classes go by their names, or the split of the main one. */
static jsn_status open_other(jsni_problem *p, const char *spec, jsn_split own,
                             const jsn_dataset_options *options, const char *what,
                             jsn_dataset **held, jsni_part *part)
{
    if (spec == NULL) {
        if (jsn_dataset_samples(p->data, own) == 0 || own == p->train.split)
            return JSN_OK;
        /* A test or validation split is there to be believed. */
        return whole_split(part, p->data, own, true);
    }
    JSNI_TRY(jsn_dataset_open(held, spec, options));
    jsn_split split = own;
    if (jsn_dataset_samples(*held, split) == 0)
        split = jsn_dataset_about(*held)->main_split;
    JSNI_TRY(whole_split(part, *held, split, true));
    return jsni_part_number_by_name(
        part, &(jsni_classes){p->names, p->classes, jsn_dataset_about(p->data)->spec},
        what, options->logger);
}

static jsn_status open_data(jsni_problem *p, const char *spec,
                            const jsn_dataset_options *options)
{
    JSNI_TRY(jsn_dataset_open(&p->data, spec, options));
    p->classes = jsn_dataset_about(p->data)->classes;
    JSNI_TRY_ALLOC(p->names = jsni_alloc(p->classes, sizeof *p->names));
    for (size_t k = 0; k < p->classes; k++)
        p->names[k] = jsn_dataset_class(p->data, k);
    return JSN_OK;
}

/* Whether no class has more than one image, so that none can be kept for validation. */
static bool is_single(const jsn_dataset *data, jsn_split split)
{
    const size_t samples = jsn_dataset_samples(data, split);
    const size_t classes = jsn_dataset_about(data)->classes;
    uint8_t *seen = samples > classes ? NULL : jsni_alloc_zero(classes, 1);
    bool single = seen != NULL;
    for (size_t i = 0; single && i < samples; i++)
        single = seen[jsn_dataset_label(data, split, i)]++ == 0;
    jsni_free(seen);
    return single;
}

/* What is kept for validation when nobody says: a tenth, unless there is a part to
 * evaluate on, no class can spare an image, or the label file leaves samples for one. */
static jsn_status choose_fraction(jsni_problem *p, jsn_split split,
                                  const jsn_noise *noise)
{
    const char **paths = NULL;
    jsni_part whole = {0};
    jsn_noise_input in;
    jsn_noise_result result = {0};
    p->val_fraction =
        p->val.data != NULL || p->test.data != NULL || is_single(p->data, split) ? 0.0
                                                                                 : 0.1;
    if (p->val_fraction == 0.0 || !jsn_noise_about(noise).leaves_missing)
        return JSN_OK;
    JSNI_TRY(whole_split(&whole, p->data, split, true));
    jsn_status status = jsni_problem_noise_input(p, &whole, 0, 0, &paths, &in);
    if (status == JSN_OK)
        status = jsn_noise_apply(noise, &in, &result);
    if (status == JSN_OK && result.listed_samples < whole.count)
        p->val_fraction = 0.0;
    jsn_noise_result_release(&result);
    jsni_free(paths);
    jsni_part_release(&whole);
    return status;
}

static jsn_status split_train(jsni_problem *p, jsn_split split, uint64_t seed,
                              bool truth, const jsn_logger *logger)
{
    if (!(p->val_fraction > 0.0))
        return whole_split(&p->train, p->data, split, truth);
    const size_t samples = jsn_dataset_samples(p->data, split);
    uint32_t *train = NULL, *val = NULL;
    size_t train_count = 0, val_count = 0;
    JSNI_TRY(jsni_split_stratified(jsn_dataset_labels(p->data, split), samples,
                                   p->classes, p->val_fraction, seed, &train,
                                   &train_count, &val, &val_count));
    jsn_status status =
        jsni_part_make(&p->train, p->data, split, train, train_count, truth);
    if (status != JSN_OK) {
        jsni_free(val);
        return status;
    }
    if (p->val.data != NULL)
        jsni_say(logger, JSN_LOG_WARNING,
                 "the %zu validation %s of the data %s not used: "
                 "--val-fraction %g keeps %zu %s",
                 p->val.count, jsni_noun(p->val.count, "image", "images"),
                 jsni_noun(p->val.count, "is", "are"), p->val_fraction, val_count,
                 jsni_noun(val_count, "other", "others"));
    jsni_part_release(&p->val);
    return jsni_part_make(&p->val, p->data, split, val, val_count, truth);
}

/* What is wrong with the data whatever is done with it, said before anything else. */
static jsn_status check_classes(const jsni_problem *p, const jsn_logger *logger)
{
    const jsn_dataset_traits *about = jsn_dataset_about(p->data);
    if (about->classes < 2)
        return jsni_fail(JSN_ERR_DATA,
                         "%s: one class only ('%s'); a classifier needs at least two",
                         about->spec, jsn_dataset_class(p->data, 0));
    if (p->train.split != JSN_SPLIT_TRAIN && strstr(about->spec, ",split=") == NULL)
        jsni_say(logger, JSN_LOG_WARNING,
                 "%.300s: there is no training split; training on the %s split",
                 about->spec, jsn_split_name(p->train.split));
    return JSN_OK;
}

static jsn_status check_problem(const jsni_problem *p)
{
    const char *spec = jsn_dataset_about(p->data)->spec;
    size_t first = 0;
    if (p->train.count == 0)
        return jsni_fail(JSN_ERR_DATA, "%s: no images to train on", spec);
    while (first < p->train.count && p->train.used[first] == p->train.used[0])
        first++;
    if (first == p->train.count)
        return jsni_fail(JSN_ERR_DATA, "%s: all training images are labelled '%s'",
                         spec, jsn_dataset_class(p->data, (size_t)p->train.used[0]));
    return JSN_OK;
}

static jsn_status fill(jsni_problem *p, const jsn_train_config *config,
                       const jsn_noise *noise, jsni_posteriors_fn *posteriors,
                       const jsn_logger *logger)
{
    jsn_dataset_options options;
    jsn_dataset_options_init(&options);
    options.threads = (size_t)config->threads;
    options.logger = logger;
    /* Up to three data sets share what is taken for one. */
    options.memory = jsni_dataset_memory() /
                     (1 + (size_t)(config->val != NULL) + (config->test != NULL));
    JSNI_TRY(open_data(p, config->data, &options));
    /* What there is to train on; data that has another split alone trains on it, and must
     * not be tested on it. */
    const jsn_split split = jsn_dataset_samples(p->data, JSN_SPLIT_TRAIN) > 0
                                ? JSN_SPLIT_TRAIN
                                : jsn_dataset_about(p->data)->main_split;
    p->train.split = split;
    JSNI_TRY(check_classes(p, logger));
    if (config->labels != NULL)
        JSNI_TRY(jsni_problem_read_labels(p, config->labels, logger));
    JSNI_TRY(open_other(p, config->val, JSN_SPLIT_VAL, &options, " (--val)",
                        &p->val_data, &p->val));
    JSNI_TRY(open_other(p, config->test, JSN_SPLIT_TEST, &options, " (--test)",
                        &p->test_data, &p->test));
    const bool noisy = strcmp(config->noise, "none") != 0;
    p->val_fraction = config->val_fraction;
    if (isnan(p->val_fraction))
        JSNI_TRY(choose_fraction(p, split, noise));
    const bool truth =
        noisy || (p->own.given ? p->own.tells_truth : is_benchmark(p->data));
    JSNI_TRY(split_train(p, split, (uint64_t)config->seed, truth, logger));
    /* Counts training images: those that a label file keeps for validation are none. */
    const bool listed = jsn_noise_about(noise).leaves_missing;
    if (!listed)
        JSNI_TRY(take_subset(&p->train, p->classes, (size_t)config->subset,
                             (uint64_t)config->seed));
    /* By now the parts are those that the same options give without a label file. */
    jsni_problem_put_labels(p, &p->train);
    jsni_problem_put_labels(p, &p->val);
    jsni_problem_put_labels(p, &p->test);
    p->noise_nominal = noisy ? NAN : 0.0;
    p->noise_added = noisy;
    if (noisy)
        JSNI_TRY(jsni_problem_add_noise(p, config, noise, posteriors, logger));
    if (listed)
        JSNI_TRY(take_subset(&p->train, p->classes, (size_t)config->subset,
                             (uint64_t)config->seed));
    p->noise_real = jsni_problem_real_noise(p);
    p->val_judged =
        p->val.data == p->data && (!noisy || strcmp(config->val_labels, "noisy") == 0);
    JSNI_TRY(check_problem(p));
    JSNI_TRY(jsni_problem_check_readable(p, logger));
    jsni_problem_warn_of_unseen(p, logger);
    jsni_problem_warn_of_same(p, logger);
    jsni_problem_mark_make(p, &p->mark);
    return JSN_OK;
}

jsn_status jsni_problem_create(jsni_problem *out, const jsn_train_config *config,
                               jsni_posteriors_fn *posteriors, const jsn_logger *logger)
{
    *out = (jsni_problem){0};
    for (size_t i = 0; i < config->limit.count; i++)
        JSNI_TRY(jsn_limit_set(config->limit.items[i]));
    if (config->data == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "no training data is named; give a folder or a data set, such "
                         "as 'jensen train photos'");
    if (config->val != NULL && config->val_fraction > 0.0)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "--val %s and --val-fraction %g both choose the validation "
                         "data; leave one of them out",
                         config->val, config->val_fraction);
    jsn_noise *noise = NULL;
    jsn_status status = jsn_noise_create(&noise, config->noise);
    if (status == JSN_OK)
        status = fill(out, config, noise, posteriors, logger);
    jsn_noise_destroy(noise);
    if (status != JSN_OK)
        jsni_problem_release(out);
    return status;
}
