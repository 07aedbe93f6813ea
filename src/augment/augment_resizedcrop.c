/* augment/augment_resizedcrop.c - a random part of the image, resized to the output: a
 * share of the area and an aspect ratio drawn up to ten times until the part fits, else
 * the largest centred part of an allowed ratio. The draws of a try: share, logarithm of
 * the ratio; top and left once it fits. */
#include <math.h>

#include "augment/augment_impl.h"

enum { LEAST, PARAMS };

static const jsn_param_info params[PARAMS] = {
    {"least", "smallest share of the area", 0.08, 0.001, 1, JSN_PARAM_REAL},
};

static const double ratios[2] = {3.0 / 4.0, 4.0 / 3.0};

static jsni_stage_part centred(size_t width, size_t height)
{
    const double ratio = (double)width / (double)height;
    jsni_stage_part p = {.width = width, .height = height};
    if (ratio < ratios[0])
        p.height = (size_t)nearbyint((double)width / ratios[0]);
    else if (ratio > ratios[1])
        p.width = (size_t)nearbyint((double)height * ratios[1]);
    p.top = (height - p.height) / 2;
    p.left = (width - p.width) / 2;
    return p;
}

static jsni_stage_part draw_part(double least, size_t width, size_t height,
                                 jsni_rng *rng)
{
    const double area = (double)width * (double)height;
    const double low = log(ratios[0]), high = log(ratios[1]);
    for (int i = 0; i < 10; i++) {
        const double share = (least + (1.0 - least) * jsni_rng_uniform(rng)) * area;
        const double ratio = exp(low + (high - low) * jsni_rng_uniform(rng));
        const size_t w = (size_t)nearbyint(sqrt(share * ratio));
        const size_t h = (size_t)nearbyint(sqrt(share / ratio));
        if (w > 0 && h > 0 && w <= width && h <= height) {
            jsni_stage_part p = {.width = w, .height = h};
            p.top = jsni_rng_below(rng, (uint32_t)(height - h + 1));
            p.left = jsni_rng_below(rng, (uint32_t)(width - w + 1));
            return p;
        }
    }
    return centred(width, height);
}

static jsni_stage_part part(const jsni_stage *stage, size_t width, size_t height,
                            size_t out_width, size_t out_height, jsni_rng *rng)
{
    jsni_stage_part p = draw_part(stage->param[LEAST], width, height, rng);
    p.to_width = out_width;
    p.to_height = out_height;
    p.filter = JSN_FILTER_BILINEAR;
    return p;
}

const jsni_stage_def jsni_augment_resizedcrop = {
    .info = {"resizedcrop", "a random part of the image, resized to the output", params,
             PARAMS, NULL},
    .evaluation = "resize+centercrop",
    .run = jsni_part_run,
    .part = part,
};
