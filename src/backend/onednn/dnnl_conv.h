/* backend/onednn/dnnl_conv.h - one convolution on oneDNN: primitives for one thread and
 * for a fixed number of images, so that their results depend on the images alone.
 *
 * Each direction has two primitives, for `chunk` images and for a single one; any number
 * of images is some chunks and some single images. They are shared by all workers, which
 * have memory objects and scratch of their own. */
#ifndef JSNI_BACKEND_ONEDNN_DNNL_CONV_H
#define JSNI_BACKEND_ONEDNN_DNNL_CONV_H

#include "backend/onednn/dnnl_api.h"
#include "nn/op.h"

typedef struct jsni_dnnl_shape {
    size_t ins, outs;
    jsni_shape in, out; /* with their channels */
    jsni_window window;
    size_t lanes;
    bool plain_input; /* source is [n][c][h][w] instead of blocks of lanes */
    bool bias;
} jsni_dnnl_shape;

/* A primitive and, for each worker, its arguments. */
typedef struct jsni_dnnl_prim {
    dnnl_primitive_t primitive;
    size_t scratch; /* bytes */
    int arg_a, arg_w, arg_b;
    struct jsni_dnnl_memories {
        dnnl_memory_t a, w, b, bias, scratch;
    } * worker; /* [workers]; owned */
    size_t workers;
} jsni_dnnl_prim;

enum { JSNI_DNNL_NAME = 48 };

typedef struct jsni_dnnl_way {
    bool made;
    jsni_dnnl_prim prim[2]; /* chunk images, one image */
    jsni_md weights;        /* layout of the weights or their gradient */
    char name[JSNI_DNNL_NAME];
} jsni_dnnl_way;

typedef struct jsni_dnnl_conv {
    jsni_dnnl_shape shape;
    size_t chunk;
    jsni_dnnl_way way[3];  /* by jsni_conv_way */
    jsni_md plain;         /* of the weights: [out][in][kh][kw] */
    bool blocked_gradient; /* [out blocks][in blocks][kh][kw][lanes in][lanes out] */
    dnnl_primitive_t to_forward, to_data, from_gradient; /* reorders of weights */
    dnnl_memory_t reorder_from[3], reorder_to[3];        /* in that order */
} jsni_dnnl_conv;

/* `data` and `weights` say which backward directions are wanted. On failure *conv is
 * empty. Call with jsni_dnnl_threads(1) in force.
 *   JSN_ERR_UNSUPPORTED, JSN_ERR_MEMORY, JSN_ERR_DEVICE */
JSN_MUST_CHECK jsn_status jsni_dnnl_conv_create(jsni_dnnl_conv *conv,
                                                const jsni_dnnl_shape *shape,
                                                size_t chunk, bool data, bool weights,
                                                size_t workers, dnnl_engine_t engine);
void jsni_dnnl_conv_destroy(jsni_dnnl_conv *conv);

/* Bytes: of the largest scratch, of weights as a direction reads or writes them. */
size_t jsni_dnnl_conv_scratch(const jsni_dnnl_conv *conv);
size_t jsni_dnnl_conv_weights(const jsni_dnnl_conv *conv, jsni_conv_way way);

typedef struct jsni_dnnl_run {
    size_t worker;
    dnnl_stream_t stream;
    void *scratch;
} jsni_dnnl_run;

/* (source, weights, bias or NULL, result), (gradient of source, weights, NULL, gradient of
 * result) or (source, gradient of weights, NULL, gradient of result) for the primitive
 * `single` (one image) or not (chunk images). */
dnnl_status_t jsni_dnnl_conv_run(const jsni_dnnl_conv *conv, jsni_conv_way way,
                                 bool single, const jsni_dnnl_run *run, const float *a,
                                 const float *w, const float *bias, const float *b);

/* Weights [out][in][kh][kw] to what a direction reads; their gradient back. One caller
 * at a time for each conv and way. */
dnnl_status_t jsni_dnnl_conv_reorder(const jsni_dnnl_conv *conv, jsni_conv_way way,
                                     dnnl_stream_t stream, const float *from,
                                     float *to);

#endif /* JSNI_BACKEND_ONEDNN_DNNL_CONV_H */
