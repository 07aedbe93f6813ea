/* train/finish.c - what a run leaves behind when its epochs are done: final weights,
 * evaluation with the most doubtful labels, posteriors, the result. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend/model.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/json.h"
#include "core/text.h"
#include "core/words.h"
#include "format/npy.h"
#include "jensen/array.h"
#include "train/doubtful.h"
#include "train/early_stop.h"
#include "train/run.h"
#include "train/stages.h"
#include "train/verdict.h"

/* By bin of confidence, the emptiest included: samples, share right, mean confidence. */
static void put_calibration(const jsni_evaluation *e, jsni_json_writer *w)
{
    jsni_json_begin_array(w, "calibration");
    for (size_t b = 0; b < JSNI_ECE_BINS; b++) {
        const double samples = e->bin_samples[b] > 0 ? (double)e->bin_samples[b] : NAN;
        jsni_json_begin_array(w, NULL);
        jsni_json_put_int(w, NULL, (int64_t)e->bin_samples[b]);
        jsni_json_put_real(w, NULL, (double)e->bin_correct[b] / samples);
        jsni_json_put_real(w, NULL, e->bin_confidence[b] / samples);
        jsni_json_end(w);
    }
    jsni_json_end(w);
}

static void put_confusion(const jsni_evaluation *e, jsni_json_writer *w)
{
    if (e->confusion == NULL) {
        jsni_json_put_null(w, "confusion");
        return;
    }
    jsni_json_begin_array(w, "confusion");
    for (size_t k = 0; k < e->classes; k++) {
        jsni_json_begin_array(w, NULL);
        for (size_t j = 0; j < e->classes; j++)
            jsni_json_put_int(w, NULL, (int64_t)e->confusion[k * e->classes + j]);
        jsni_json_end(w);
    }
    jsni_json_end(w);
}

void jsni_evaluation_put(const jsni_evaluation *e, jsni_json_writer *w, const char *key)
{
    jsni_json_begin_object(w, key);
    jsni_json_put_int(w, "samples", (int64_t)e->samples);
    jsni_json_put_real(w, "accuracy", jsni_evaluation_accuracy(e));
    jsni_json_put_real(w, "top5", jsni_evaluation_top5(e));
    jsni_json_put_real(w, "loss", jsni_evaluation_loss(e));
    jsni_json_put_real(w, "ece", jsni_evaluation_ece(e));
    put_calibration(e, w);
    jsni_json_begin_array(w, "class_accuracy");
    for (size_t k = 0; k < e->classes; k++)
        jsni_json_put_real(w, NULL,
                           e->class_samples[k] == 0 ? NAN
                                                    : (double)e->class_correct[k] /
                                                          (double)e->class_samples[k]);
    jsni_json_end(w);
    put_confusion(e, w);
    jsni_json_end(w);
}

typedef struct final_results {
    jsni_evaluation val, test;
    jsni_predictions seen; /* of the training images; empty: not measured */
    jsni_predictions seen_val;
    jsni_consistency consistency;
    bool has_consistency;
} final_results;

static void release_results(final_results *r)
{
    jsni_evaluation_release(&r->val);
    jsni_evaluation_release(&r->test);
    jsni_predictions_release(&r->seen);
    jsni_predictions_release(&r->seen_val);
}

static jsn_status measure_all(jsni_run *run, final_results *r)
{
    const jsni_problem *p = run->job.problem;
    JSNI_TRY(jsni_evaluation_create(&r->val, p->classes));
    JSNI_TRY(jsni_evaluation_create(&r->test, p->classes));
    JSNI_TRY(jsni_predictions_create(&r->seen_val, p->val.count));
    JSNI_TRY(jsni_run_evaluate(run, JSNI_PASS_VAL, &r->val, &r->seen_val));
    JSNI_TRY(jsni_run_evaluate(run, JSNI_PASS_TEST, &r->test, NULL));
    if (strcmp(run->job.config->consistency, "never") == 0)
        return JSN_OK;
    r->has_consistency = true;
    if (run->history.seen.best != NULL) {
        r->seen = run->history.seen;
        r->consistency = run->history.consistency;
        run->history.seen = (jsni_predictions){0};
        return JSN_OK;
    }
    /* The last epoch was another call's: the same numbers once more. */
    JSNI_TRY(jsni_predictions_create(&r->seen, p->train.count));
    return jsni_run_consistency(run, &r->consistency, &r->seen);
}

