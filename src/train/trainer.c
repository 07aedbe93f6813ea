/* train/trainer.c - epochs and steps; see run.h.
 *
 * The state moves only after a step has succeeded, so whatever moment a checkpoint is
 * taken at, the run continues from it with the same bits: data order, augmentation and
 * dropout are drawn from streams named by epoch, sample and step.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "backend/model.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/text.h"
#include "store/record_epoch.h"
#include "train/early_stop.h"
#include "train/run.h"
#include "train/run_optimiser.h"

/* Adds the batch to the counts of the epoch, and to the posteriors when this is the
 * last one. */
static jsn_status count_batch(jsni_run *run, const jsni_batch *batch, double mean)
{
    JSNI_TRY(jsni_model_logits(run->group->model, run->arrays.logits));
    jsni_step_count(&run->arrays, batch, mean, &run->state.counts);
    if (run->state.epoch + 1 == run->job.config->epochs)
        jsni_run_samples_record(&run->samples, batch->position, batch->samples,
                                run->arrays.logits, false, run->arrays.probabilities);
    return JSN_OK;
}

/* Whether a batch is trained on. Broken images may leave less of it than the network can
 * be. */
static bool is_used(const jsni_run *run, const jsni_batch *batch)
{
    return batch->samples >=
           (jsni_graph_lone_norm(run->group->model->graph) != NULL ? 2u : 1u);
}

/* A step. Where the device copies beside its work, the next images go there meanwhile: the
 * host would only wait. */
static jsn_status take_step(jsni_run *run, const jsn_model_batch *given,
                            const jsn_model_step *step, double *mean)
{
    jsn_model *model = run->group->model;
    if (!jsni_model_stages(model))
        return jsn_model_train_step(model, given, step, mean, NULL);
    JSNI_TRY(jsn_model_train_step(model, given, step, NULL, NULL));
    const jsni_batch *next = jsni_loader_peek(run->feed.train);
    if (next != NULL && is_used(run, next))
        JSNI_TRY(jsni_model_stage(model, next->images, given->views, next->samples));
    return jsni_model_loss(model, mean);
}

static jsn_status train_batch(jsni_run *run, const jsni_batch *batch, double rate)
{
    jsn_model_batch given = jsni_step_gather(&run->arrays, batch);
    given.memory = jsni_run_samples_take(&run->samples, batch);
    const jsn_model_step step = {.loss = run->losses.main,
                                 .second = run->losses.noisy,
                                 .rate = rate,
                                 .weight_decay = run->job.config->weight_decay,
                                 .l1 = jsni_run_l1(run->job.config),
                                 .decay_all = run->job.config->decay_all != 0,
                                 .step = run->state.step + 1,
                                 .seed = run->job.seed};
    double mean = 0.0;
    const jsn_status status = take_step(run, &given, &step, &mean);
    if (status == JSN_ERR_NUMERIC) {
        char advice[128];
        jsni_run_advise(run, batch->number, advice, sizeof advice);
        return jsni_fail(status,
                         "epoch %lld, step %zu: %s; the training has diverged, %s",
                         (long long)run->state.epoch + 1, batch->number + 1,
                         jsn_last_error(), advice);
    }
    JSNI_TRY(status);
    jsni_run_samples_keep(&run->samples, batch);
    run->state.step++;
    if (run->average.params != NULL)
        JSNI_TRY(jsni_average_move(&run->average, run->group->model,
                                   run->job.config->ema, run->state.step));
    return count_batch(run, batch, mean);
}

double jsni_run_rate(const jsni_run *run, size_t batch)
{
    return run->job.config->lr * jsni_schedule_factor(&run->schedule,
                                                      (size_t)run->state.epoch, batch,
                                                      run->group->steps);
}

void jsni_run_advise(const jsni_run *run, size_t batch, char *out, size_t room)
{
    char here[64] = "";
    const double rate = jsni_run_rate(run, batch);
    if (rate != run->job.config->lr)
        (void)jsni_format(here, sizeof here, "; %g here, by the schedule", rate);
    (void)jsni_format(out, room, "try a smaller --lr (it is %g%s)", run->job.config->lr,
                      here);
}

