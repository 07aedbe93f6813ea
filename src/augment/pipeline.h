/* augment/pipeline.h - the pipeline struct and its parser, shared by augment.c and
 * pipeline.c. */
#ifndef JSNI_AUGMENT_PIPELINE_H
#define JSNI_AUGMENT_PIPELINE_H

#include "augment/augment_impl.h"

struct jsn_augment {
    size_t height, width; /* of the output */
    jsni_stage stage[JSNI_AUGMENT_MAX_STAGES];
    size_t count;
    char *text; /* owned: the stages, presets expanded; "" when there are none */
    jsni_recipe recipe; /* .normal always; the rest when has_recipe */
    bool has_recipe;
};

/* Fills stage, count, text, recipe and has_recipe. What it has filled when it fails is
 * freed by jsn_augment_destroy(). */
JSN_MUST_CHECK jsn_status jsni_pipeline_parse(jsn_augment *pipeline, const char *spec);

/* jsn_augment_apply() without the fused path: the definition that tests hold it to. */
JSN_MUST_CHECK jsn_status jsni_augment_staged(const jsn_augment *pipeline,
                                              jsn_augment_scratch *scratch,
                                              const jsn_image *in,
                                              const jsn_augment_key *key, float *out);

#endif /* JSNI_AUGMENT_PIPELINE_H */
