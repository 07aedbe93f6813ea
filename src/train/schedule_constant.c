/* train/schedule_constant.c - the same rate all the time. */
#include "train/schedule.h"

static const jsn_param_info params[] = {JSNI_SCHEDULE_WARMUP};

static void set(jsni_schedule *schedule, const jsni_spec_value *values)
{
    (void)schedule;
    (void)values;
}

static double factor(const jsni_schedule *schedule, double epoch)
{
    (void)schedule;
    (void)epoch;
    return 1.0;
}

const jsni_schedule_def jsni_schedule_constant = {
    {"constant", "the same rate all the time", params, 1}, set, factor};
