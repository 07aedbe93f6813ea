/* export/onnx.h - a graph of ONNX under construction: values have names, nodes read some
 * and make one.
 *
 *     const char *const in[] = {"x", "conv1.weight"};
 *     jsni_onnx_floats(o, "conv1.weight", weights, 4, dim);
 *     jsni_onnx_begin(o, "Conv", "conv1", in, 2);
 *     jsni_onnx_ints(o, "strides", (const int64_t[]){1, 1}, 2);
 *     jsni_onnx_end(o);                       // makes the value "conv1"
 *
 * The first failure sticks, as in format/proto.h; jsni_onnx_write() returns it. */
#ifndef JSNI_EXPORT_ONNX_H
#define JSNI_EXPORT_ONNX_H

#include <stddef.h>
#include <stdint.h>

#include "augment/augment_impl.h"
#include "format/proto.h"
#include "nn/graph.h"
#include "store/record_card.h"

/* Opset 17 of 2022 has all that is needed, and every ONNX Runtime since 1.12 takes it. */
enum { JSNI_ONNX_OPSET = 17, JSNI_ONNX_IR = 8 };

typedef enum jsni_onnx_type {
    JSNI_ONNX_FLOAT = 1,
    JSNI_ONNX_UINT8 = 2,
    JSNI_ONNX_INT64 = 7,
    JSNI_ONNX_DOUBLE = 11
} jsni_onnx_type;

typedef struct jsni_onnx {
    jsni_proto graph;    /* fields of GraphProto, in any order */
    jsni_proto metadata; /* fields of ModelProto */
    jsni_proto node;     /* between begin and end */
} jsni_onnx;             /* zero-initialise */

/* A node of kind `op` that makes the value `name`, which is its name as well. */
void jsni_onnx_begin(jsni_onnx *o, const char *op, const char *name,
                     const char *const *inputs, size_t count);
void jsni_onnx_int(jsni_onnx *o, const char *name, int64_t value);
void jsni_onnx_real(jsni_onnx *o, const char *name, float value);
void jsni_onnx_ints(jsni_onnx *o, const char *name, const int64_t *values,
                    size_t count);
void jsni_onnx_end(jsni_onnx *o);

/* A node without attributes, of one or two inputs (the second may be NULL). */
void jsni_onnx_op(jsni_onnx *o, const char *op, const char *name, const char *one,
                  const char *other);

/* Constants. rank 0: a scalar. */
void jsni_onnx_floats(jsni_onnx *o, const char *name, const float *values, size_t rank,
                      const size_t *dim);
void jsni_onnx_scalar_int(jsni_onnx *o, const char *name, int64_t value);
void jsni_onnx_vector_int(jsni_onnx *o, const char *name, int64_t value); /* [1] */
void jsni_onnx_scalar_real(jsni_onnx *o, const char *name, double value);

/* What goes in and out. A dimension of 0 is free and has the name in `free`. */
typedef struct jsni_onnx_dim {
    size_t value;
    const char *free;
} jsni_onnx_dim;

void jsni_onnx_input(jsni_onnx *o, const char *name, jsni_onnx_type type,
                     const jsni_onnx_dim *dim, size_t rank);
void jsni_onnx_output(jsni_onnx *o, const char *name, jsni_onnx_type type,
                      const jsni_onnx_dim *dim, size_t rank);
void jsni_onnx_note(jsni_onnx *o, const char *key, const char *value); /* metadata */

/* Writes the model and releases everything. JSN_ERR_RANGE: more than 2 GiB. */
JSN_MUST_CHECK jsn_status jsni_onnx_write(jsni_onnx *o, const char *name,
                                          const char *path);
void jsni_onnx_release(jsni_onnx *o); /* and zeroes it */

/* From JSNI_ONNX_IMAGE, uint8 [N][H][W][3], to JSNI_ONNX_BATCH, the normalised batch: what the evaluation's transform does, to the bit.
 *   JSN_ERR_UNSUPPORTED  a stage that is not one of fit, resize, centercrop */
#define JSNI_ONNX_IMAGE "image"
#define JSNI_ONNX_BATCH "input"
JSN_MUST_CHECK jsn_status jsni_onnx_transform(jsni_onnx *o,
                                              const jsni_model_card *card);

/* A network in evaluation, from the batch to logits. Every name begins with `prefix`; the
 * name of the logits is written to `logits`. `params` and `stats` are its blocks. */
JSN_MUST_CHECK jsn_status jsni_onnx_network(jsni_onnx *o, const jsni_graph *graph,
                                            const float *params, const float *stats,
                                            const char *prefix, jsni_name *logits);

#endif /* JSNI_EXPORT_ONNX_H */
