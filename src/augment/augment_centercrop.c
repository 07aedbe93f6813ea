/* augment/augment_centercrop.c - the middle of the image, of the output's size. The
 * offset is rounded half to even, as torchvision does. */
#include <math.h>
#include <string.h>

#include "augment/augment_impl.h"
#include "core/fail.h"

enum { C = 3 };

static jsn_status cut(const jsni_work *work, size_t width, size_t height, size_t *left,
                      size_t *top)
{
    if (width < work->out_width || height < work->out_height)
        return jsni_fail(JSN_ERR_DATA,
                         "centercrop: the image is %zux%zu, smaller than %zux%zu",
                         width, height, work->out_width, work->out_height);
    *left = (size_t)nearbyint((double)(width - work->out_width) / 2.0);
    *top = (size_t)nearbyint((double)(height - work->out_height) / 2.0);
    return JSN_OK;
}

static jsn_status run(const jsni_stage *stage, jsni_work *work, jsni_rng *rng)
{
    (void)stage;
    (void)rng;
    const size_t width = work->out_width, height = work->out_height;
    size_t left = 0, top = 0;
    JSNI_TRY(cut(work, work->width, work->height, &left, &top));
    uint8_t *out = NULL;
    JSNI_TRY(jsni_work_room(work, width, height, &out));
    for (size_t y = 0; y < height; y++)
        memcpy(out + y * width * C, work->data + ((y + top) * work->width + left) * C,
               width * C);
    jsni_work_take(work, out, width, height);
    return JSN_OK;
}

const jsni_stage_def jsni_augment_centercrop = {
    .info = {"centercrop", "the middle of the image, of the output's size", NULL, 0,
             NULL},
    .evaluation = "=",
    .run = run,
    .cut = cut,
};
