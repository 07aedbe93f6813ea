/* train/run_evaluate.c - evaluation passes of a run, by loaders or on the device; see
 * run.h. */
#include "core/alloc.h"
#include "core/fail.h"
#include "train/early_stop.h"
#include "train/resident_feed.h"
#include "train/run.h"

static const char *const pass_names[JSNI_PASSES] = {"validation", "test",
                                                    "training set", "augmented copies"};

uint32_t jsni_run_epochs_done(const jsni_run *run)
{
    const bool all = run->state.batch > 0 && run->state.batch >= run->group->steps;
    return (uint32_t)(run->state.epoch + (all ? 1 : 0));
}

bool jsni_run_done(const jsni_run *run)
{
    return jsni_early_stop_over(run->job.config, run->state.epoch,
                                run->state.best_epoch);
}

jsn_status jsni_run_logits(jsni_run *run, jsni_pass_kind kind, jsni_logits_fn *fn,
                           void *user)
{
    if (run->group->resident)
        return jsni_resident_logits(run, kind, pass_names[kind], fn, user);
    JSNI_TRY(jsni_run_feed_pass(run, kind));
    const jsni_logits_pass pass = {.model = run->group->model,
                                   .loader = run->feed.passes[kind],
                                   .classes = run->job.problem->classes,
                                   .epoch = jsni_run_epochs_done(run),
                                   .fn = fn,
                                   .user = user,
                                   .stop = &run->group->stop,
                                   .logger = &run->logger,
                                   .what = pass_names[kind]};
    return jsni_evaluate_logits(&pass);
}

jsn_status jsni_run_evaluate(jsni_run *run, jsni_pass_kind kind,
                             jsni_evaluation *evaluation, jsni_predictions *predictions)
{
    const jsni_part *part = jsni_run_part(run, kind);
    if (part->data == NULL)
        return JSN_OK;
    jsni_collector c = {.part = part,
                        .classes = run->job.problem->classes,
                        .probabilities = run->arrays.probabilities,
                        .evaluation = evaluation,
                        .predictions = predictions};
    return jsni_run_logits(run, kind, jsni_collect, &c);
}

jsn_status jsni_run_consistency(jsni_run *run, jsni_consistency *out,
                                jsni_predictions *clean)
{
    const jsni_part *part = &run->job.problem->train;
    jsni_predictions copy = {0};
    JSNI_TRY(jsni_predictions_create(&copy, part->count));
    jsn_status status = jsni_run_evaluate(run, JSNI_PASS_CLEAN, NULL, clean);
    if (status == JSN_OK)
        status = jsni_run_evaluate(run, JSNI_PASS_COPY, NULL, &copy);
    if (status == JSN_OK)
        *out = jsni_consistency_of(part, clean, &copy);
    jsni_predictions_release(&copy);
    return status;
}
