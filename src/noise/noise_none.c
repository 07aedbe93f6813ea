/* noise/noise_none.c - the labels as they are. */
#include "noise/noise_impl.h"

static jsn_status run(const jsn_noise *noise, const jsn_noise_input *in,
                      jsn_noise_result *out)
{
    (void)noise;
    (void)in;
    out->nominal_rate = 0.0;
    return JSN_OK;
}

const jsni_noise_def jsni_noise_none = {
    .info = {"none", "the labels as they are", NULL, 0},
    .run = run,
};
