/* sweep/worker_report.c - what a worker tells the database while its trials run: the
 * objective after each epoch. And whether to prune. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "sweep/worker_impl.h"

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Whether the run is worse than the median of the finished ones at this epoch; five of
 * them are needed for a judgement. */
static jsn_status judge(jsni_worker *w, jsni_worker_job *j, int64_t epoch)
{
    enum { FEWEST = 5 };
    double *values = NULL;
    size_t count = 0;
    if (!w->sweep->median || epoch <= w->sweep->prune_after)
        return JSN_OK;
    JSNI_TRY(jsni_study_step_values(&w->sweep->study, epoch, &values, &count));
    if (count >= FEWEST) {
        qsort(values, count, sizeof *values, by_size);
        const double median = 0.5 * (values[(count - 1) / 2] + values[count / 2]);
        w->pruned = w->sweep->study.maximize ? j->best < median : j->best > median;
    }
    jsni_free(values);
    return JSN_OK;
}

jsn_status jsni_worker_report(jsni_worker *w, jsni_worker_job *j)
{
    const size_t before = j->reported;
    for (size_t i = before; i < j->epochs; i++) {
        const double value = j->values[i];
        JSNI_TRY(
            jsni_trial_report(w->sweep->store, j->claim.trial, (int64_t)i + 1, value));
        j->reported = i + 1;
        const bool better =
            w->sweep->study.maximize ? value > j->best : value < j->best;
        if (better || (isnan(j->best) && !isnan(value)))
            j->best = value;
    }
    return j->reported > before ? judge(w, j, (int64_t)j->reported) : JSN_OK;
}

void jsni_worker_job_clear(jsni_worker_job *j)
{
    jsni_free(j->values);
    j->values = NULL;
    j->epochs = j->reported = 0;
    j->best = NAN;
}

static jsn_status keep(const jsni_worker *w, jsni_worker_job *j,
                       const jsn_epoch *epochs, size_t count)
{
    if (count == 0)
        return JSN_OK;
    double *values = jsni_realloc(j->values, j->epochs + count, sizeof *values);
    JSNI_TRY_ALLOC(values);
    j->values = values;
    for (size_t i = 0; i < count; i++)
        j->values[j->epochs++] =
            jsni_sweep_objective_at(w->sweep->objective, &epochs[i]);
    return JSN_OK;
}

/* A store that fails for good ends the work; see end_stopped(). */
static void report(jsni_worker *w, jsni_worker_job *j)
{
    const jsn_status status = jsni_worker_report(w, j);
    if (jsni_worker_outage(w, status) || status == JSN_OK)
        return;
    w->store_status = status;
    (void)snprintf(w->store_sentence, sizeof w->store_sentence, "%s", jsn_last_error());
}

jsn_status jsni_worker_hear(void *user, const jsn_event *event)
{
    jsni_worker *w = user;
    jsni_worker_job *j = &w->jobs[event->number];
    /* An ensemble is reported as the whole it becomes. */
    if (event->member > 0)
        return JSN_OK;
    if (event->kind == JSN_EVENT_OPENED) {
        /* Also the epochs before a continuation: the best so far is that of the whole run,
         * and an outage may have kept some from the store. */
        jsni_worker_job_clear(j);
        return keep(w, j, event->opened->past, event->opened->past_count);
    }
    if (event->kind != JSN_EVENT_EPOCH)
        return JSN_OK;
    JSNI_TRY(keep(w, j, event->epoch, 1));
    if (w->store_status == JSN_OK)
        report(w, j);
    return w->pruned || w->store_status != JSN_OK ? JSN_ERR_STOPPED : JSN_OK;
}
