/* train/schedule_exp.c - the rate is multiplied by `factor` after every epoch
 * (PyTorch's ExponentialLR). */
#include <math.h>

#include "train/schedule.h"

static const jsn_param_info params[] = {
    JSNI_SCHEDULE_WARMUP,
    {"factor", "what the rate is multiplied by every epoch", 0.97, 0, 1,
     JSN_PARAM_REAL},
};

static void set(jsni_schedule *schedule, const jsni_spec_value *values)
{
    schedule->factor = values[1].real;
}

static double factor(const jsni_schedule *schedule, double epoch)
{
    const double after = epoch - ceil(schedule->warmup);
    return after <= 0.0 ? 1.0 : pow(schedule->factor, after);
}

const jsni_schedule_def jsni_schedule_exp = {
    {"exp", "the same factor every epoch", params, 2}, set, factor};
