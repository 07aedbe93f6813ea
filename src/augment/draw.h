/* augment/draw.h - the random choices of the pipelines made of RandAugment, crop, flip
 * and Cutout (weak, strong and their variants), for host and device.
 *
 * A recipe is all that such a pipeline needs, in one flat struct that may be copied to
 * a device; jsni_augment_recipe() of augment/augment_impl.h gives the one of a pipeline.
 * A plan is what one view of one sample shall undergo; it comes from the recipe and the
 * sample's stream by integer arithmetic and exact conversions, so host and device draw
 * the same plan:
 *
 *     jsni_rng rng = jsni_rng_stream(seed, JSNI_RNG_AUGMENT, epoch, sample, view);
 *     const jsni_view_plan plan = jsni_view_draw(&recipe, &rng);
 *
 * The order of the draws:
 *   for each of n operations: its number by below(16); then for Rotate, ShearX/Y and
 *     TranslateX/Y one word whose top bit set means negated; for CutoutAbs two words, x
 *     and y, each giving size - (size-1) * word / 2^32, i.e. a value in (1, size];
 *   crop: top by below(height of the padded image - height + 1), then left;
 *   flip: one word, its top bit set means flipped;
 *   Cutout: row of the centre by below(height), then column by below(width).
 *
 * A kernel computes output pixel (x, y) of the plan like this (pixel.h has the bytes):
 *   1. xs = flip ? width-1-x : x;  column = xs + left - pad;  row = y + top - pad;
 *      outside the image: bytes (0, 0, 0); else the operations' pixel at (column, row).
 *   2. operations in order; every one maps a whole image to a whole image. With n = 1
 *      (the only published setting) the source is the stored image, so a pixel needs no
 *      intermediate image: build the table of 256 bytes a channel (statistics over the
 *      stored image, before the crop), or warp the coordinate, or read the neighbours.
 *   3. value = recipe.normal[channel][byte];  zero inside the Cutout box.
 */
#ifndef JSNI_AUGMENT_DRAW_H
#define JSNI_AUGMENT_DRAW_H

#include "augment/operation_list.h"
#include "augment/pixel.h"
#include "core/rng.h"

/* An operation by its place in the list: JSNI_OPERATION_rotate. RandAugment's come
 * first. */
typedef enum jsni_operation_kind {
#define JSNI_OPERATION_KIND(id) JSNI_OPERATION_##id,
    JSNI_OPERATION_DRAWN(JSNI_OPERATION_KIND) JSNI_PIXEL_DRAWN,
    JSNI_PIXEL_BEFORE_OTHERS = JSNI_PIXEL_DRAWN - 1,
    JSNI_OPERATION_OTHER(JSNI_OPERATION_KIND) JSNI_PIXEL_COUNT
#undef JSNI_OPERATION_KIND
} jsni_operation_kind;

/* What an operation is, what its table is made from, and what is drawn for it beside its
 * number: see operation.h. */
typedef enum jsni_operation_form {
    JSNI_FORM_TABLE,
    JSNI_FORM_PIXEL,
    JSNI_FORM_WARP,
    JSNI_FORM_IMAGE
} jsni_operation_form;

typedef enum jsni_operation_needs {
    JSNI_NEEDS_NOTHING,
    JSNI_NEEDS_RANGE,
    JSNI_NEEDS_HISTOGRAM,
    JSNI_NEEDS_GRAY
} jsni_operation_needs;

typedef enum jsni_operation_draws {
    JSNI_DRAWS_SIGN = 1, /* whether the value is negated */
    JSNI_DRAWS_PLACE = 2 /* the centre of a box */
} jsni_operation_draws;

/* One operation, resolved: only the fields that the form needs are meaningful. */
typedef struct jsni_pixel_op {
    int32_t kind;            /* jsni_operation_kind */
    int32_t form;            /* jsni_operation_form */
    int32_t needs;           /* jsni_operation_needs */
    int32_t draws;           /* set of jsni_operation_draws */
    int32_t sign;            /* -1: the drawn sign negated the value */
    float factor;            /* (float)value */
    double value;            /* as RandAugment's magnitude gives it, before the sign */
    double shift_x, shift_y; /* of a translation, with the sign; else 0 */
    jsni_pixel_box box;      /* JSNI_DRAWS_PLACE */
    jsni_warp warp;          /* JSNI_FORM_WARP */
} jsni_pixel_op;

