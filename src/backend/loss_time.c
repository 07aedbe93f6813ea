/* backend/loss_time.c - how long a loss takes on a device, on data that is there: a graph
 * that hands its input on, so that the loss is all there is. Calls are queued in a row,
 * so that waiting for the device does not count, and the copy that limits them is timed
 * in turn with them. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <time.h>

#include "backend/backend_impl.h"
#include "backend/loss_device.h"
#include "core/fail.h"
#include "jensen/loss.h"
#include "loss/loss_impl.h"

enum { ROUNDS = 7, MOST_CALLS = 100 };

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of one of `calls` calls in a row: of the loss, of the copy when it is NULL. */
static jsn_status time_calls(jsni_plan *plan, const jsni_losses *losses, size_t calls,
                             double *seconds)
{
    const jsni_backend_ops *ops = plan->ops;
    JSNI_TRY(ops->synchronize(plan));
    const double start = now();
    for (size_t i = 0; i < calls; i++)
        JSNI_TRY(losses != NULL ? ops->loss(plan, losses) : ops->copy_output(plan));
    JSNI_TRY(ops->synchronize(plan));
    *seconds = (now() - start) / (double)calls;
    return JSN_OK;
}

/* Calls in a row that take some two milliseconds. */
static size_t calls_for(double seconds)
{
    const double calls = ceil(2e-3 / fmax(seconds, 1e-9));
    return calls < MOST_CALLS ? (size_t)calls : MOST_CALLS;
}

static jsn_status time_rounds(jsni_plan *plan, const jsni_losses *losses,
                              double seconds, jsni_loss_times *out)
{
    double each = 0.0, copy = 0.0;
    /* The first calls warm up. */
    JSNI_TRY(time_calls(plan, losses, 1, &each));
    JSNI_TRY(time_calls(plan, NULL, 1, &copy));
    JSNI_TRY(time_calls(plan, losses, 1, &each));
    JSNI_TRY(time_calls(plan, NULL, 1, &copy));
    const size_t calls = calls_for(each), copies = calls_for(copy);
    out->copy = HUGE_VAL;
    for (int round = 0; round < ROUNDS && out->count < out->room; round++) {
        JSNI_TRY(time_calls(plan, NULL, copies, &copy));
        out->copy = fmin(out->copy, copy);
        const double end = now() + seconds / ROUNDS;
        do {
            JSNI_TRY(time_calls(plan, losses, calls, &out->seconds[out->count]));
            out->count++;
        } while (out->count < out->room && now() < end);
    }
    return plan->ops->read_loss(plan, 0, &out->mean, NULL);
}

static jsn_status run(jsni_plan *plan, jsn_loss *loss, const jsn_loss_batch *batch,
                      double seconds, jsni_loss_times *out)
{
    const jsni_losses losses = {loss, batch->other};
    JSNI_TRY(jsni_loss_place(plan, loss, batch));
    return time_rounds(plan, &losses, seconds, out);
}

jsn_status jsni_loss_time_on(const char *device, jsn_loss *loss,
                             const jsn_loss_batch *batch, double seconds,
                             jsni_loss_times *out)
{
    if (device == NULL || loss == NULL || batch == NULL || out == NULL ||
        out->seconds == NULL || out->room == 0)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "loss: something is NULL, or no room for times");
    if (batch->type != JSN_LOSS_F32)
        return jsni_fail(JSN_ERR_ARGUMENT, "loss: %s times float32 logits alone",
                         device);
    out->count = 0;
    jsni_backend *backend = NULL;
    JSNI_TRY(jsni_backend_open(&backend, device));
    /* The CPU checks the batch, and says what is wrong with it. */
    jsn_loss_result checked = {0};
    jsni_builder b;
    jsni_graph *graph = NULL;
    jsni_plan *plan = NULL;
    const jsni_plan_options options = {.batch = batch->samples,
                                       .views = loss->views,
                                       .threads = 1,
                                       .precision = JSN_PRECISION_FP32,
                                       .training = true};
    jsn_status status = jsn_loss_eval(loss, batch, &checked);
    if (status == JSN_OK) {
        jsni_build_begin(&b, "none", (jsni_shape){loss->classes, 1, 1}, loss->classes);
        (void)jsni_build_flatten(&b, "flat", jsni_build_input(&b));
        status = jsni_build_end(&b, &graph);
    }
    if (status == JSN_OK)
        status = jsni_plan_create(backend, graph, &options, &plan);
    if (status == JSN_OK)
        status = run(plan, loss, batch, seconds, out);
    jsni_plan_destroy(plan);
    jsni_graph_destroy(graph);
    jsni_backend_close(backend);
    return status;
}
