/* train/run_history.c - see run_history.h. */
#include "train/run_history.h"

#include "core/alloc.h"
#include "core/fail.h"
#include "core/words.h"
#include "store/run_folder.h"
#include "store/run_rows.h"

void jsni_run_history_release(jsni_run_history *h)
{
    jsni_predictions_release(&h->seen);
    jsni_free(h->past);
    *h = (jsni_run_history){0};
}

jsn_status jsni_run_history_read(jsni_run_history *h, const char *folder, size_t done,
                                 int64_t epochs)
{
    if (done == 0)
        return JSN_OK;
    JSNI_TRY(jsni_run_rows_read(folder, &h->past, &h->past_count));
    if (h->past_count < done)
        return jsni_fail(JSN_ERR_DATA,
                         "%s: %zu %s, but the checkpoint is at epoch %zu; delete the "
                         "run folder to start again",
                         JSNI_RUN_METRICS, h->past_count,
                         jsni_noun(h->past_count, "row", "rows"), done);
    h->past_count = done;
    for (size_t i = 0; i < done; i++)
        h->past[i].epochs = epochs;
    h->last = h->past[done - 1];
    return JSN_OK;
}

void jsni_run_history_keep(jsni_run_history *h, jsni_predictions *seen, bool last)
{
    jsni_predictions_release(&h->seen);
    if (last)
        h->seen = *seen;
    else
        jsni_predictions_release(seen);
    *seen = (jsni_predictions){0};
}
