/* augment/augment_randaugment.c - n operations drawn from a list, all of the same
 * magnitude. Cubuk et al., "RandAugment", 2020, with the list and ranges of the PyTorch
 * package that the published experiments used. */
#include "augment/augment_impl.h"
#include "core/alloc.h"
#include "core/fail.h"

enum { N, M, PARAMS };

static const jsn_param_info params[PARAMS] = {
    {"n", "operations per image", 1, 0, JSNI_VIEW_MAX_OPS, JSN_PARAM_REAL},
    {"m", "magnitude, of 30", 3, 0, 30, JSN_PARAM_REAL},
};

static jsn_status prepare(jsni_stage *stage, size_t width, size_t height)
{
    JSNI_TRY_ALLOC(stage->op = jsni_alloc(JSNI_PIXEL_DRAWN, sizeof stage->op[0]));
    for (int kind = 0; kind < JSNI_PIXEL_DRAWN; kind++) {
        const jsn_operation_info *info = jsn_operation_describe((size_t)kind);
        const double value =
            stage->param[M] / 30.0 * (info->high - info->low) + info->low;
        jsni_pixel_op_resolve(&stage->op[kind][0], kind, value, 1, width, height, 0, 0);
        jsni_pixel_op_resolve(&stage->op[kind][1], kind, value, -1, width, height, 0,
                              0);
    }
    return JSN_OK;
}

static jsn_status run(const jsni_stage *stage, jsni_work *work, jsni_rng *rng)
{
    const uint32_t count = (uint32_t)stage->param[N];
    for (uint32_t i = 0; i < count; i++) {
        jsni_pixel_op op =
            jsni_draw_op((const jsni_pixel_op(*)[2])stage->op, (uint32_t)work->height,
                         (uint32_t)work->width, rng);
        /* A rotation's centre is that of the image at hand. */
        if (op.form == JSNI_FORM_WARP)
            jsni_pixel_op_resolve(&op, op.kind, op.value, op.sign, work->width,
                                  work->height, 0, 0);
        JSNI_TRY(jsni_work_apply(work, &op));
    }
    return JSN_OK;
}

const jsni_stage_def jsni_augment_randaugment = {
    .info = {"randaugment", "n operations drawn from its list, of magnitude m", params,
             PARAMS, NULL},
    .prepare = prepare,
    .run = run,
};
