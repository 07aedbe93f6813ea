/* train/schedule.c - the table of schedules and the warm-up. Knows none by name. */
#include "train/schedule.h"

#include <stdio.h>

#include "core/fail.h"
#include "core/hd.h"
#include "core/names.h"
#include "core/words.h"

#define TABLE_ENTRY(id) &jsni_schedule_##id,
static const jsni_schedule_def *const table[] = {JSNI_SCHEDULE_LIST(TABLE_ENTRY)};
#undef TABLE_ENTRY

jsn_entry jsni_schedule_entry(size_t index)
{
    return index < JSNI_COUNT_OF(table) ? table[index]->info : (jsn_entry){0};
}

static jsn_status unknown(const char *spec)
{
    jsni_names names;
    jsni_names_begin(&names, spec, NULL);
    for (size_t i = 0; i < JSNI_COUNT_OF(table); i++)
        jsni_names_add(&names, table[i]->info.name);
    return jsni_names_fail(&names, JSN_ERR_UNKNOWN_NAME, "no schedule '%s'",
                           names.word);
}

jsn_status jsni_schedule_parse(const char *spec, size_t epochs, jsni_schedule *out)
{
    size_t i = 0;
    while (i < JSNI_COUNT_OF(table) && !jsni_spec_names(spec, table[i]->info.name))
        i++;
    if (i == JSNI_COUNT_OF(table))
        return unknown(spec);
    const jsni_schedule_def *def = table[i];
    jsni_spec_value values[JSNI_SCHEDULE_MAX_PARAMS];
    JSNI_TRY(jsni_spec_values(spec, def->info.params, def->info.param_count, values));
    jsni_schedule schedule = {
        .def = def, .warmup = values[0].real, .epochs = (double)epochs};
    if (schedule.warmup >= schedule.epochs && schedule.warmup > 0.0)
        return jsni_fail(JSN_ERR_RANGE, "'%s': warmup=%g leaves nothing of %zu %s",
                         spec, schedule.warmup, epochs,
                         jsni_noun(epochs, "epoch", "epochs"));
    def->set(&schedule, values);
    *out = schedule;
    return JSN_OK;
}

double jsni_schedule_factor(const jsni_schedule *schedule, size_t epoch, size_t step,
                            size_t steps)
{
    const double done = (double)epoch * (double)steps + (double)step + 1.0;
    const double rise = schedule->warmup * (double)steps;
    if (done < rise)
        return done / rise;
    return schedule->def->factor(schedule, (double)epoch);
}