jsn_status jsni_run_host_steps(jsni_run *run)
{
    const jsni_loader_pins pins = {jsni_model_pin, jsni_model_unpin, run->group->model};
    if (jsni_model_stages(run->group->model))
        jsni_loader_pin(run->feed.train, &pins);
    JSNI_TRY(jsni_loader_begin(run->feed.train, (uint32_t)run->state.epoch,
                               run->state.batch));
    double last = jsni_clock();
    for (;;) {
        const jsni_batch *batch = NULL;
        JSNI_TRY(jsni_loader_next(run->feed.train, &batch));
        if (batch == NULL)
            return JSN_OK;
        const size_t used = is_used(run, batch) ? batch->samples : 0;
        if (used > 0)
            JSNI_TRY(train_batch(run, batch, jsni_run_rate(run, batch->number)));
        run->state.batch = batch->number + 1;
        const double now = jsni_clock();
        JSNI_TRY(jsni_group_after_steps(run->group, 1, now - last, used));
        last = jsni_clock();
        if (jsni_stop_asked(&run->group->stop))
            return JSN_ERR_STOPPED;
    }
}

/* Squared norm of all parameters with more than one dimension, as the paper's code logs
 * it. */
static jsn_status weight_norm(jsni_run *run, double *out)
{
    const jsni_graph *graph = run->group->model->graph;
    float *params = jsni_alloc(graph->param_floats, sizeof *params);
    JSNI_TRY_ALLOC(params);
    const jsn_status status =
        jsni_model_read(run->group->model, run->member, JSNI_BLOCK_PARAMETERS, params);
    double sum = 0.0;
    for (size_t i = 0; status == JSN_OK && i < graph->param_count; i++)
        for (size_t k = 0; graph->params[i].rank > 1 && k < graph->params[i].count;
             k++) {
            const double w = (double)params[graph->params[i].offset + k];
            sum += w * w;
        }
    jsni_free(params);
    *out = sum;
    return status;
}

/* What the epoch's steps counted. */
static jsn_epoch begin_record(const jsni_run *run)
{
    const jsni_counts *c = &run->state.counts;
    jsn_epoch e = jsni_epoch_none();
    e.epoch = run->state.epoch + 1;
    e.epochs = run->job.config->epochs;
    e.views = (size_t)run->job.config->views;
    e.lr = jsni_run_rate(run, run->group->steps - 1);
    e.loss = jsni_counts_loss(c);
    for (size_t v = 0; v < e.views; v++) {
        e.train_acc_true[v] = jsni_counts_accuracy(c, v, JSNI_KIND_TRUE);
        e.train_acc_noisy[v] = jsni_counts_accuracy(c, v, JSNI_KIND_NOISY);
        e.train_acc_all[v] = jsni_counts_accuracy(c, v, JSNI_KINDS);
    }
    if (c->samples > 0)
        e.label_true_share = (double)c->seen[JSNI_KIND_TRUE] / (double)c->samples;
    e.images_per_second = jsni_run_image_rate(run);
    return e;
}

/* The validation accuracy that the best epoch is found by; NaN: there is none. */
static double val_of(const jsni_run *run, const jsn_epoch *e)
{
    const bool noisy = strcmp(run->job.config->val_labels, "noisy") == 0;
    return noisy ? e->val_acc_noisy : e->val_acc;
}

/* After every epoch or the last one; what the last one gives is kept for the result. */
static jsn_status measure_consistency(jsni_run *run, jsn_epoch *e)
{
    const char *when = run->job.config->consistency;
    const int64_t epoch = run->state.epoch + 1;
    const bool better =
        val_of(run, e) > run->state.best_val || run->state.best_epoch == 0;
    const bool last = jsni_early_stop_over(run->job.config, epoch,
                                           better ? epoch : run->state.best_epoch);
    if (strcmp(when, "never") == 0 || (!last && strcmp(when, "every") != 0))
        return JSN_OK;
    jsni_predictions clean = {0};
    JSNI_TRY(jsni_predictions_create(&clean, run->job.problem->train.count));
    const jsn_status status =
        jsni_run_consistency(run, &run->history.consistency, &clean);
    if (status == JSN_OK) {
        const jsni_consistency *c = &run->history.consistency;
        e->consistency = jsni_consistency_share(c, JSNI_KINDS);
        e->consistency_true = jsni_consistency_share(c, JSNI_KIND_TRUE);
        e->consistency_noisy = jsni_consistency_share(c, JSNI_KIND_NOISY);
    }
    jsni_run_history_keep(&run->history, &clean, status == JSN_OK && last);
    return status;
}

