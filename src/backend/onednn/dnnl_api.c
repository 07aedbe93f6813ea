/* backend/onednn/dnnl_api.c - see dnnl_api.h. */
#include "backend/onednn/dnnl_api.h"

#include <stdio.h>
#include <string.h>

#include "backend/onednn/dnnl_check.h"

/* Of the OpenMP runtime that oneDNN is linked with. Declared here, since <omp.h> belongs
 * to the compiler and may be another runtime's or missing. */
extern int omp_get_max_threads(void);
extern void omp_set_num_threads(int threads);

#if DNNL_VERSION_MAJOR >= 3

jsn_status jsni_md_create(jsni_md *out, int dims, const dnnl_dims_t dim,
                          dnnl_format_tag_t tag)
{
    *out = (jsni_md){0};
    DNNL_TRY(memory_desc_create_with_tag, &out->desc, dims, dim, dnnl_f32, tag);
    out->set = true;
    return JSN_OK;
}

jsn_status jsni_md_query(jsni_md *out, const_dnnl_primitive_desc_t from,
                         dnnl_query_t what)
{
    *out = (jsni_md){0};
    DNNL_TRY(memory_desc_clone, &out->desc,
             jsni_dnnl.primitive_desc_query_md(from, what, 0));
    out->set = true;
    return JSN_OK;
}

jsn_status jsni_md_argument(jsni_md *out, const_dnnl_primitive_desc_t from, int arg)
{
    *out = (jsni_md){0};
    DNNL_TRY(memory_desc_clone, &out->desc,
             jsni_dnnl.primitive_desc_query_md(from, dnnl_query_exec_arg_md, arg));
    out->set = true;
    return JSN_OK;
}

void jsni_md_destroy(jsni_md *md)
{
    if (md->set)
        jsni_dnnl.memory_desc_destroy(md->desc);
    *md = (jsni_md){0};
}

size_t jsni_md_bytes(const jsni_md *md)
{
    return md->set ? jsni_dnnl.memory_desc_get_size(md->desc) : 0;
}

bool jsni_md_equal(const jsni_md *a, const jsni_md *b)
{
    return jsni_dnnl.memory_desc_equal(a->desc, b->desc) != 0;
}

jsn_status jsni_dnnl_memory(dnnl_memory_t *out, const jsni_md *md, dnnl_engine_t engine)
{
    DNNL_TRY(memory_create, out, md->desc, engine, DNNL_MEMORY_NONE);
    return JSN_OK;
}

jsn_status jsni_dnnl_conv_desc(dnnl_primitive_desc_t *out, const jsni_conv_args *a,
                               const_dnnl_primitive_attr_t attr, dnnl_engine_t engine)
{
    const dnnl_dims_t dense = {0};
    const dnnl_alg_kind_t algorithm =
        a->any_algorithm ? dnnl_convolution_auto : dnnl_convolution_direct;
    dnnl_status_t status = dnnl_success;
    if (a->way == JSNI_CONV_FORWARD)
        status = jsni_dnnl.convolution_forward_primitive_desc_create(
            out, engine, dnnl_forward_training, algorithm, a->source->desc,
            a->weights->desc, a->bias != NULL ? a->bias->desc : NULL, a->result->desc,
            a->strides, dense, a->pad_low, a->pad_high, attr);
    else if (a->way == JSNI_CONV_DATA)
        status = jsni_dnnl.convolution_backward_data_primitive_desc_create(
            out, engine, algorithm, a->source->desc, a->weights->desc, a->result->desc,
            a->strides, dense, a->pad_low, a->pad_high, a->hint, attr);
    else
        status = jsni_dnnl.convolution_backward_weights_primitive_desc_create(
            out, engine, algorithm, a->source->desc, a->weights->desc, NULL,
            a->result->desc, a->strides, dense, a->pad_low, a->pad_high, a->hint, attr);
    return jsni_dnnl_status(status, "convolution");
}

static dnnl_status_t linear_desc(dnnl_primitive_desc_t *out, const jsni_prim_args *a,
                                 dnnl_engine_t engine)
{
    const_dnnl_memory_desc_t bias = a->bias != NULL ? a->bias->desc : NULL;
    if (a->way == JSNI_CONV_FORWARD)
        return jsni_dnnl.inner_product_forward_primitive_desc_create(
            out, engine, dnnl_forward_training, a->source->desc, a->weights->desc, bias,
            a->result->desc, NULL);
    if (a->way == JSNI_CONV_DATA)
        return jsni_dnnl.inner_product_backward_data_primitive_desc_create(
            out, engine, a->source->desc, a->weights->desc, a->result->desc, a->hint,
            NULL);
    return jsni_dnnl.inner_product_backward_weights_primitive_desc_create(
        out, engine, a->source->desc, a->weights->desc, bias, a->result->desc, a->hint,
        NULL);
}

