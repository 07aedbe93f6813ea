/* augment/augment_resize.c - resizes so that the shorter side has a given length; the
 * longer side keeps the ratio, truncated as torchvision does or to the nearest. */
#include <math.h>

#include "augment/augment_impl.h"
#include "core/fail.h"

enum { SIZE, FILTER, NEAREST, PARAMS, C = 3 };

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

static jsn_status run(const jsni_stage *stage, jsni_work *work, jsni_rng *rng)
{
    (void)rng;
    const size_t side =
        work->out_width < work->out_height ? work->out_width : work->out_height;
    const double size = stage->param[SIZE] > 0.0 ? floor(stage->param[SIZE])
                                                 : nearbyint((double)side * 8.0 / 7.0);
    size_t width = (size_t)size, height = (size_t)size;
    if (work->width < work->height)
        height = longer(size, work->height, work->width, stage->param[NEAREST] > 0.0);
    else
        width = longer(size, work->width, work->height, stage->param[NEAREST] > 0.0);
    if (width * height > JSN_IMAGE_MAX_PIXELS)
        return jsni_fail(JSN_ERR_DATA, "resize: a %zux%zu image would become %zux%zu",
                         work->width, work->height, width, height);
    uint8_t *out = NULL;
    JSNI_TRY(jsni_work_room(work, width, height, &out));
    JSNI_TRY(jsni_resize(&work->scratch->resize, work->data, work->width * C,
                         work->width, work->height, (jsn_filter)stage->param[FILTER],
                         out, width, height));
    jsni_work_take(work, out, width, height);
    return JSN_OK;
}

const jsni_stage_def jsni_augment_resize = {
    .info = {"resize", "resized so that the shorter side has a given length", params,
             PARAMS, NULL},
    .choices = "bilinear|bicubic",
    .evaluation = "=",
    .run = run,
};
