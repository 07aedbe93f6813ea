/* jensen/augment.h - augmentation pipelines: from an 8-bit image of a data set to the
 * normalised float tensor that a network reads.
 *
 *     jsn_augment *pipeline;
 *     jsn_augment_scratch *scratch;                      // one a thread
 *     jsn_augment_create(&pipeline, "strong", 32, 32, mean, std);
 *     jsn_augment_scratch_create(&scratch);
 *     const jsn_augment_key key = {seed, epoch, sample, view, 0};
 *     jsn_augment_apply(pipeline, scratch, &image, &key, tensor);
 *
 * A spec is the name of a pipeline ("strong", "weak", "jitter", "none", ...) or stages
 * joined by '+': "randaugment:n=1,m=3+crop:pad=4+flip+cutout:size=16". Names of
 * pipelines may stand in such a list, too: "fit+strong". Random choices come from a
 * stream that the key names, drawn stage by stage in the order of the list, so a
 * result depends on spec, image and key alone.
 */
#ifndef JENSEN_AUGMENT_H
#define JENSEN_AUGMENT_H

#include <stddef.h>
#include <stdint.h>

#include "jensen/image.h"
#include "jensen/param.h"
#include "jensen/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jsn_augment jsn_augment;
typedef struct jsn_augment_scratch jsn_augment_scratch;

/* Names the random choices of one view of one sample in one epoch. */
typedef struct jsn_augment_key {
    uint64_t seed;
    uint32_t epoch;
    uint32_t sample;  /* index in the data set, not in the batch */
    uint32_t view;    /* below 65536 */
    uint32_t purpose; /* 0: training; 1: the augmented copy of the consistency metric */
} jsn_augment_key;

/* Squares that Cutout blanks: rows [y0, y1), columns [x0, x1) of the output. */
typedef struct jsn_augment_box {
    uint32_t y0, y1, x0, x1;
} jsn_augment_box;

/* A pipeline whose results have `height` x `width` pixels. `mean` and `std` are those
 * of pixels scaled to [0, 1], in the order R G B; the result of a pixel byte x is
 * (x / 255 - mean) / std, every step rounded to float.
 *   JSN_ERR_UNKNOWN_NAME  no such pipeline, stage or parameter
 *   JSN_ERR_ARGUMENT      a NULL, a std that is not positive, a malformed spec
 *   JSN_ERR_RANGE         a parameter or a size out of bounds
 *   JSN_ERR_MEMORY
 * A pipeline is immutable: any number of threads may use one. */
JSN_API JSN_MUST_CHECK jsn_status jsn_augment_create(jsn_augment **out,
                                                     const char *spec, size_t height,
                                                     size_t width, const float mean[3],
                                                     const float std[3]);
JSN_API void jsn_augment_destroy(jsn_augment *pipeline); /* accepts NULL */

/* The stages, pipeline names expanded, e.g. "crop:pad=4+flip" for "weak". Owned by the
 * pipeline. */
JSN_API const char *jsn_augment_text(const jsn_augment *pipeline);

/* Working memory of one thread, for any pipeline. It grows when an image or an output
 * is larger than all before, and never shrinks. */
JSN_API JSN_MUST_CHECK jsn_status jsn_augment_scratch_create(jsn_augment_scratch **out);
JSN_API void jsn_augment_scratch_destroy(jsn_augment_scratch *scratch); /* NULL: fine */

/* Augments and normalises: out is [3][height][width], planes R, G, B.
 *   JSN_ERR_DATA    the image does not fit the pipeline (a 20x20 image, a crop of 32)
 *   JSN_ERR_ARGUMENT, JSN_ERR_MEMORY
 * Thread-safe when each thread has its own scratch and out. */
JSN_API JSN_MUST_CHECK jsn_status jsn_augment_apply(const jsn_augment *pipeline,
                                                    jsn_augment_scratch *scratch,
                                                    const jsn_image *in,
                                                    const jsn_augment_key *key,
                                                    float *out);

/* The same choices, stopped before the normalisation: out is [height][width][3]. Cutout
 * acts after the normalisation, so it does not show in `out`; its squares are written to
 * boxes[0 .. *box_count), at most `box_room` of them. boxes may be NULL. */
JSN_API JSN_MUST_CHECK jsn_status
jsn_augment_bytes(const jsn_augment *pipeline, jsn_augment_scratch *scratch,
                  const jsn_image *in, const jsn_augment_key *key, uint8_t *out,
                  jsn_augment_box *boxes, size_t box_room, size_t *box_count);

/* The spec of the transform that evaluates what `spec` trains: "none" for pipelines
 * that keep the size, "resize+centercrop" and the like for the others. *out is owned by
 * the caller (jsn_text_release of jensen/option.h).
 *   JSN_ERR_UNKNOWN_NAME, JSN_ERR_ARGUMENT, JSN_ERR_RANGE as for create
 *   JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_augment_evaluation(const char *spec, char **out);

/* One operation with its exact value on an image of any size: the names of RandAugment
 * (Rotate, ShearX, CutoutAbs, ...), ColorJitter (brightness, contrast, saturation, hue),
 * Flip, and the conversions that they are made of: Gray (in all three channels), HSV (its
 * bytes in place of red, green and blue), HSV_and_back, Smooth; case ignored.
 * `value` carries the sign; operations without a value ignore it. `x`, `y` are the
 * drawn centre of CutoutAbs, ignored by all others. *out is created and owned by the
 * caller (jsn_image_release); `in` is untouched.
 *   JSN_ERR_UNKNOWN_NAME  the sentence lists the names
 *   JSN_ERR_RANGE         a value that is not finite or beyond +-1e6
 *   JSN_ERR_ARGUMENT, JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_augment_operation(const jsn_image *in,
                                                        const char *name, double value,
                                                        double x, double y,
                                                        jsn_image *out);

typedef enum jsn_filter { JSN_FILTER_BILINEAR, JSN_FILTER_BICUBIC } jsn_filter;

/* Resizes as Pillow does (antialiased; rounded to bytes between the passes). `box` is
 * the part of `in` that fills `out`, whose size was set by jsn_image_create(); NULL:
 * all of it.
 *   JSN_ERR_ARGUMENT, JSN_ERR_RANGE (an empty or outlying box), JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_image_resize(const jsn_image *in,
                                                   const jsn_augment_box *box,
                                                   jsn_filter filter, jsn_image *out);

/* What exists, for help texts: stages and named pipelines, then NULL. Pipelines have no
 * parameters, and `stages` says what they stand for. */
typedef struct jsn_augment_info {
    const char *name;
    const char *help;
    const jsn_param_info *params;
    size_t param_count;
    const char *stages; /* NULL for a stage */
} jsn_augment_info;

/* The record at `index`, stages first; NULL beyond the last. */
JSN_API const jsn_augment_info *jsn_augment_describe(size_t index);

/* The operations of jsn_augment_operation(): name and the range that RandAugment's
 * magnitude 0..30 covers (equal ends: not one of its operations, or without a value);
 * NULL beyond the last. */
typedef struct jsn_operation_info {
    const char *name;
    double low, high;
    int randaugment; /* 1: one of the 16 that RandAugment draws from */
    int is_signed;   /* 1: RandAugment negates the value half of the time */
} jsn_operation_info;

/* The record at `index`, those of RandAugment first; NULL beyond the last. */
JSN_API const jsn_operation_info *jsn_operation_describe(size_t index);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_AUGMENT_H */
