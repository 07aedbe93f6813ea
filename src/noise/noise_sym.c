/* noise/noise_sym.c - symmetric noise over all classes: the first rate * N samples of a
 * shuffle get a label drawn uniformly from all K classes, the given one included, so
 * rate * (K-1)/K of the labels change. This is what published "symmetric noise" on CIFAR
 * means by its rate. */
#include "core/alloc.h"
#include "core/fail.h"
#include "noise/noise_impl.h"

enum { RATE, PARAMS };

static const jsn_param_info params[PARAMS] = {
    {"rate", "share of the labels that is drawn anew", 0.4, 0, 1, JSN_PARAM_REAL},
};

static jsn_status run(const jsn_noise *noise, const jsn_noise_input *in,
                      jsn_noise_result *out)
{
    uint32_t *order = jsni_noise_order(in);
    JSNI_TRY_ALLOC(order);
    jsni_rng rng = jsni_noise_stream(in, 0, JSNI_NOISE_LABEL);
    out->nominal_rate = noise->param[RATE];
    out->drawn = jsni_noise_quota(noise->param[RATE], in->samples);
    for (size_t i = 0; i < out->drawn; i++)
        out->labels[order[i]] = (int32_t)jsni_rng_below(&rng, (uint32_t)in->classes);
    jsni_free(order);
    return JSN_OK;
}

const jsni_noise_def jsni_noise_sym = {
    .info = {"sym", "a share of the labels drawn uniformly from all classes", params,
             PARAMS},
    .run = run,
};