enum { JSNI_VIEW_MAX_OPS = 8 };

typedef struct jsni_recipe {
    uint32_t height, width; /* of the stored image and of the output */
    uint32_t ops;           /* RandAugment's n; 0: none */
    uint32_t crop;          /* 1: there is a crop stage */
    uint32_t pad;           /* black pixels around the image before the crop */
    uint32_t flip;          /* 1: there is a flip stage */
    uint32_t cutout;        /* side of the Cutout square; 0: none */
    jsni_pixel_op op[JSNI_PIXEL_DRAWN][2]; /* [kind][0: as is, 1: negated] */
    float normal[3][256];                  /* byte of a channel -> normalised value */
} jsni_recipe;

typedef struct jsni_view_plan {
    jsni_pixel_op op[JSNI_VIEW_MAX_OPS];
    uint32_t ops;
    uint32_t top, left;                      /* of the window in the padded image */
    uint32_t flip;                           /* 1: mirrored */
    uint32_t cut_y0, cut_y1, cut_x0, cut_x1; /* half-open; empty: y0 == y1 */
} jsni_view_plan;

/* A value in (1, size]: size - (size-1) * word / 2^32, every step exact in double. */
static inline JSNI_HD double jsni_draw_position(jsni_rng *rng, uint32_t size)
{
    const uint64_t product = (uint64_t)jsni_rng_u32(rng) * (size - 1u);
    return (double)size - (double)product * (1.0 / 4294967296.0);
}

/* `op` is the table of a recipe. */
static inline JSNI_HD jsni_pixel_op
jsni_draw_op(const jsni_pixel_op op[JSNI_PIXEL_DRAWN][2], uint32_t height,
             uint32_t width, jsni_rng *rng)
{
    const uint32_t kind = jsni_rng_below(rng, JSNI_PIXEL_DRAWN);
    uint32_t negated = 0;
    if (op[kind][0].draws & JSNI_DRAWS_SIGN)
        negated = jsni_rng_u32(rng) >> 31;
    jsni_pixel_op drawn = op[kind][negated];
    if (drawn.draws & JSNI_DRAWS_PLACE) {
        const double x = jsni_draw_position(rng, width);
        const double y = jsni_draw_position(rng, height);
        drawn.box =
            jsni_pixel_box_at(x, y, drawn.value, (int32_t)width, (int32_t)height);
    }
    return drawn;
}

/* Half-open range that a Cutout square of side `side` around `centre` covers. */
static inline JSNI_HD void jsni_cutout_range(uint32_t centre, uint32_t side,
                                             uint32_t size, uint32_t *first,
                                             uint32_t *end)
{
    const uint32_t half = side / 2u;
    *first = centre > half ? centre - half : 0u;
    *end = centre + half < size ? centre + half : size;
}

static inline JSNI_HD jsni_view_plan jsni_view_draw(const jsni_recipe *recipe,
                                                    jsni_rng *rng)
{
    jsni_view_plan plan;
    plan.ops = recipe->ops;
    for (uint32_t i = 0; i < recipe->ops; i++)
        plan.op[i] = jsni_draw_op(recipe->op, recipe->height, recipe->width, rng);
    plan.top = plan.left = plan.flip = 0;
    plan.cut_y0 = plan.cut_y1 = plan.cut_x0 = plan.cut_x1 = 0;
    if (recipe->crop) {
        plan.top = jsni_rng_below(rng, 2u * recipe->pad + 1u);
        plan.left = jsni_rng_below(rng, 2u * recipe->pad + 1u);
    }
    if (recipe->flip)
        plan.flip = jsni_rng_u32(rng) >> 31;
    if (recipe->cutout) {
        const uint32_t y = jsni_rng_below(rng, recipe->height);
        const uint32_t x = jsni_rng_below(rng, recipe->width);
        jsni_cutout_range(y, recipe->cutout, recipe->height, &plan.cut_y0,
                          &plan.cut_y1);
        jsni_cutout_range(x, recipe->cutout, recipe->width, &plan.cut_x0, &plan.cut_x1);
    }
    return plan;
}

#endif /* JSNI_AUGMENT_DRAW_H */
