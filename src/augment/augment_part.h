/* augment/augment_part.h - views of large images from the part that they use. */
#ifndef JSNI_AUGMENT_PART_H
#define JSNI_AUGMENT_PART_H

#include "core/image_part.h"
#include "jensen/augment.h"

/* What the views key->view, key->view + 1, ... (`views` of them) will use of an image of
 * width x height pixels: the smallest rectangle that holds every part that a first stage
 * resizedcrop, resize or fit takes; all of the image for other pipelines. `density` > 0
 * also allows a coarse image: want->divisor is then the largest of 1, 2, 4, 8 that leaves
 * every view at least `density` pixels a side for each pixel that it is resized to; 1
 * never invents detail, 0 always gives divisor 1.
 *   JSN_ERR_ARGUMENT */
JSN_MUST_CHECK jsn_status jsni_augment_want(const jsn_augment *pipeline, size_t width,
                                            size_t height, const jsn_augment_key *key,
                                            uint32_t views, double density,
                                            jsni_image_want *want);

/* jsn_augment_apply() on what jsni_augment_want() asked for. The random choices are those
 * for the whole image; with divisor 1 so is every value of the result. `in` may hold more
 * than was asked for.
 *   JSN_ERR_ARGUMENT  also: a part that does not hold what the view uses */
JSN_MUST_CHECK jsn_status jsni_augment_apply_part(const jsn_augment *pipeline,
                                                  jsn_augment_scratch *scratch,
                                                  const jsni_image_part *in,
                                                  const jsn_augment_key *key,
                                                  float *out);

#endif /* JSNI_AUGMENT_PART_H */
