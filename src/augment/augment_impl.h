/* augment/augment_impl.h - what a stage of a pipeline implements, and what backends may
 * read of a pipeline.
 *
 * A stage is one file, augment_<name>.c, and one row in augment_list.h. It draws from
 * the sample's stream, reads the current image of the work and hands on a new one. */
#ifndef JSNI_AUGMENT_IMPL_H
#define JSNI_AUGMENT_IMPL_H

#include <stdbool.h>

#include "augment/augment_list.h"
#include "augment/draw.h"
#include "augment/image_resize.h"
#include "augment/pixel_op.h"
#include "core/spec.h"
#include "jensen/augment.h"

enum { JSNI_STAGE_MAX_PARAMS = 4, JSNI_AUGMENT_MAX_STAGES = 16, JSNI_MAX_BOXES = 8 };

struct jsn_augment_scratch {
    jsni_buffer image[2]; /* the current image is in one, the next goes to the other */
    jsni_resize_room resize;
};

/* The image on its way through the stages. */
typedef struct jsni_work {
    const uint8_t *data; /* [height][width][3]: the input, or one of scratch->image */
    size_t width, height;
    /* Before the first stage: what of the whole image `data` is, as jsni_image_part. */
    size_t whole_width, whole_height;
    ptrdiff_t left, top;
    unsigned divisor;
    size_t out_width, out_height;        /* of the pipeline */
    jsn_augment_scratch *scratch;        /* borrowed */
    jsn_augment_box box[JSNI_MAX_BOXES]; /* Cutout's squares so far */
    size_t boxes;
} jsni_work;

/* Room for the next image; it becomes the current one by jsni_work_take(). */
JSN_MUST_CHECK jsn_status jsni_work_room(jsni_work *work, size_t width, size_t height,
                                         uint8_t **out);
void jsni_work_take(jsni_work *work, const uint8_t *data, size_t width, size_t height);

/* The current image becomes what the operation makes of it. */
JSN_MUST_CHECK jsn_status jsni_work_apply(jsni_work *work, const jsni_pixel_op *op);

typedef struct jsni_stage_def jsni_stage_def;

/* A rectangle of the image, and the size that it is resized to. */
typedef struct jsni_stage_part {
    size_t left, top, width, height;
    size_t to_width, to_height;
    jsn_filter filter;
} jsni_stage_part;

typedef struct jsni_stage {
    const jsni_stage_def *def;
    double
        param[JSNI_STAGE_MAX_PARAMS]; /* REAL: the value; TEXT: its choice's number */
    jsni_pixel_op (*op)[2];           /* randaugment: [JSNI_PIXEL_DRAWN][2], owned */
} jsni_stage;

struct jsni_stage_def {
    jsn_augment_info info;
    const char *choices; /* "bilinear|bicubic": of the TEXT parameter, or NULL */
    /* What evaluation does instead: NULL: nothing; "=": the stage itself; else a spec. */
    const char *evaluation;
    /* Once, after the parameters are known; may be NULL. width and height are those of
     * the pipeline's output. */
    jsn_status (*prepare)(jsni_stage *stage, size_t width, size_t height);
    jsn_status (*run)(const jsni_stage *stage, jsni_work *work, jsni_rng *rng);
    /* Of a stage that resizes a part of the image and does nothing else (`run` is then
     * jsni_part_run): which part of one of width x height; the output has out_width x
     * out_height. NULL for all others. */
    jsni_stage_part (*part)(const jsni_stage *stage, size_t width, size_t height,
                            size_t out_width, size_t out_height, jsni_rng *rng);
    /* Of a stage that takes a rectangle of the output's size out of an image of
     * width x height and does nothing else: where it begins. A stage that resizes, just
     * before it, then makes no more than that. NULL for all others. */
    jsn_status (*cut)(const jsni_work *work, size_t width, size_t height, size_t *left,
                      size_t *top);
};

/* Resizes what stage->def->part() says. */
jsn_status jsni_part_run(const jsni_stage *stage, jsni_work *work, jsni_rng *rng);
/* The same, and then the stage behind it, which has `cut`. */
JSN_MUST_CHECK jsn_status jsni_part_run_cut(const jsni_stage *stage,
                                            const jsni_stage *behind, jsni_work *work,
                                            jsni_rng *rng);

#define JSNI_DECLARE_STAGE(id) extern const jsni_stage_def jsni_augment_##id;
JSNI_AUGMENT_LIST(JSNI_DECLARE_STAGE)
#undef JSNI_DECLARE_STAGE

/* The named pipelines; `stages` is "" for one without any. */
size_t jsni_preset_count(void);
const jsn_augment_info *jsni_preset_at(size_t index); /* NULL beyond the last */

/* The random choices of a pipeline that is made of at most one each of randaugment,
 * crop, flip and cutout, in this order; NULL for every other pipeline. It holds for
 * input images of the output's size. Owned by the pipeline. */
const jsni_recipe *jsni_augment_recipe(const jsn_augment *pipeline);

/* The random stream of a key. */
jsni_rng jsni_augment_stream(const jsn_augment_key *key);

/* Runs a plan on an image of the recipe's size; out is [3][height][width]. */
JSN_MUST_CHECK jsn_status jsni_view_run(const jsni_recipe *recipe,
                                        const jsni_view_plan *plan, const uint8_t *in,
                                        jsn_augment_scratch *scratch, float *out);

#endif /* JSNI_AUGMENT_IMPL_H */