static dnnl_status_t pool_desc(dnnl_primitive_desc_t *out, const jsni_prim_args *a,
                               dnnl_engine_t engine)
{
    const dnnl_dims_t dense = {0};
    const dnnl_alg_kind_t algorithm = a->kind == JSNI_PRIM_MAX_POOL
                                          ? dnnl_pooling_max
                                          : dnnl_pooling_avg_include_padding;
    if (a->way == JSNI_CONV_FORWARD)
        return jsni_dnnl.pooling_forward_primitive_desc_create(
            out, engine, dnnl_forward_training, algorithm, a->source->desc,
            a->result->desc, a->strides, a->kernel, dense, a->pad_low, a->pad_high,
            NULL);
    return jsni_dnnl.pooling_backward_primitive_desc_create(
        out, engine, algorithm, a->source->desc, a->result->desc, a->strides, a->kernel,
        dense, a->pad_low, a->pad_high, a->hint, NULL);
}

static dnnl_status_t pass_desc(dnnl_primitive_desc_t *out, const jsni_prim_args *a,
                               dnnl_engine_t engine)
{
    const unsigned flags =
        dnnl_use_scale | dnnl_use_shift | (a->relu ? dnnl_fuse_norm_relu : 0u);
    const_dnnl_memory_desc_t x = a->source->desc;
    if (a->kind == JSNI_PRIM_ADD)
        return jsni_dnnl.binary_primitive_desc_create(out, engine, dnnl_binary_add, x,
                                                      x, x, NULL);
    if (a->kind == JSNI_PRIM_RELU && a->way == JSNI_CONV_FORWARD)
        return jsni_dnnl.eltwise_forward_primitive_desc_create(
            out, engine, dnnl_forward_training, dnnl_eltwise_relu, x, x, 0.0f, 0.0f,
            NULL);
    if (a->kind == JSNI_PRIM_RELU)
        return jsni_dnnl.eltwise_backward_primitive_desc_create(
            out, engine, dnnl_eltwise_relu, x, x, x, 0.0f, 0.0f, a->hint, NULL);
    if (a->way == JSNI_CONV_FORWARD)
        return jsni_dnnl.batch_normalization_forward_primitive_desc_create(
            out, engine, dnnl_forward_training, x, x, 1e-5f, flags, NULL);
    return jsni_dnnl.batch_normalization_backward_primitive_desc_create(
        out, engine, dnnl_backward, x, x, x, 1e-5f, flags, a->hint, NULL);
}

jsn_status jsni_dnnl_prim_desc(dnnl_primitive_desc_t *out, const jsni_prim_args *a,
                               dnnl_engine_t engine)
{
    dnnl_status_t status = dnnl_success;
    if (a->kind == JSNI_PRIM_LINEAR)
        status = linear_desc(out, a, engine);
    else if (a->kind == JSNI_PRIM_MAX_POOL || a->kind == JSNI_PRIM_AVG_POOL)
        status = pool_desc(out, a, engine);
    else
        status = pass_desc(out, a, engine);
    return jsni_dnnl_status(status, "primitive");
}

jsn_status jsni_dnnl_reorder_desc(dnnl_primitive_desc_t *out, const jsni_md *from,
                                  const jsni_md *to, const_dnnl_primitive_attr_t attr,
                                  dnnl_engine_t engine)
{
    DNNL_TRY(reorder_primitive_desc_create, out, from->desc, engine, to->desc, engine,
             attr);
    return JSN_OK;
}

#else /* version 2 */

jsn_status jsni_md_create(jsni_md *out, int dims, const dnnl_dims_t dim,
                          dnnl_format_tag_t tag)
{
    *out = (jsni_md){0};
    DNNL_TRY(memory_desc_init_by_tag, &out->desc, dims, dim, dnnl_f32, tag);
    out->set = true;
    return JSN_OK;
}

jsn_status jsni_md_query(jsni_md *out, const_dnnl_primitive_desc_t from,
                         dnnl_query_t what)
{
    *out = (jsni_md){0};
    const dnnl_memory_desc_t *md = jsni_dnnl.primitive_desc_query_md(from, what, 0);
    if (md == NULL)
        return jsni_fail(JSN_ERR_DEVICE, "oneDNN: no descriptor for query %d",
                         (int)what);
    out->desc = *md;
    out->set = true;
    return JSN_OK;
}

