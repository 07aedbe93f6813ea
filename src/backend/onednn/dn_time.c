/* backend/onednn/dn_time.c - what each step of a training step costs, measured while
 * whole passes run, so with the caches as they are in training. Each worker notes what it
 * did; the sum over the workers divided by their number is a part's share of the time
 * of a step, and what is missing to that time is waiting. */
#include <string.h>
#include <time.h>

#include "backend/onednn/dn_plan.h"
#include "core/alloc.h"
#include "core/fail.h"

enum { ROUNDS = 3 };

static double seconds_now(void)
{
    struct timespec t;
    (void)timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double jsni_dn_time_begin(const dn_plan *plan)
{
    return plan->times == NULL ? 0.0 : seconds_now();
}

static double *time_of(const dn_plan *plan, const dn_step *step, dn_part part,
                       size_t worker)
{
    const size_t number = (size_t)(step - plan->steps);
    return &plan->times[(worker * plan->step_count + number) * DN_PARTS + part];
}

void jsni_dn_time_end(dn_plan *plan, const dn_step *step, dn_part part, size_t worker,
                      double from)
{
    if (plan->times != NULL)
        *time_of(plan, step, part, worker) += seconds_now() - from;
}

void jsni_dn_time_end_alone(dn_plan *plan, const dn_step *step, dn_part part,
                            double from)
{
    if (plan->times != NULL)
        *time_of(plan, step, part, 0) += (double)plan->threads * (seconds_now() - from);
}

/* One forward and backward pass; the time of all of it. */
static jsn_status timed_round(dn_plan *plan, double *seconds)
{
    const jsni_pass pass = {.training = true};
    const double start = seconds_now();
    JSNI_TRY(plan->host.base.ops->forward(&plan->host.base, &pass));
    JSNI_TRY(plan->host.base.ops->backward(&plan->host.base));
    *seconds = seconds_now() - start;
    return JSN_OK;
}

static void give_times(const dn_plan *plan, const double *best, jsni_task_time *times,
                       size_t room, size_t *count)
{
    static const char *const names[] = {[DN_FORWARD] = "forward",
                                        [DN_GRADIENT] = "gradient",
                                        [DN_DATA] = "backward data",
                                        [DN_WEIGHTS] = "backward weights",
                                        [DN_SUM] = "sum of weights"};
    *count = 0;
    for (size_t s = 0; s < plan->step_count; s++)
        for (size_t part = 0; part < DN_PARTS; part++) {
            double sum = 0.0;
            for (size_t k = 0; k < plan->threads; k++)
                sum += best[(k * plan->step_count + s) * DN_PARTS + part];
            if (sum <= 0.0)
                continue;
            if (*count < room)
                times[*count] = (jsni_task_time){plan->steps[s].node, names[part],
                                                 sum / (double)plan->threads, 0, 0};
            (*count)++;
        }
}

jsn_status jsni_dn_time_tasks(jsni_plan *base, jsni_task_time *times, size_t room,
                              size_t *count)
{
    dn_plan *plan = (dn_plan *)base;
    if (!plan->host.options.training)
        return jsni_fail(JSN_ERR_ARGUMENT, "the plan is for evaluation alone");
    if (plan->host.samples == 0)
        return jsni_fail(JSN_ERR_ARGUMENT, "times: no images were given yet");
    const size_t cells = plan->threads * plan->step_count * DN_PARTS;
    double *cell = jsni_alloc_zero(2 * cells, sizeof *cell);
    JSNI_TRY_ALLOC(cell);
    double *best = cell + cells, least = 0.0;
    jsn_status status = JSN_OK;
    plan->host.views = plan->host.options.views;
    plan->host.samples = plan->host.options.batch;
    for (int i = 0; i < ROUNDS && status == JSN_OK; i++) {
        double seconds = 0.0;
        memset(cell, 0, cells * sizeof *cell);
        plan->times = cell;
        status = timed_round(plan, &seconds);
        plan->times = NULL;
        if (i == 0 || seconds < least) {
            memcpy(best, cell, cells * sizeof *cell);
            least = seconds;
        }
    }
    if (status == JSN_OK)
        give_times(plan, best, times, room, count);
    jsni_free(cell);
    return status;
}
