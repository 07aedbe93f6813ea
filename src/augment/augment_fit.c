/* augment/augment_fit.c - brings images of any size to the output's: the largest
 * centred part of the right ratio, resized. An image of that size stays as it is. */
#include "augment/augment_impl.h"
#include "core/fail.h"

enum { FILTER, PARAMS, C = 3 };

static const jsn_param_info params[PARAMS] = {
    {"filter", "bilinear or bicubic", 0, 0, 0, JSN_PARAM_TEXT},
};

static jsn_status run(const jsni_stage *stage, jsni_work *work, jsni_rng *rng)
{
    (void)rng;
    const size_t ow = work->out_width, oh = work->out_height;
    if (work->width == ow && work->height == oh)
        return JSN_OK;
    size_t width = work->width, height = work->height;
    if (width * oh > height * ow)
        width = height * ow / oh > 0 ? height * ow / oh : 1;
    else
        height = width * oh / ow > 0 ? width * oh / ow : 1;
    const size_t top = (work->height - height) / 2, left = (work->width - width) / 2;
    uint8_t *out = NULL;
    JSNI_TRY(jsni_work_room(work, ow, oh, &out));
    JSNI_TRY(jsni_resize(&work->scratch->resize,
                         work->data + (top * work->width + left) * C, work->width * C,
                         width, height, (jsn_filter)stage->param[FILTER], out, ow, oh));
    jsni_work_take(work, out, ow, oh);
    return JSN_OK;
}

const jsni_stage_def jsni_augment_fit = {
    .info = {"fit", "the largest centred part of the output's ratio, resized to it",
             params, PARAMS, NULL},
    .choices = "bilinear|bicubic",
    .evaluation = "=",
    .run = run,
};
