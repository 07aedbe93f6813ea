/* augment/augment_colorjitter.c - brightness, contrast, saturation and hue changed by
 * random factors in random order, as torchvision does. The draws: the four factors in
 * this order, then the order by exchanging the last with a random one, downwards. */
#include <math.h>

#include "augment/augment_impl.h"
#include "core/fail.h"

enum { BRIGHTNESS, CONTRAST, SATURATION, HUE, PARAMS };

static const jsn_param_info params[PARAMS] = {
    {"brightness", "factor from [1-x, 1+x]", 0.4, 0, 1, JSN_PARAM_REAL},
    {"contrast", "factor from [1-x, 1+x]", 0.4, 0, 1, JSN_PARAM_REAL},
    {"saturation", "factor from [1-x, 1+x]", 0.4, 0, 1, JSN_PARAM_REAL},
    {"hue", "turn from [-x, x]", 0.2, 0, 0.5, JSN_PARAM_REAL},
};

static jsn_status run(const jsni_stage *stage, jsni_work *work, jsni_rng *rng)
{
    static const int kind[PARAMS] = {JSNI_OPERATION_brightness, JSNI_OPERATION_contrast,
                                     JSNI_OPERATION_color, JSNI_OPERATION_hue};
    double factor[PARAMS];
    int order[PARAMS];
    for (int i = 0; i < PARAMS; i++) {
        const double centre = i == HUE ? 0.0 : 1.0;
        factor[i] = centre + stage->param[i] * (2.0 * jsni_rng_uniform(rng) - 1.0);
        order[i] = i;
    }
    for (int i = PARAMS - 1; i > 0; i--) {
        const int j = (int)jsni_rng_below(rng, (uint32_t)i + 1u);
        const int kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    for (int i = 0; i < PARAMS; i++) {
        const int which = order[i];
        if (stage->param[which] == 0.0)
            continue;
        jsni_pixel_op op;
        jsni_pixel_op_resolve(&op, kind[which], factor[which], 1, work->width,
                              work->height, 0, 0);
        JSNI_TRY(jsni_work_apply(work, &op));
    }
    return JSN_OK;
}

const jsni_stage_def jsni_augment_colorjitter = {
    .info = {"colorjitter", "random brightness, contrast, saturation and hue", params,
             PARAMS, NULL},
    .run = run,
};