/* What the network says of labels: the doubtful ones, and what that is worth. */
static jsn_status put_labels(jsni_run *run, const final_results *r,
                             const jsni_doubtful *list, jsni_json_writer *w)
{
    const jsni_problem *p = run->job.problem;
    jsni_verdict verdict = {0};
    jsni_agreement train;
    JSNI_TRY(jsni_agreement_of_part(&p->train, &r->seen, p->classes, &train));
    const jsni_agreement held_out =
        r->val.samples > 0 ? jsni_agreement_of_evaluation(&r->val, "validation")
                           : jsni_agreement_of_evaluation(&r->test, "test");
    verdict.trust = jsni_trust_of(train, held_out, &verdict.by);
    verdict.val_noisy = p->val_judged && p->val_fraction > 0.0 && !p->val.truth;
    if (verdict.val_noisy && verdict.trust == JSNI_TRUST_FAIR)
        JSNI_TRY(jsni_noisy_accuracy_of(&p->val, &r->seen_val, p->classes,
                                        &verdict.estimate));
    jsni_json_put_int(w, "contradicted", (int64_t)list->count);
    jsni_verdict_put(&verdict, w);
    if (list->count > 0)
        jsni_verdict_tell(&verdict, &run->logger);
    return JSN_OK;
}

static jsn_status write_evaluation(jsni_run *run, const final_results *r)
{
    const jsni_problem *p = run->job.problem;
    const jsni_judged judged[] = {{&p->train, &r->seen, "train"},
                                  {&p->val, &r->seen_val, "val"}};
    jsni_json_writer *w = NULL;
    char *text = NULL;
    jsni_doubtful list = {0};
    if (r->has_consistency)
        JSNI_TRY(jsni_doubtful_rank(&list, judged, p->val_judged ? 2 : 1));
    jsn_status status = jsni_json_writer_create(&w, 0);
    if (status != JSN_OK)
        goto done;
    jsni_json_begin_object(w, NULL);
    jsni_json_begin_array(w, "classes");
    for (size_t k = 0; k < p->classes; k++)
        jsni_json_put_text(w, NULL, jsn_dataset_class(p->data, k));
    jsni_json_end(w);
    if (p->val.data != NULL)
        jsni_evaluation_put(&r->val, w, "val");
    if (p->test.data != NULL)
        jsni_evaluation_put(&r->test, w, "test");
    status = jsni_doubtful_put(run, &list, w);
    if (status == JSN_OK && r->has_consistency)
        status = jsni_doubtful_write(run, &list);
    if (status == JSN_OK && r->has_consistency)
        status = put_labels(run, r, &list, w);
    jsni_json_end(w);
    if (status == JSN_OK)
        status = jsni_json_writer_take(w, &text);
    if (status == JSN_OK)
        status = jsni_run_write(&run->folder, JSNI_RUN_EVALUATION, text, strlen(text));
done:
    jsn_text_release(text);
    jsni_json_writer_destroy(w);
    jsni_doubtful_release(&list);
    return status;
}

static jsn_status fill_missing(void *user, const uint32_t *position, size_t samples,
                               const float *logits)
{
    jsni_run *run = user;
    jsni_run_samples_record(&run->samples, position, samples, logits, true,
                            run->arrays.probabilities);
    return JSN_OK;
}

/* The last partial batch of the last epoch was never run; those samples get what the
 * trained network says of the plain image. */
static jsn_status write_posteriors(jsni_run *run)
{
    if (run->samples.posteriors == NULL)
        return JSN_OK;
    JSNI_TRY(jsni_run_logits(run, JSNI_PASS_CLEAN, fill_missing, run));
    const size_t shape[2] = {run->job.problem->train.count, run->job.problem->classes};
    jsn_array array = {0};
    JSNI_TRY(jsn_array_create(&array, JSN_DTYPE_FLOAT32, 2, shape));
    memcpy(array.data, run->samples.posteriors, shape[0] * shape[1] * sizeof(float));
    const jsn_status status =
        jsni_array_write_in(&array, run->folder.path, JSNI_RUN_POSTERIORS);
    jsn_array_release(&array);
    return status;
}

