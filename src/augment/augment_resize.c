/* augment/augment_resize.c - resizes so that the shorter side has a given length; the
 * longer side keeps the ratio, truncated as torchvision does or to the nearest. */
#include <math.h>

#include "augment/augment_impl.h"

enum { SIZE, FILTER, NEAREST, PARAMS };

static const jsn_param_info params[PARAMS] = {
    {"size", "length of the shorter side; 0: 8/7 of the output's, 256 for 224", 0, 0,
     16384, JSN_PARAM_REAL},
    {"filter", "bilinear or bicubic", 0, 0, 0, JSN_PARAM_TEXT},
    {"nearest", "1: round the longer side to the nearest length", 0, 0, 1,
     JSN_PARAM_REAL},
};

static size_t longer(double size, size_t side, size_t shorter, bool nearest)
{
    const double length = nearest ? (double)side * size / (double)shorter + 0.5
                                  : size * (double)side / (double)shorter;
    return (size_t)length;
}

static jsni_stage_part part(const jsni_stage *stage, size_t width, size_t height,
                            size_t out_width, size_t out_height, jsni_rng *rng)
{
    (void)rng;
    const size_t side = out_width < out_height ? out_width : out_height;
    const double size = stage->param[SIZE] > 0.0 ? floor(stage->param[SIZE])
                                                 : nearbyint((double)side * 8.0 / 7.0);
    const bool nearest = stage->param[NEAREST] > 0.0;
    jsni_stage_part p = {.width = width,
                         .height = height,
                         .to_width = (size_t)size,
                         .to_height = (size_t)size,
                         .filter = (jsn_filter)stage->param[FILTER]};
    if (width < height)
        p.to_height = longer(size, height, width, nearest);
    else
        p.to_width = longer(size, width, height, nearest);
    return p;
}

const jsni_stage_def jsni_augment_resize = {
    .info = {"resize", "resized so that the shorter side has a given length", params,
             PARAMS, NULL},
    .choices = "bilinear|bicubic",
    .evaluation = "=",
    .run = jsni_part_run,
    .part = part,
};