/* An epoch of which no image was left has taught nothing, and a part of which none is
 * left tells nothing: better said now than at the end of the run. */
static jsn_status check_used(const jsni_run *run, const jsni_loader *loader,
                             uint64_t samples, const char *what)
{
    const char *reason = "";
    uint32_t position = 0;
    if (samples > 0)
        return JSN_OK;
    if (loader != NULL && jsni_loader_bad_count(loader) > 0)
        jsni_loader_bad(loader, 0, &position, &reason);
    return jsni_fail(JSN_ERR_DATA,
                     "epoch %lld: none of the %s images could be used%s%s",
                     (long long)run->state.epoch + 1, what,
                     reason[0] != '\0' ? ", such as " : "", reason);
}

/* A few images that were split off may all be broken; then there is no such part. */
static jsn_status evaluate_part(jsni_run *run, jsni_pass_kind kind, const char *what,
                                jsni_evaluation *out)
{
    const jsni_part *part = jsni_run_part(run, kind);
    const jsni_part *train = &run->job.problem->train;
    JSNI_TRY(jsni_run_evaluate(run, kind, out, NULL));
    if (part->data == NULL ||
        (part->data == train->data && part->split == train->split))
        return JSN_OK;
    return check_used(run, run->feed.passes[kind], out->samples, what);
}

static jsn_status measure(jsni_run *run, jsn_epoch *e)
{
    jsni_evaluation val = {0}, test = {0};
    jsn_status status = jsni_evaluation_create(&val, run->job.problem->classes);
    if (status == JSN_OK)
        status = jsni_evaluation_create(&test, run->job.problem->classes);
    if (status == JSN_OK)
        status = evaluate_part(run, JSNI_PASS_VAL, "validation", &val);
    if (status == JSN_OK)
        status = evaluate_part(run, JSNI_PASS_TEST, "test", &test);
    if (status == JSN_OK) {
        e->val_acc = jsni_evaluation_accuracy(&val);
        e->val_acc_noisy = jsni_evaluation_accuracy_used(&val);
        e->val_loss = jsni_evaluation_loss(&val);
        e->test_acc = jsni_evaluation_accuracy(&test);
        e->test_top5 = jsni_evaluation_top5(&test);
        e->test_loss = jsni_evaluation_loss(&test);
        e->test_ece = jsni_evaluation_ece(&test);
    }
    jsni_evaluation_release(&val);
    jsni_evaluation_release(&test);
    JSNI_TRY(status);
    JSNI_TRY(measure_consistency(run, e));
    return weight_norm(run, &e->weight_norm2);
}

static jsn_status keep_best(jsni_run *run, const jsn_epoch *e)
{
    if (!jsni_run_state_judge(&run->state, val_of(run, e), e->test_acc))
        return JSN_OK;
    jsni_model_select(run->group->model, run->member);
    return jsni_run_save_model(run, JSNI_RUN_BEST, NULL);
}

/* Evaluation, best weights, then the record of the epoch for everybody. The checkpoint comes
 * after them: a row without its checkpoint is dropped when the run continues and made again
 * with the same numbers. */
static jsn_status judge_epoch(jsni_run *run)
{
    const double start = jsni_clock();
    JSNI_TRY(check_used(run, run->feed.train, run->state.counts.samples, "training"));
    jsn_epoch *e = &run->history.last;
    *e = begin_record(run);
    run->group->clock.measuring = start;
    JSNI_TRY(measure(run, e));
    run->group->clock.measuring = 0.0;
    run->pace.measure_seconds = jsni_clock() - start;
    run->state.seconds += run->pace.measure_seconds;
    JSNI_TRY(keep_best(run, e));
    e->seconds = run->state.seconds;
    e->time = (double)time(NULL);
    return jsni_run_emit(run, (jsn_event){.kind = JSN_EVENT_EPOCH, .epoch = e});
}

/* What is judged is the average where there is one; the training, and a checkpoint when
 * the run is stopped in the evaluation, go on with the weights themselves. */
jsn_status jsni_run_end_epoch(jsni_run *run)
{
    JSNI_TRY(jsni_average_show(&run->average, run->group->model, true));
    const jsn_status status = judge_epoch(run);
    JSNI_TRY(jsni_average_show(&run->average, run->group->model, false));
    JSNI_TRY(status);
    jsni_run_state_next_epoch(&run->state);
    return JSN_OK;
}