static jsn_status tell_bad_images(jsni_run *run)
{
    const size_t listed = run->feed.bad.count;
    if (listed == 0)
        return JSN_OK;
    char text[600];
    (void)snprintf(text, sizeof text, "%zu broken %s left out; see %.400s/%s", listed,
                   jsni_noun(listed, "image was", "images were"), run->folder.path,
                   JSNI_RUN_BAD_IMAGES);
    run->logger.message(run->logger.user, JSN_LOG_WARNING, text);
    return jsni_bad_images_check_classes(run);
}

jsn_status jsni_run_save_model(jsni_run *run, const char *name, char sha256[65])
{
    if (run->feed.head != NULL)
        return jsni_head_save(run, name, sha256);
    JSNI_TRY(jsni_model_save_in(run->group->model, run->folder.path, name));
    return sha256 == NULL ? JSN_OK : jsni_model_sha256(run->group->model, sha256);
}

/* The weights themselves, then the average in their place, for all that follows. */
static jsn_status keep_own(jsni_run *run)
{
    if (run->average.params == NULL)
        return JSN_OK;
    JSNI_TRY(jsni_run_save_model(run, JSNI_RUN_RAW, NULL));
    return jsni_average_show(&run->average, run->group->model, true);
}

jsn_status jsni_run_finish(jsni_run *run, jsn_train_result *result)
{
    final_results r = {0};
    const double start = jsni_clock();
    jsni_model_select(run->group->model, run->member);
    jsn_status status = keep_own(run);
    if (status == JSN_OK)
        status = jsni_stages_choose(run);
    if (status == JSN_OK)
        status = jsni_run_save_model(run, JSNI_RUN_MODEL, result->weights_sha256);
    if (status == JSN_OK)
        status = measure_all(run, &r);
    if (status == JSN_OK)
        status = write_evaluation(run, &r);
    if (status == JSN_OK)
        status = write_posteriors(run);
    if (status == JSN_OK)
        status = jsni_bad_images_keep(run);
    if (status == JSN_OK)
        status = tell_bad_images(run);
    if (status == JSN_OK) {
        run->state.seconds += jsni_clock() - start;
        (void)snprintf(result->run, sizeof result->run, "%s", run->folder.path);
        result->epochs = run->state.epoch;
        jsni_early_stop_reason(run->job.config, run->state.epoch, result->stopped,
                               sizeof result->stopped);
        if (result->stopped[0] != '\0') {
            char text[160];
            (void)snprintf(text, sizeof text, "stopped %s", result->stopped);
            run->logger.message(run, JSN_LOG_INFO, text);
        }
        result->test_acc = jsni_evaluation_accuracy(&r.test);
        result->test_top5 = jsni_evaluation_top5(&r.test);
        result->test_ece = jsni_evaluation_ece(&r.test);
        result->test_acc_best = run->state.best_test;
        result->val_acc = jsni_evaluation_accuracy(&r.val);
        result->val_acc_noisy = jsni_evaluation_accuracy_used(&r.val);
        result->val_acc_best = run->state.best_val;
        const jsni_consistency *c = &r.consistency;
        result->consistency = jsni_consistency_share(c, JSNI_KINDS);
        result->consistency_true = jsni_consistency_share(c, JSNI_KIND_TRUE);
        result->consistency_noisy = jsni_consistency_share(c, JSNI_KIND_NOISY);
        result->train_acc_true = run->history.last.train_acc_true[0];
        result->train_acc_noisy = run->history.last.train_acc_noisy[0];
        result->images_per_second = run->history.last.images_per_second;
        const double whole =
            run->group->clock.epoch_seconds + run->pace.measure_seconds;
        result->epoch_rate =
            run->pace.images > 0 ? (double)run->pace.images / whole : 0.0;
        result->noise_nominal = run->job.problem->noise_nominal;
        result->noise_real = run->job.problem->noise_real;
        result->seconds = run->state.seconds;
        status = jsni_run_result_write(&run->folder, run->job.config,
                                       &run->job.problem->mark, result);
    }
    if (status == JSN_OK)
        jsni_head_remove_body(run);
    release_results(&r);
    return status;
}
