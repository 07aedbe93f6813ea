/* noise/noise_sym_other.c - symmetric noise over the other classes: the first rate * N
 * samples of a shuffle get a label drawn uniformly from the K-1 other classes, so
 * exactly that share changes. The transition matrix of the robustness theorems. */
#include "core/alloc.h"
#include "core/fail.h"
#include "noise/noise_impl.h"

enum { RATE, PARAMS };

static const jsn_param_info params[PARAMS] = {
    {"rate", "share of the labels that changes", 0.4, 0, 1, JSN_PARAM_REAL},
};

static jsn_status run(const jsn_noise *noise, const jsn_noise_input *in,
                      jsn_noise_result *out)
{
    uint32_t *order = jsni_noise_order(in);
    JSNI_TRY_ALLOC(order);
    jsni_rng rng = jsni_noise_stream(in, 0, JSNI_NOISE_LABEL);
    out->nominal_rate = noise->param[RATE];
    out->drawn = jsni_noise_quota(noise->param[RATE], in->samples);
    for (size_t i = 0; i < out->drawn; i++) {
        const int32_t given = in->labels[order[i]];
        const int32_t other = (int32_t)jsni_rng_below(&rng, (uint32_t)in->classes - 1u);
        out->labels[order[i]] = other + (other >= given);
    }
    jsni_free(order);
    return JSN_OK;
}

const jsni_noise_def jsni_noise_sym_other = {
    .info = {"sym-other", "a share of the labels moved uniformly to other classes",
             params, PARAMS},
    .run = run,
};
