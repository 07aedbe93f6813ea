/* export/resizing.h - what an evaluation does to an image before it is normalised, in
 * numbers: the formats write it in their own languages. */
#ifndef JSNI_EXPORT_RESIZING_H
#define JSNI_EXPORT_RESIZING_H

#include <stdbool.h>

#include "jensen/augment.h"
#include "store/record_card.h"

typedef struct jsni_resizing {
    /* fit: the largest centred square is resized. Else the shorter side gets `length`
     * pixels, of which the middle is kept. */
    bool fit;
    size_t length;
    bool nearest; /* the longer side is rounded, not cut off */
    jsn_filter filter;
} jsni_resizing;

/* Of the evaluation that the card names; "none", of images of one size, is fit.
 *   JSN_ERR_UNSUPPORTED  other stages than fit, or resize and centercrop */
JSN_MUST_CHECK jsn_status jsni_resizing_of(jsni_resizing *out,
                                           const jsni_model_card *card);

#endif /* JSNI_EXPORT_RESIZING_H */
