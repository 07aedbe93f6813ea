/* train/ensemble.c - see ensemble.h. */
#include "train/ensemble.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/json.h"
#include "core/sha256.h"
#include "train/early_stop.h"

/* Sums of probabilities over the members, [count][classes], of one part. */
typedef struct average {
    const jsni_part *part;
    size_t classes;
    double *sum;           /* owned */
    uint8_t *seen;         /* [count], owned: 0 where the image is broken */
    double *probabilities; /* [classes], owned */
} average;

static void release_average(average *a)
{
    jsni_free(a->sum);
    jsni_free(a->seen);
    jsni_free(a->probabilities);
}

static jsn_status create_average(average *a, const jsni_part *part, size_t classes)
{
    *a = (average){.part = part, .classes = classes};
    a->sum = jsni_alloc_zero(part->count, classes * sizeof(double));
    a->seen = jsni_alloc_zero(part->count, 1);
    a->probabilities = jsni_alloc(classes, sizeof(double));
    if (a->sum != NULL && a->seen != NULL && a->probabilities != NULL)
        return JSN_OK;
    release_average(a);
    return JSN_ERR_MEMORY;
}

static jsn_status add_logits(void *user, const uint32_t *position, size_t samples,
                             const float *logits)
{
    average *a = user;
    for (size_t i = 0; i < samples; i++) {
        JSNI_TRY(jsni_probabilities(a->part, position[i], logits + i * a->classes,
                                    a->classes, a->probabilities));
        a->seen[position[i]] = 1;
        for (size_t k = 0; k < a->classes; k++)
            a->sum[position[i] * a->classes + k] += a->probabilities[k];
    }
    return JSN_OK;
}

static void evaluate_average(average *a, size_t members, jsni_evaluation *out)
{
    for (size_t i = 0; i < a->part->count; i++) {
        double *row = a->sum + i * a->classes;
        for (size_t k = 0; k < a->classes; k++)
            row[k] /= (double)members;
        if (a->seen[i])
            jsni_evaluation_add(out, row, a->part->given[i], a->part->used[i]);
    }
}

/* Adds one member's probabilities, by the weights that its run ended with. */
static jsn_status add_member(const jsn_train_config *config, const jsni_problem *p,
                             const char *folder, size_t member, jsni_watch *watch,
                             average *val, average *test)
{
    char name[32];
    (void)snprintf(name, sizeof name, "member-%zu", member + 1);
    char *path = jsni_path_join(folder, name);
    JSNI_TRY_ALLOC(path);
    const jsni_job job = {.config = config,
                          .problem = p,
                          .folder = path,
                          .seed = (uint64_t)config->seed + member};
    jsni_group group;
    jsn_status status = jsni_group_open_finished(&group, &job, watch);
    jsni_free(path);
    JSNI_TRY(status);
    if (p->val.data != NULL)
        status = jsni_run_logits(group.members, JSNI_PASS_VAL, add_logits, val);
    if (status == JSN_OK && p->test.data != NULL)
        status = jsni_run_logits(group.members, JSNI_PASS_TEST, add_logits, test);
    jsni_group_close(&group);
    return status;
}

static double mean_of(const jsn_train_result *each, size_t members, size_t offset)
{
    double sum = 0.0;
    for (size_t m = 0; m < members; m++)
        sum += *(const double *)((const char *)&each[m] + offset);
    return sum / (double)members;
}

/* One digest for all members: over their digests, in order. */
static void combine_sha(const jsn_train_result *each, size_t members, char out[65])
{
    jsni_sha256 sha;
    jsni_sha256_init(&sha);
    for (size_t m = 0; m < members; m++)
        jsni_sha256_add(&sha, each[m].weights_sha256, strlen(each[m].weights_sha256));
    jsni_sha256_hex(&sha, out);
}

static jsn_status write_files(const jsn_train_config *config, const jsni_problem *p,
                              const jsni_run_folder *folder, const jsni_evaluation *val,
                              const jsni_evaluation *test,
                              const jsn_train_result *result)
{
    char *text = NULL;
    jsni_json_writer *w = NULL;
    jsn_status status = jsni_json_writer_create(&w, 0);
    if (status == JSN_OK) {
        jsni_json_begin_object(w, NULL);
        jsni_json_begin_array(w, "classes");
        for (size_t k = 0; k < p->classes; k++)
            jsni_json_put_text(w, NULL, jsn_dataset_class(p->data, k));
        jsni_json_end(w);
        if (val->samples > 0)
            jsni_evaluation_put(val, w, "val");
        if (test->samples > 0)
            jsni_evaluation_put(test, w, "test");
        jsni_json_end(w);
        status = jsni_json_writer_take(w, &text);
    }
    if (status == JSN_OK)
        status = jsni_run_write(folder, JSNI_RUN_EVALUATION, text, strlen(text));
    if (status == JSN_OK)
        status = jsni_run_result_write(folder, config, &p->mark, result);
    jsn_text_release(text);
    jsni_json_writer_destroy(w);
    return status;
}

jsn_status jsni_ensemble_finish(const jsn_train_config *config, const jsni_problem *p,
                                const jsni_run_folder *folder,
                                const jsn_train_result *each, jsni_watch *watch,
                                jsn_train_result *result)
{
    const size_t members = (size_t)config->members;
    average val = {0}, test = {0};
    jsni_evaluation val_result = {0}, test_result = {0};
    jsn_status status = create_average(&val, &p->val, p->classes);
    if (status == JSN_OK)
        status = create_average(&test, &p->test, p->classes);
    for (size_t m = 0; status == JSN_OK && m < members; m++)
        status = add_member(config, p, folder->path, m, watch, &val, &test);
    if (status == JSN_OK)
        status = jsni_evaluation_create(&val_result, p->classes);
    if (status == JSN_OK)
        status = jsni_evaluation_create(&test_result, p->classes);
    if (status == JSN_OK) {
        evaluate_average(&val, members, &val_result);
        evaluate_average(&test, members, &test_result);
        *result = each[0];
        result->already_finished = 0; /* the members may have been, the whole was not */
        (void)snprintf(result->run, sizeof result->run, "%s", folder->path);
        for (size_t m = 1; m < members; m++)
            result->epochs =
                each[m].epochs > result->epochs ? each[m].epochs : result->epochs;
        jsni_early_stop_reason(config, result->epochs, result->stopped,
                               sizeof result->stopped);
        result->test_acc = jsni_evaluation_accuracy(&test_result);
        result->test_top5 = jsni_evaluation_top5(&test_result);
        result->test_ece = jsni_evaluation_ece(&test_result);
        result->test_acc_best = NAN; /* the members' best epochs differ */
        result->val_acc = jsni_evaluation_accuracy(&val_result);
        result->val_acc_noisy = jsni_evaluation_accuracy_used(&val_result);
        result->val_acc_best = NAN;
#define MEAN(field) \
    result->field = mean_of(each, members, offsetof(jsn_train_result, field))
        MEAN(consistency);
        MEAN(consistency_true);
        MEAN(consistency_noisy);
        MEAN(train_acc_true);
        MEAN(train_acc_noisy);
        MEAN(images_per_second);
#undef MEAN
        result->seconds = result->epoch_rate = 0.0;
        for (size_t m = 0; m < members; m++)
            result->seconds += each[m].seconds;
        combine_sha(each, members, result->weights_sha256);
        status = write_files(config, p, folder, &val_result, &test_result, result);
    }
    jsni_evaluation_release(&val_result);
    jsni_evaluation_release(&test_result);
    release_average(&val);
    release_average(&test);
    return status;
}
