/* augment/augment_centercrop.c - the middle of the image, of the output's size. The
 * offset is rounded half to even, as torchvision does. */
#include <math.h>
#include <string.h>

#include "augment/augment_impl.h"
#include "core/fail.h"

enum { C = 3 };

static jsn_status run(const jsni_stage *stage, jsni_work *work, jsni_rng *rng)
{
    (void)stage;
    (void)rng;
    const size_t width = work->out_width, height = work->out_height;
    if (work->width < width || work->height < height)
        return jsni_fail(JSN_ERR_DATA,
                         "centercrop: the image is %zux%zu, smaller than %zux%zu",
                         work->width, work->height, width, height);
    const size_t top = (size_t)nearbyint((double)(work->height - height) / 2.0);
    const size_t left = (size_t)nearbyint((double)(work->width - width) / 2.0);
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
};
