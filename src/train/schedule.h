/* train/schedule.h - learning rates over a run: "step:at=0.5/0.75,factor=0.1",
 * "exp:factor=0.97", "cosine", "constant"; every one takes warmup=N.
 *
 * The rate of an epoch is the base rate times the schedule's factor for it, as PyTorch's
 * schedulers give it when they are stepped once an epoch. During the first `warmup`
 * epochs it rises in equal steps, step by step, and reaches the base rate with the last
 * of them; exp and cosine begin after the warm-up, the places of `step` count from the
 * start of the run. The rate is a function of the step alone: nothing to save.
 */
#ifndef JSNI_TRAIN_SCHEDULE_H
#define JSNI_TRAIN_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>

#include "core/spec.h"
#include "jensen/param.h"
#include "jensen/status.h"
#include "train/schedule_list.h"

enum { JSNI_SCHEDULE_MAX_PARAMS = 4 };

typedef struct jsni_schedule {
    const struct jsni_schedule_def *def;
    double warmup; /* epochs */
    double epochs; /* of the run */
    double factor;
    double floor;                       /* cosine: the last factor */
    double places[JSNI_SPEC_MAX_REALS]; /* step: epochs at which the rate drops */
    size_t place_count;
} jsni_schedule;

typedef struct jsni_schedule_def {
    jsn_entry info; /* its first parameter is warmup */
    void (*set)(jsni_schedule *schedule, const jsni_spec_value *values);
    /* The factor of epoch `epoch`, counted from 0. */
    double (*factor)(const jsni_schedule *schedule, double epoch);
} jsni_schedule_def;

#define JSNI_SCHEDULE_DECLARE(id) extern const jsni_schedule_def jsni_schedule_##id;
JSNI_SCHEDULE_LIST(JSNI_SCHEDULE_DECLARE)
#undef JSNI_SCHEDULE_DECLARE

jsn_entry jsni_schedule_entry(size_t index); /* all zero behind the last */

/* Reads a spec for a run of `epochs` >= 1.
 *   JSN_ERR_UNKNOWN_NAME, JSN_ERR_ARGUMENT, JSN_ERR_RANGE as specs do */
JSN_MUST_CHECK jsn_status jsni_schedule_parse(const char *spec, size_t epochs,
                                              jsni_schedule *out);

/* The factor on the base rate for step `step` (from 0) of epoch `epoch` (from 0), which
 * has `steps` steps. */
double jsni_schedule_factor(const jsni_schedule *schedule, size_t epoch, size_t step,
                            size_t steps);

/* The parameter that every schedule has first. */
#define JSNI_SCHEDULE_WARMUP                                                    \
    {                                                                           \
        "warmup", "epochs over which the rate rises", 0, 0, 1e6, JSN_PARAM_REAL \
    }

#endif /* JSNI_TRAIN_SCHEDULE_H */
