/* train/group.c - see group.h. */
#define _POSIX_C_SOURCE 200809L
#include "train/group.h"

#include <time.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "train/model_card.h"
#include "train/resident_feed.h"
#include "train/run.h"
#include "train/run_optimiser.h"
#include "train/stages.h"
#include "train/tail.h"

double jsni_clock(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

const jsni_run *jsni_group_lead(const jsni_group *group)
{
    return &group->members[0];
}

/* With room for the most views of the members. */
static jsn_status open_model(jsni_group *group)
{
    const jsn_train_config *c = group->config;
    int64_t views = 1;
    for (size_t i = 0; i < group->count; i++)
        if (group->members[i].job.config->views > views)
            views = group->members[i].job.config->views;
    char *optimiser = NULL;
    jsn_model_options o;
    jsn_model_options_init(&o);
    o.network = c->network;
    o.classes = group->problem->classes;
    o.height = o.width = (size_t)c->image_size;
    const jsni_head *head = jsni_group_lead(group)->feed.head;
    const bool tail = head != NULL && head->cut > 0;
    if (head != NULL && !tail) {
        o.network = "mlp:layers=0";
        o.channels = head->floats;
        o.height = o.width = 1;
    }
    o.device = c->device;
    o.batch = (size_t)c->batch;
    o.views = (size_t)views;
    o.threads = (size_t)c->threads;
    o.members = group->count;
    JSNI_TRY(jsn_precision_parse(c->precision, &o.precision));
    JSNI_TRY(jsni_run_optimiser(c, &optimiser));
    o.optimiser = optimiser;
    jsn_status status = tail ? jsni_tail_model(head, &o, &group->model)
                             : jsn_model_create(&group->model, &o);
    if (status == JSN_OK && jsni_stages_two(c))
        status =
            jsni_model_tune(group->model, c->layer_decay, jsni_stages_keep_norms(c));
    jsni_free(optimiser);
    return status;
}

static jsn_status open_augments(jsni_group *group, const char *folder)
{
    jsni_model_card card = {0};
    JSNI_TRY(jsni_model_card_make(&card, group->config, group->problem, folder));
    const size_t size = card.image_size;
    jsn_status status = jsn_augment_create(&group->augment, card.augment, size, size,
                                           card.mean, card.deviation);
    if (status == JSN_OK)
        status = jsn_augment_create(&group->plain, card.evaluation, size, size,
                                    card.mean, card.deviation);
    jsni_model_card_release(&card);
    return status;
}

/* The members, as far as they go without the model. */
static jsn_status open_members(jsni_group *group, const jsni_job *jobs, size_t count,
                               jsni_watch *watch, bool training)
{
    *group = (jsni_group){.watch = watch,
                          .stop = jsni_watch_stop(watch),
                          .config = jobs->config,
                          .problem = jobs->problem,
                          .training = training,
                          .clock = {.checkpoint = jsni_clock(), .after = jobs->after}};
    JSNI_TRY_ALLOC(group->members = jsni_alloc_zero(count, sizeof *group->members));
    group->count = count;
    for (size_t i = 0; i < count; i++) {
        group->members[i].folder.lock = -1;
        group->members[i].member = i;
    }
    JSNI_TRY(open_augments(group, jobs->folder));
    for (size_t i = 0; i < count; i++)
        JSNI_TRY(jsni_run_open(&group->members[i], group, &jobs[i]));
    if (count > 1 && group->config->early_stop != JSN_OPTION_INT_UNSET)
        return jsni_fail(JSN_ERR_UNSUPPORTED,
                         "runs that may end early are trained one by one");
    return open_model(group);
}

static jsn_status load_members(jsni_group *group)
{
    const jsni_run_state *at = &jsni_group_lead(group)->state;
    for (size_t i = 0; i < group->count; i++) {
        jsni_run *run = &group->members[i];
        JSNI_TRY(jsni_run_load(run));
        if (run->state.epoch != at->epoch || run->state.batch != at->batch)
            return jsni_fail(
                JSN_ERR_UNSUPPORTED,
                "the runs stand at different steps, so they are trained one by one");
    }
    return jsni_group_lead(group)->feed.head != NULL ? JSN_OK
                                                     : jsni_resident_set_up(group);
}

jsn_status jsni_group_open(jsni_group *group, const jsni_job *jobs, size_t count,
                           jsni_watch *watch)
{
    jsn_status status = open_members(group, jobs, count, watch, true);
    if (status == JSN_OK)
        status = load_members(group);
    if (status != JSN_OK)
        jsni_group_close(group);
    return status;
}

jsn_status jsni_group_open_finished(jsni_group *group, const jsni_job *job,
                                    jsni_watch *watch)
{
    jsn_status status = open_members(group, job, 1, watch, false);
    jsni_run *run = group->members;
    if (status == JSN_OK)
        status =
            jsni_model_load_in(group->model, run->folder.path, JSNI_RUN_MODEL, NULL);
    if (status == JSN_OK) {
        run->state.epoch = run->job.config->epochs;
        status = jsni_resident_set_up(group);
    }
    if (status != JSN_OK)
        jsni_group_close(group);
    return status;
}

void jsni_group_close(jsni_group *group)
{
    for (size_t i = 0; i < group->count; i++)
        jsni_run_close(&group->members[i]);
    jsni_free(group->members);
    jsn_model_destroy(group->model);
    jsn_augment_destroy(group->plain);
    jsn_augment_destroy(group->augment);
    *group = (jsni_group){0};
}

static jsn_status emit_step(jsni_run *run)
{
    const jsni_counts *c = &run->state.counts;
    const jsn_step step = {.size = sizeof step,
                           .epoch = run->state.epoch + 1,
                           .epochs = run->job.config->epochs,
                           .step = run->state.batch,
                           .steps = run->group->steps,
                           .loss = jsni_counts_loss(c),
                           .train_acc = jsni_counts_accuracy(c, 0, JSNI_KINDS),
                           .images_per_second = jsni_run_image_rate(run),
                           .seconds_left = jsni_run_seconds_left(run)};
    return jsni_run_emit(run, (jsn_event){.kind = JSN_EVENT_STEP, .step = &step});
}

static jsn_status save_all(jsni_group *group)
{
    for (size_t i = 0; i < group->count; i++)
        JSNI_TRY(jsni_checkpoint_save(&group->members[i]));
    return JSN_OK;
}

/* Only inside an epoch: its end has a rule of its own. */
static bool checkpoint_wanted(const jsni_group *group)
{
    const double minutes = group->config->checkpoint_minutes;
    return jsni_clock() - group->clock.checkpoint > 60.0 * minutes &&
           jsni_group_lead(group)->state.batch < group->steps;
}

jsn_status jsni_group_after_steps(jsni_group *group, size_t steps, double seconds,
                                  uint64_t samples)
{
    group->clock.epoch_seconds += seconds;
    jsni_group_pace(group, steps, seconds);
    for (size_t i = 0; i < group->count; i++) {
        jsni_run *run = &group->members[i];
        run->state.seconds += seconds;
        run->pace.images += samples * (uint64_t)run->job.config->views;
        run->saved.stale = true;
        JSNI_TRY(emit_step(run));
    }
    return checkpoint_wanted(group) ? save_all(group) : JSN_OK;
}

/* Epochs of less than a second would spend their time on checkpoints. */
bool jsni_group_checkpoint_due(const jsni_group *group, double now)
{
    double cost = 0.0;
    for (size_t i = 0; i < group->count; i++)
        cost += group->members[i].saved.seconds;
    return jsni_run_done(jsni_group_lead(group)) ||
           now - group->clock.checkpoint >= 20.0 * cost;
}

/* One epoch: steps, then what ends an epoch for each member. */
static jsn_status train_epoch(jsni_group *group)
{
    group->clock.epoch_seconds = 0.0;
    for (size_t i = 0; i < group->count; i++)
        group->members[i].pace.images = 0;
    const bool whole = jsni_group_lead(group)->state.batch == 0;
    JSNI_TRY(group->resident ? jsni_resident_steps(group)
                             : jsni_run_host_steps(group->members));
    for (size_t i = 0; i < group->count; i++)
        JSNI_TRY(jsni_run_end_epoch(&group->members[i]));
    if (whole && !group->said)
        JSNI_TRY(jsni_run_say_first(group->members));
    group->said = group->said || whole;
    return jsni_group_checkpoint_due(group, jsni_clock()) ? save_all(group) : JSN_OK;
}

/* A member may have ended its epoch when the group is stopped inside the end of another's;
 * that state is kept as well. */
static jsn_status stop(jsni_group *group)
{
    for (size_t i = 0; i < group->count; i++)
        if (group->members[i].saved.stale)
            JSNI_TRY(jsni_checkpoint_save(&group->members[i]));
    for (size_t i = 0; i < group->count; i++) {
        const jsni_run_state *s = &group->members[i].state;
        const jsn_stopped at = {sizeof at, s->epoch, s->batch};
        JSNI_TRY(jsni_run_emit(&group->members[i],
                               (jsn_event){.kind = JSN_EVENT_STOPPED, .stopped = &at}));
    }
    const jsni_run_state *at = &jsni_group_lead(group)->state;
    if (at->batch == 0)
        return jsni_fail(JSN_ERR_STOPPED,
                         "stopped after epoch %lld; the same command continues",
                         (long long)at->epoch);
    return jsni_fail(JSN_ERR_STOPPED,
                     "stopped in epoch %lld, batch %zu; the same command continues",
                     (long long)at->epoch + 1, at->batch);
}

static jsn_status tell_opened(jsni_run *run)
{
    const jsn_opened opened = {.size = sizeof opened,
                               .epoch = run->state.epoch,
                               .epochs = run->job.config->epochs,
                               .step = run->state.batch,
                               .steps = run->group->steps,
                               .past = run->history.past,
                               .past_count = run->history.past_count};
    return jsni_run_emit(run, (jsn_event){.kind = JSN_EVENT_OPENED, .opened = &opened});
}

jsn_status jsni_group_train(jsni_group *group)
{
    const jsni_run *lead = jsni_group_lead(group);
    for (size_t i = 0; i < group->count; i++)
        JSNI_TRY(tell_opened(&group->members[i]));
    while (!jsni_run_done(lead)) {
        const jsn_status status = train_epoch(group);
        if (status == JSN_ERR_STOPPED)
            return stop(group);
        JSNI_TRY(status);
        if (jsni_stop_asked(&group->stop) && !jsni_run_done(lead))
            return stop(group);
    }
    return JSN_OK;
}