jsn_status jsni_md_argument(jsni_md *out, const_dnnl_primitive_desc_t from, int arg)
{
    const dnnl_memory_desc_t *md =
        jsni_dnnl.primitive_desc_query_md(from, dnnl_query_exec_arg_md, arg);
    *out = (jsni_md){0};
    if (md == NULL)
        return JSN_OK;
    out->desc = *md;
    out->set = true;
    return JSN_OK;
}

void jsni_md_destroy(jsni_md *md)
{
    *md = (jsni_md){0};
}

size_t jsni_md_bytes(const jsni_md *md)
{
    return md->set ? jsni_dnnl.memory_desc_get_size(&md->desc) : 0;
}

bool jsni_md_equal(const jsni_md *a, const jsni_md *b)
{
    return jsni_dnnl.memory_desc_equal(&a->desc, &b->desc) != 0;
}

jsn_status jsni_dnnl_memory(dnnl_memory_t *out, const jsni_md *md, dnnl_engine_t engine)
{
    DNNL_TRY(memory_create, out, &md->desc, engine, DNNL_MEMORY_NONE);
    return JSN_OK;
}

jsn_status jsni_dnnl_conv_desc(dnnl_primitive_desc_t *out, const jsni_conv_args *a,
                               const_dnnl_primitive_attr_t attr, dnnl_engine_t engine)
{
    dnnl_convolution_desc_t desc;
    const dnnl_alg_kind_t algorithm =
        a->any_algorithm ? dnnl_convolution_auto : dnnl_convolution_direct;
    if (a->way == JSNI_CONV_FORWARD)
        DNNL_TRY(convolution_forward_desc_init, &desc, dnnl_forward_training, algorithm,
                 &a->source->desc, &a->weights->desc,
                 a->bias != NULL ? &a->bias->desc : NULL, &a->result->desc, a->strides,
                 a->pad_low, a->pad_high);
    else if (a->way == JSNI_CONV_DATA)
        DNNL_TRY(convolution_backward_data_desc_init, &desc, algorithm,
                 &a->source->desc, &a->weights->desc, &a->result->desc, a->strides,
                 a->pad_low, a->pad_high);
    else
        DNNL_TRY(convolution_backward_weights_desc_init, &desc, algorithm,
                 &a->source->desc, &a->weights->desc, NULL, &a->result->desc,
                 a->strides, a->pad_low, a->pad_high);
    DNNL_TRY(primitive_desc_create, out, &desc, attr, engine, a->hint);
    return JSN_OK;
}

static dnnl_status_t linear_desc(dnnl_primitive_desc_t *out, const jsni_prim_args *a,
                                 dnnl_engine_t engine)
{
    dnnl_inner_product_desc_t desc;
    const dnnl_memory_desc_t *bias = a->bias != NULL ? &a->bias->desc : NULL;
    dnnl_status_t status = dnnl_success;
    if (a->way == JSNI_CONV_FORWARD)
        status = jsni_dnnl.inner_product_forward_desc_init(
            &desc, dnnl_forward_training, &a->source->desc, &a->weights->desc, bias,
            &a->result->desc);
    else if (a->way == JSNI_CONV_DATA)
        status = jsni_dnnl.inner_product_backward_data_desc_init(
            &desc, &a->source->desc, &a->weights->desc, &a->result->desc);
    else
        status = jsni_dnnl.inner_product_backward_weights_desc_init(
            &desc, &a->source->desc, &a->weights->desc, bias, &a->result->desc);
    if (status != dnnl_success)
        return status;
    return jsni_dnnl.primitive_desc_create(out, &desc, NULL, engine, a->hint);
}

static dnnl_status_t pool_desc(dnnl_primitive_desc_t *out, const jsni_prim_args *a,
                               dnnl_engine_t engine)
{
    dnnl_pooling_desc_t desc;
    const dnnl_alg_kind_t algorithm = a->kind == JSNI_PRIM_MAX_POOL
                                          ? dnnl_pooling_max
                                          : dnnl_pooling_avg_include_padding;
    const dnnl_status_t status =
        a->way == JSNI_CONV_FORWARD
            ? jsni_dnnl.pooling_forward_desc_init(
                  &desc, dnnl_forward_training, algorithm, &a->source->desc,
                  &a->result->desc, a->strides, a->kernel, a->pad_low, a->pad_high)
            : jsni_dnnl.pooling_backward_desc_init(&desc, algorithm, &a->source->desc,
                                                   &a->result->desc, a->strides,
                                                   a->kernel, a->pad_low, a->pad_high);
    if (status != dnnl_success)
        return status;
    return jsni_dnnl.primitive_desc_create(out, &desc, NULL, engine, a->hint);
}

