/* augment/augment_flip.c - mirrors left and right, half of the time. */
#include "augment/augment_impl.h"
#include "core/fail.h"

static jsn_status run(const jsni_stage *stage, jsni_work *work, jsni_rng *rng)
{
    (void)stage;
    if (jsni_rng_u32(rng) >> 31 == 0)
        return JSN_OK;
    uint8_t *out = NULL;
    JSNI_TRY(jsni_work_room(work, work->width, work->height, &out));
    const jsni_pixel_op op = {.kind = JSNI_OPERATION_flip};
    jsni_pixel_op_run(&op, work->data, out, work->width, work->height);
    jsni_work_take(work, out, work->width, work->height);
    return JSN_OK;
}

const jsni_stage_def jsni_augment_flip = {
    .info = {"flip", "mirrored left and right with probability 1/2", NULL, 0, NULL},
    .run = run,
};
