/* export/onnx_runtime.h - a model in ONNX Runtime, whose library core/machine.h finds. */
#ifndef JSNI_EXPORT_ONNX_RUNTIME_H
#define JSNI_EXPORT_ONNX_RUNTIME_H

#include <stdbool.h>

#include "jensen/image.h"
#include "jensen/status.h"

typedef struct jsni_onnx_runtime jsni_onnx_runtime;

/* Loads a model that jsni_export_onnx wrote.
 *   JSN_ERR_UNSUPPORTED  there is no such library; the sentence says what is missing
 *   JSN_ERR_DATA         it does not take the model
 *   JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_onnx_runtime_open(jsni_onnx_runtime **out,
                                                 const char *model);
void jsni_onnx_runtime_close(jsni_onnx_runtime *runtime); /* accepts NULL */

/* "1.31.1"; valid until close. */
const char *jsni_onnx_runtime_version(const jsni_onnx_runtime *runtime);

/* Whether the model takes a normalised batch and gives logits alone. */
bool jsni_onnx_runtime_raw(const jsni_onnx_runtime *runtime);

/* Probabilities [classes] of one image, or for a raw model logits of one [3][size][size].
 * JSN_ERR_DATA: it failed. */
JSN_MUST_CHECK jsn_status jsni_onnx_runtime_run(jsni_onnx_runtime *runtime,
                                                const jsn_image *image,
                                                float *probabilities, size_t classes);
JSN_MUST_CHECK jsn_status jsni_onnx_runtime_run_raw(jsni_onnx_runtime *runtime,
                                                    float *batch, size_t size,
                                                    float *logits, size_t classes);

#endif /* JSNI_EXPORT_ONNX_RUNTIME_H */
