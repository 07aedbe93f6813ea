/* train/run_progress.c - how far a run is, and how long it will take; see run.h. Times
 * are estimates for people: nothing that is trained or chosen depends on them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "train/run.h"

void jsni_group_pace(jsni_group *group, size_t steps, double seconds)
{
    if (steps == 0)
        return;
    /* The mean over about an epoch: the first one also decodes the images. */
    jsni_group_clock *t = &group->clock;
    t->steps += steps;
    const size_t over = t->steps < group->steps ? t->steps : group->steps;
    const double weight = (double)steps / (double)(over > steps ? over : steps);
    t->step_seconds += (seconds / (double)steps - t->step_seconds) * weight;
}

double jsni_run_image_rate(const jsni_run *run)
{
    const double seconds = run->group->clock.epoch_seconds;
    return run->pace.images > 0 && seconds > 0.0 ? (double)run->pace.images / seconds
                                                 : NAN;
}

/* Seconds of a step: of this call, or of earlier ones before its first. */
static double step_seconds(const jsni_run *run)
{
    if (run->group->clock.steps > 0)
        return run->group->clock.step_seconds;
    return run->state.step > 0 ? run->state.seconds / (double)run->state.step : NAN;
}

/* What evaluating so many images takes, before it was measured: a third of what training
 * on them does, since there is no backward pass. */
static double guess_pass(const jsni_run *run, size_t images)
{
    const double trained = (double)(run->job.config->batch * run->job.config->views);
    return step_seconds(run) * (double)images / (3.0 * trained);
}

/* Of the evaluation after an epoch that is not the last. */
static double measure_seconds(const jsni_run *run)
{
    const jsni_problem *p = run->job.problem;
    const bool every = strcmp(run->job.config->consistency, "every") == 0;
    if (run->pace.measure_seconds > 0.0)
        return run->pace.measure_seconds;
    return guess_pass(run,
                      p->val.count + p->test.count + (every ? 2 * p->train.count : 0));
}

/* Of the measuring that comes with the last epoch alone: consistency, final weights. */
static double last_seconds(const jsni_run *run)
{
    const jsni_problem *p = run->job.problem;
    const bool end = strcmp(run->job.config->consistency, "end") == 0;
    return guess_pass(run,
                      p->val.count + p->test.count + (end ? 2 * p->train.count : 0));
}

double jsni_run_seconds_left(const jsni_run *run)
{
    const double epochs = (double)run->job.config->epochs,
                 steps = (double)run->group->steps;
    const double left = jsni_run_done(run) ? 0.0 : epochs - (double)run->state.epoch;
    const jsni_group_clock *clock = &run->group->clock;
    if (left <= 0.0 && clock->after == 0)
        return NAN;
    const double epoch = steps * step_seconds(run) + measure_seconds(run);
    double here = left * epoch - (double)run->state.batch * step_seconds(run);
    if (clock->measuring > 0.0)
        here -= fmin(jsni_clock() - clock->measuring, measure_seconds(run));
    const double whole = epochs * epoch + last_seconds(run);
    return (left > 0.0 ? here + last_seconds(run) : 0.0) + (double)clock->after * whole;
}

void jsni_run_progress(void *user, const jsn_progress *progress)
{
    enum { MOST_PARTS = 8 };
    const jsni_run *run = user;
    const jsn_logger *to = run->group->watch->logger;
    if (to == NULL || to->progress == NULL)
        return;
    char place[96], share_text[32];
    const char *parts[MOST_PARTS] = {share_text};
    size_t count = 1;
    const double epoch = (double)run->state.epoch,
                 epochs = (double)run->job.config->epochs;
    jsni_text where = jsni_text_in(place, sizeof place);
    if (!jsni_run_done(run))
        jsni_text_format(&where, "epoch %.0f/%.0f%s", epoch + 1.0, epochs,
                         progress->what[0] != '\0' ? ": " : "");
    else
        jsni_text_add(&where, "final ");
    jsni_text_add(&where, progress->what);
    const double share =
        (epoch + (double)run->state.batch / (double)run->group->steps) / epochs;
    (void)jsni_format(share_text, sizeof share_text, "run %.0f%%",
                      floor(100.0 * share));
    for (size_t i = 0; i < progress->part_count && count < MOST_PARTS; i++)
        parts[count++] = progress->parts[i];
    jsn_progress told = *progress;
    told.what = place;
    told.left = jsni_run_seconds_left(run);
    told.parts = parts;
    told.part_count = count;
    to->progress(to->user, &told);
}
