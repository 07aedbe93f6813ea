/* augment/augment_fit.c - brings images of any size to the output's: the largest
 * centred part of the right ratio, resized. An image of that size stays as it is. */
#include "augment/augment_impl.h"

enum { FILTER, PARAMS };

static const jsn_param_info params[PARAMS] = {
    {"filter", "bilinear or bicubic", 0, 0, 0, JSN_PARAM_TEXT},
};

static jsni_stage_part part(const jsni_stage *stage, size_t width, size_t height,
                            size_t out_width, size_t out_height, jsni_rng *rng)
{
    (void)rng;
    jsni_stage_part p = {.width = width,
                         .height = height,
                         .to_width = out_width,
                         .to_height = out_height,
                         .filter = (jsn_filter)stage->param[FILTER]};
    if (width * out_height > height * out_width)
        p.width =
            height * out_width / out_height > 0 ? height * out_width / out_height : 1;
    else
        p.height =
            width * out_height / out_width > 0 ? width * out_height / out_width : 1;
    p.top = (height - p.height) / 2;
    p.left = (width - p.width) / 2;
    return p;
}

const jsni_stage_def jsni_augment_fit = {
    .info = {"fit", "the largest centred part of the output's ratio, resized to it",
             params, PARAMS, NULL},
    .choices = "bilinear|bicubic",
    .evaluation = "=",
    .run = jsni_part_run,
    .part = part,
};
