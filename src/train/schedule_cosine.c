/* train/schedule_cosine.c - half a cosine from 1 to `last` over the epochs after the
 * warm-up (PyTorch's CosineAnnealingLR with T_max = epochs). */
#include <math.h>

#include "train/schedule.h"

static const jsn_param_info params[] = {
    JSNI_SCHEDULE_WARMUP,
    {"last", "factor that the end of the run approaches", 0, 0, 1, JSN_PARAM_REAL},
};

static void set(jsni_schedule *schedule, const jsni_spec_value *values)
{
    schedule->floor = values[1].real;
}

static double factor(const jsni_schedule *schedule, double epoch)
{
    const double pi = 3.14159265358979323846;
    const double start = ceil(schedule->warmup);
    const double part =
        epoch <= start ? 0.0 : (epoch - start) / (schedule->epochs - start);
    return schedule->floor + (1.0 - schedule->floor) * 0.5 * (1.0 + cos(pi * part));
}

const jsni_schedule_def jsni_schedule_cosine = {
    {"cosine", "half a cosine down to the end", params, 2}, set, factor};
