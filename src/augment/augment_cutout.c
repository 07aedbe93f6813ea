/* augment/augment_cutout.c - Cutout: a square around a random pixel, cut at the border,
 * that is zero after the normalisation (the mean colour). DeVries and Taylor, 2017. */
#include "augment/augment_impl.h"
#include "core/fail.h"

enum { SIZE, PARAMS };

static const jsn_param_info params[PARAMS] = {
    {"size", "side of the square in pixels; its half is rounded down", 16, 0, 65535,
     JSN_PARAM_REAL},
};

static jsn_status run(const jsni_stage *stage, jsni_work *work, jsni_rng *rng)
{
    const uint32_t side = (uint32_t)stage->param[SIZE];
    if (side == 0)
        return JSN_OK;
    if (work->boxes == JSNI_MAX_BOXES)
        return jsni_fail(JSN_ERR_RANGE, "cutout: more than %d squares", JSNI_MAX_BOXES);
    const uint32_t height = (uint32_t)work->height, width = (uint32_t)work->width;
    const uint32_t y = jsni_rng_below(rng, height);
    const uint32_t x = jsni_rng_below(rng, width);
    jsn_augment_box *box = &work->box[work->boxes++];
    jsni_cutout_range(y, side, height, &box->y0, &box->y1);
    jsni_cutout_range(x, side, width, &box->x0, &box->x1);
    return JSN_OK;
}

const jsni_stage_def jsni_augment_cutout = {
    .info = {"cutout", "a square set to the mean colour; must come last", params,
             PARAMS, NULL},
    .run = run,
};