static dnnl_status_t norm_desc(dnnl_primitive_desc_t *out, const jsni_prim_args *a,
                               dnnl_engine_t engine)
{
    const unsigned flags =
        dnnl_use_scale | dnnl_use_shift | (a->relu ? dnnl_fuse_norm_relu : 0u);
    const dnnl_memory_desc_t *x = &a->source->desc;
    dnnl_batch_normalization_desc_t desc;
    const dnnl_status_t status =
        a->way == JSNI_CONV_FORWARD ? jsni_dnnl.batch_normalization_forward_desc_init(
                                          &desc, dnnl_forward_training, x, 1e-5f, flags)
                                    : jsni_dnnl.batch_normalization_backward_desc_init(
                                          &desc, dnnl_backward, x, x, 1e-5f, flags);
    if (status != dnnl_success)
        return status;
    return jsni_dnnl.primitive_desc_create(out, &desc, NULL, engine, a->hint);
}

static dnnl_status_t relu_desc(dnnl_primitive_desc_t *out, const jsni_prim_args *a,
                               dnnl_engine_t engine)
{
    const dnnl_memory_desc_t *x = &a->source->desc;
    dnnl_eltwise_desc_t desc;
    const dnnl_status_t status =
        a->way == JSNI_CONV_FORWARD
            ? jsni_dnnl.eltwise_forward_desc_init(&desc, dnnl_forward_training,
                                                  dnnl_eltwise_relu, x, 0.0f, 0.0f)
            : jsni_dnnl.eltwise_backward_desc_init(&desc, dnnl_eltwise_relu, x, x, 0.0f,
                                                   0.0f);
    if (status != dnnl_success)
        return status;
    return jsni_dnnl.primitive_desc_create(out, &desc, NULL, engine, a->hint);
}

static dnnl_status_t add_desc(dnnl_primitive_desc_t *out, const jsni_prim_args *a,
                              dnnl_engine_t engine)
{
    const dnnl_memory_desc_t *x = &a->source->desc;
    dnnl_binary_desc_t desc;
    const dnnl_status_t status =
        jsni_dnnl.binary_desc_init(&desc, dnnl_binary_add, x, x, x);
    if (status != dnnl_success)
        return status;
    return jsni_dnnl.primitive_desc_create(out, &desc, NULL, engine, NULL);
}

jsn_status jsni_dnnl_prim_desc(dnnl_primitive_desc_t *out, const jsni_prim_args *a,
                               dnnl_engine_t engine)
{
    dnnl_status_t status = dnnl_success;
    switch (a->kind) {
    case JSNI_PRIM_LINEAR:
        status = linear_desc(out, a, engine);
        break;
    case JSNI_PRIM_MAX_POOL:
    case JSNI_PRIM_AVG_POOL:
        status = pool_desc(out, a, engine);
        break;
    case JSNI_PRIM_NORM:
        status = norm_desc(out, a, engine);
        break;
    case JSNI_PRIM_RELU:
        status = relu_desc(out, a, engine);
        break;
    case JSNI_PRIM_ADD:
        status = add_desc(out, a, engine);
        break;
    }
    return jsni_dnnl_status(status, "primitive");
}

jsn_status jsni_dnnl_reorder_desc(dnnl_primitive_desc_t *out, const jsni_md *from,
                                  const jsni_md *to, const_dnnl_primitive_attr_t attr,
                                  dnnl_engine_t engine)
{
    DNNL_TRY(reorder_primitive_desc_create, out, &from->desc, engine, &to->desc, engine,
             attr);
    return JSN_OK;
}

#endif

void jsni_dnnl_version_text(char *text, size_t size)
{
    const dnnl_version_t *v = jsni_dnnl.version();
    snprintf(text, size, "oneDNN %d.%d.%d", v->major, v->minor, v->patch);
}

/* The values are sets of bits, and each contains those of the smaller ones. */
static bool has_isa(dnnl_cpu_isa_t wanted)
{
    const unsigned all = (unsigned)jsni_dnnl.get_effective_cpu_isa();
    return (all & (unsigned)wanted) == (unsigned)wanted;
}

const char *jsni_dnnl_instructions(void)
{
    if (has_isa(dnnl_cpu_isa_avx512_core))
        return "avx512";
    return has_isa(dnnl_cpu_isa_avx2) ? "avx2" : "plain";
}

int jsni_dnnl_threads(int threads)
{
    const int before = omp_get_max_threads();
    if (threads != before)
        omp_set_num_threads(threads);
    return before;
}
