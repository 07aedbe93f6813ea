/* train/schedule_step.c - the rate is multiplied by `factor` at each place. Places up
 * to 1 are parts of the run, above 1 epochs (PyTorch's MultiStepLR). */
#include "train/schedule.h"

static const jsn_param_info params[] = {
    JSNI_SCHEDULE_WARMUP,
    {"at", "where: parts of the run, or epochs when above 1 (0.5/0.75)", 0, 0, 1e9,
     JSN_PARAM_REALS},
    {"factor", "what the rate is multiplied by", 0.1, 0, 1, JSN_PARAM_REAL},
};

static void set(jsni_schedule *schedule, const jsni_spec_value *values)
{
    static const double halves[] = {0.5, 0.75};
    schedule->factor = values[2].real;
    jsni_spec_reals(&values[1], schedule->places, &schedule->place_count);
    if (!values[1].given)
        for (; schedule->place_count < 2; schedule->place_count++)
            schedule->places[schedule->place_count] = halves[schedule->place_count];
    for (size_t i = 0; i < schedule->place_count; i++)
        if (schedule->places[i] <= 1.0)
            schedule->places[i] *= schedule->epochs;
}

static double factor(const jsni_schedule *schedule, double epoch)
{
    double product = 1.0;
    for (size_t i = 0; i < schedule->place_count; i++)
        if (epoch >= schedule->places[i])
            product *= schedule->factor;
    return product;
}

const jsni_schedule_def jsni_schedule_step = {
    {"step", "drops at given places", params, 3}, set, factor};
