/* augment/augment_crop.c - a window of the output's size at a random place of the image
 * with a black border. */
#include <string.h>

#include "augment/augment_impl.h"
#include "core/fail.h"

enum { PAD, PARAMS, C = 3 };

static const jsn_param_info params[PARAMS] = {
    {"pad", "black pixels added on every side first", 4, 0, 1024, JSN_PARAM_REAL},
};

/* The part of one output row, starting at padded column `left`, that shows the image. */
static void copy_row(const uint8_t *in, size_t in_width, size_t left, size_t pad,
                     uint8_t *out, size_t width)
{
    const size_t first = left < pad ? pad - left : 0;
    const size_t begin = first < width ? first : width;
    const size_t last = in_width + pad > left ? in_width + pad - left : 0;
    const size_t end = last < width ? last : width;
    memset(out, 0, begin * C);
    if (end > begin)
        memcpy(out + begin * C, in + (left + begin - pad) * C, (end - begin) * C);
    if (end < width)
        memset(out + (end > begin ? end : begin) * C, 0,
               (width - (end > begin ? end : begin)) * C);
}

static jsn_status run(const jsni_stage *stage, jsni_work *work, jsni_rng *rng)
{
    const size_t pad = (size_t)stage->param[PAD];
    const size_t width = work->out_width, height = work->out_height;
    if (work->width + 2 * pad < width || work->height + 2 * pad < height)
        return jsni_fail(JSN_ERR_DATA,
                         "crop: the image is %zux%zu, with its border smaller than "
                         "%zux%zu",
                         work->width, work->height, width, height);
    uint8_t *out = NULL;
    JSNI_TRY(jsni_work_room(work, width, height, &out));
    const size_t top =
        jsni_rng_below(rng, (uint32_t)(work->height + 2 * pad - height + 1));
    const size_t left =
        jsni_rng_below(rng, (uint32_t)(work->width + 2 * pad - width + 1));
    for (size_t y = 0; y < height; y++) {
        const size_t row = y + top; /* in the padded image */
        if (row < pad || row >= pad + work->height)
            memset(out + y * width * C, 0, width * C);
        else
            copy_row(work->data + (row - pad) * work->width * C, work->width, left, pad,
                     out + y * width * C, width);
    }
    jsni_work_take(work, out, width, height);
    return JSN_OK;
}

const jsni_stage_def jsni_augment_crop = {
    .info = {"crop", "random window of the output's size, over a black border", params,
             PARAMS, NULL},
    .run = run,
};
