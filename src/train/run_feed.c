/* train/run_feed.c - see run_feed.h. */
#include "train/run_feed.h"

#include <string.h>

#include "core/fail.h"
#include "train/mixup.h"
#include "train/run.h"
#include "train/tail.h"

const jsni_part *jsni_run_part(const jsni_run *run, jsni_pass_kind kind)
{
    if (kind == JSNI_PASS_VAL)
        return &run->job.problem->val;
    return kind == JSNI_PASS_TEST ? &run->job.problem->test : &run->job.problem->train;
}

/* In place of the images of a pass; NULL: the images themselves. */
static const jsni_features *features_of(const jsni_run *run, jsni_pass_kind kind)
{
    if (run->feed.head == NULL)
        return NULL;
    if (kind == JSNI_PASS_VAL)
        return &run->feed.head->val;
    return kind == JSNI_PASS_TEST ? &run->feed.head->test : &run->feed.head->train;
}

/* What all loaders of a run agree in, over the part that a pass goes over. */
static jsni_loader_options options_of(const jsni_run *run, jsni_pass_kind kind)
{
    const jsn_train_config *c = run->job.config;
    return (jsni_loader_options){
        .part = jsni_run_part(run, kind),
        .classes = run->job.problem->classes,
        .features = features_of(run, kind),
        .height = (size_t)c->image_size,
        .width = (size_t)c->image_size,
        .batch = (size_t)c->batch,
        .views = 1,
        .workers = (size_t)c->workers,
        .seed = run->job.seed,
        .max_bad = (size_t)c->max_bad,
        .tally = run->feed.tally,
        .scaled_decode = c->scaled_decode,
    };
}

static jsn_status open_train(jsni_run *run)
{
    const jsn_train_config *c = run->job.config;
    jsni_loader_options o = options_of(run, JSNI_PASS_COPY);
    o.augment = run->group->augment;
    o.views = (size_t)c->views;
    o.order = strcmp(c->sampling, "balanced") == 0 ? JSNI_ORDER_BALANCED
                                                   : JSNI_ORDER_SHUFFLED;
    o.max_steps = (size_t)c->max_steps;
    o.mixup = jsni_mixup_on(c) ? c->mixup : 0.0;
    return jsni_loader_create(&run->feed.train, &o);
}

jsn_status jsni_run_feed_open(jsni_run *run)
{
    JSNI_TRY(jsni_bad_tally_create(&run->feed.tally));
    if (run->group->training &&
        (jsni_head_alone(run->job.config) || jsni_tail_wanted(run->job.config)))
        JSNI_TRY(jsni_head_open(run));
    JSNI_TRY(open_train(run));
    const size_t steps = jsni_loader_batches(run->feed.train);
    if (run->member > 0 && steps != run->group->steps)
        return jsni_fail(JSN_ERR_UNSUPPORTED,
                         "these runs cannot be trained side by side");
    run->group->steps = steps;
    return JSN_OK;
}

jsn_status jsni_run_feed_pass(jsni_run *run, jsni_pass_kind kind)
{
    const bool copy = kind == JSNI_PASS_COPY;
    if (run->feed.passes[kind] != NULL)
        return JSN_OK;
    jsni_loader_options o = options_of(run, kind);
    o.augment = copy ? run->group->augment : run->group->plain;
    o.plain_features = !copy;
    o.order = JSNI_ORDER_KEPT;
    o.purpose = copy ? 1 : 0;
    return jsni_loader_create(&run->feed.passes[kind], &o);
}

void jsni_run_feed_release(jsni_run_feed *feed)
{
    for (size_t i = 0; i < JSNI_PASSES; i++)
        jsni_loader_destroy(feed->passes[i]);
    jsni_loader_destroy(feed->train);
    jsni_head_close(feed->head);
    jsni_bad_images_release(&feed->bad);
    jsni_bad_tally_destroy(feed->tally);
    *feed = (jsni_run_feed){0};
}
