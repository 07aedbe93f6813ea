/* backend/model_features.h - the body of a network as a frozen extractor of features.
 *
 *     jsn_model *body = NULL;
 *     JSNI_TRY(jsni_model_body(&body, model, "cpu", 32, 0));
 *     const size_t count = jsni_model_outputs(body);          // 1280 of EfficientNet-Lite0
 *     JSNI_TRY(jsn_model_evaluate(body, images, samples, features)); // [samples][count]
 *     jsn_model_destroy(body);
 */
#ifndef JSNI_BACKEND_MODEL_FEATURES_H
#define JSNI_BACKEND_MODEL_FEATURES_H

#include "backend/model.h"

/* A model for evaluation alone with the nodes of `model` ahead of its head and copies of
 * its weights and statistics (of the selected member): its output is what the head would
 * read, the global pool's for all networks of photographs. Nothing is kept for a backward
 * pass. Images have the size that `model` was made for, at most `batch` go through at a
 * time; `threads` as in jsni_plan_options. On success *out is owned by the caller.
 *   JSN_ERR_UNSUPPORTED  the whole network is head
 *   JSN_ERR_MEMORY, JSN_ERR_DEVICE */
JSN_MUST_CHECK jsn_status jsni_model_body(jsn_model **out, jsn_model *model,
                                          const char *device, size_t batch,
                                          size_t threads);

/* Values that the model gives for one image. */
size_t jsni_model_outputs(const jsn_model *model);

#endif /* JSNI_BACKEND_MODEL_FEATURES_H */
