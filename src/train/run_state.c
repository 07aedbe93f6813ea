/* train/run_state.c - see run_state.h. */
#include "train/run_state.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/json.h"
#include "store/record_field.h"

jsni_run_state jsni_run_state_begin(void)
{
    return (jsni_run_state){.best_val = NAN, .best_test = NAN};
}

/* fmax() ignores a NaN on either side. */
bool jsni_run_state_judge(jsni_run_state *s, double val, double test)
{
    s->best_test = fmax(s->best_test, test);
    if (isnan(val) || val <= s->best_val)
        return false;
    s->best_val = val;
    s->best_epoch = s->epoch + 1;
    return true;
}

void jsni_run_state_next_epoch(jsni_run_state *s)
{
    s->epoch++;
    s->batch = 0;
    s->counts = (jsni_counts){0};
}

jsn_status jsni_run_state_text(const jsni_run_state *s, char **out)
{
    jsni_json_writer *w = NULL;
    JSNI_TRY(jsni_json_writer_create(&w, 0));
    jsni_json_begin_object(w, NULL);
    jsni_json_put_int(w, "epoch", s->epoch);
    jsni_json_put_int(w, "batch", (int64_t)s->batch);
    jsni_json_put_int(w, "step", (int64_t)s->step);
    jsni_json_put_real(w, "seconds", s->seconds);
    jsni_json_put_real(w, "best_val", s->best_val);
    jsni_json_put_int(w, "best_epoch", s->best_epoch);
    jsni_json_put_real(w, "best_test", s->best_test);
    jsni_counts_put(&s->counts, w, "counts");
    jsni_json_end(w);
    const jsn_status status = jsni_json_writer_take(w, out);
    jsni_json_writer_destroy(w);
    return status;
}

/* The checksum of a checkpoint says that the file is as it was written, not by whom. */
static jsn_status take(jsni_run_state *s, const jsni_json *doc, int64_t epochs,
                       size_t steps)
{
    const int64_t most = INT64_C(1) << 53;
    int64_t batch = 0, step = 0;
    JSNI_TRY(jsni_record_int(doc, "epoch", 0, epochs, -1, &s->epoch));
    JSNI_TRY(jsni_record_int(doc, "batch", 0, (int64_t)steps, -1, &batch));
    JSNI_TRY(jsni_record_int(doc, "step", 0, most, -1, &step));
    if (s->epoch < 0 || batch < 0 || step < 0)
        return jsni_json_refuse(doc, "epoch, batch or step is missing");
    s->batch = (size_t)batch;
    s->step = (uint64_t)step;
    JSNI_TRY(jsni_record_real(doc, "seconds", jsni_range_quantity, &s->seconds));
    JSNI_TRY(jsni_record_real(doc, "best_val", jsni_range_share, &s->best_val));
    JSNI_TRY(jsni_record_int(doc, "best_epoch", 0, epochs, 0, &s->best_epoch));
    JSNI_TRY(jsni_record_real(doc, "best_test", jsni_range_share, &s->best_test));
    if (isnan(s->seconds))
        s->seconds = 0.0;
    return jsni_counts_get(&s->counts, jsni_json_get(doc, "counts"));
}

jsn_status jsni_run_state_read(jsni_run_state *state, const char *text, int64_t epochs,
                               size_t steps)
{
    jsni_json *doc = NULL;
    jsni_run_state held = {0};
    JSNI_TRY(jsni_json_parse(&doc, "checkpoint state", text, strlen(text)));
    const jsn_status status = take(&held, doc, epochs, steps);
    jsni_json_destroy(doc);
    if (status == JSN_OK)
        *state = held;
    return status;
}
