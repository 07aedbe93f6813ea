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
    return jsni_early_stop_over(run->config, run->state.epoch, run->state.best_epoch);
}

const jsni_part *jsni_run_part(const jsni_run *run, jsni_pass_kind kind)
{
    if (kind == JSNI_PASS_VAL)
        return &run->problem->val;
    return kind == JSNI_PASS_TEST ? &run->problem->test : &run->problem->train;
}

/* In place of the images of a pass; NULL: the images themselves. */
static const jsni_features *features_of(const jsni_run *run, jsni_pass_kind kind)
{
    if (run->head == NULL)
        return NULL;
    if (kind == JSNI_PASS_VAL)
        return &run->head->val;
    return kind == JSNI_PASS_TEST ? &run->head->test : &run->head->train;
}

static jsn_status open_pass(jsni_run *run, jsni_pass_kind kind)
{
    const jsn_train_config *c = run->config;
    const bool copy = kind == JSNI_PASS_COPY;
    const jsni_loader_options o = {
        .part = jsni_run_part(run, kind),
        .classes = run->problem->classes,
        .augment = copy ? run->group->augment : run->group->plain,
        .features = features_of(run, kind),
        .plain_features = !copy,
        .height = (size_t)c->image_size,
        .width = (size_t)c->image_size,
        .batch = (size_t)c->batch,
        .views = 1,
        .workers = (size_t)c->workers,
        .order = JSNI_ORDER_KEPT,
        .seed = run->seed,
        .purpose = copy ? 1 : 0,
        .max_bad = (size_t)c->max_bad,
        .tally = run->tally,
        .scaled_decode = c->scaled_decode,
    };
    if (run->passes[kind] != NULL)
        return JSN_OK;
    return jsni_loader_create(&run->passes[kind], &o);
}

jsn_status jsni_run_logits(jsni_run *run, jsni_pass_kind kind, jsni_logits_fn *fn,
                           void *user)
{
    if (run->group->resident)
        return jsni_resident_logits(run, kind, pass_names[kind], fn, user);
    JSNI_TRY(open_pass(run, kind));
    const jsni_logits_pass pass = {.model = run->group->model,
                                   .loader = run->passes[kind],
                                   .classes = run->problem->classes,
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
                        .classes = run->problem->classes,
                        .probabilities = run->probabilities,
                        .evaluation = evaluation,
                        .predictions = predictions};
    return jsni_run_logits(run, kind, jsni_collect, &c);
}

jsn_status jsni_run_consistency(jsni_run *run, jsni_consistency *out,
                                jsni_predictions *clean)
{
    const jsni_part *part = &run->problem->train;
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
