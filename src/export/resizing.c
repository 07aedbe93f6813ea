/* export/resizing.c - see export/resizing.h. */
#include "export/resizing.h"

#include <math.h>
#include <string.h>

#include "augment/pipeline.h"
#include "core/fail.h"

static jsn_status read_stages(jsni_resizing *out, const jsn_augment *pipeline,
                              double kept)
{
    enum { SIZE, FILTER, NEAREST }; /* parameters of resize */
    const jsni_stage *stage = pipeline->stage;
    if (pipeline->count == 1 && stage->def == &jsni_augment_fit) {
        *out = (jsni_resizing){.fit = true, .filter = (jsn_filter)stage->param[0]};
        return JSN_OK;
    }
    const bool pair = pipeline->count == 2 && stage->def == &jsni_augment_resize &&
                      stage[1].def == &jsni_augment_centercrop;
    const double size = stage->param[SIZE] > 0.0 ? floor(stage->param[SIZE])
                                                 : nearbyint(kept * 8.0 / 7.0);
    if (!pair || size < kept)
        return jsni_fail(JSN_ERR_UNSUPPORTED,
                         "the transform '%s' cannot be exported; 'fit' and "
                         "'resize+centercrop' can, and a model without (--raw)",
                         pipeline->text);
    *out = (jsni_resizing){.length = (size_t)size,
                           .nearest = stage->param[NEAREST] > 0.0,
                           .filter = (jsn_filter)stage->param[FILTER]};
    return JSN_OK;
}

jsn_status jsni_resizing_of(jsni_resizing *out, const jsni_model_card *card)
{
    const bool none = strcmp(card->evaluation, "none") == 0;
    jsn_augment *pipeline = NULL;
    JSNI_TRY(jsn_augment_create(&pipeline, none ? "fit" : card->evaluation,
                                card->image_size, card->image_size, card->mean,
                                card->deviation));
    const jsn_status status = read_stages(out, pipeline, (double)card->image_size);
    jsn_augment_destroy(pipeline);
    return status;
}
