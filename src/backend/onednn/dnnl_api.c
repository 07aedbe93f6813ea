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
    DNNL_TRY(dnnl_memory_desc_create_with_tag(&out->desc, dims, dim, dnnl_f32, tag));
    out->set = true;
    return JSN_OK;
}

jsn_status jsni_md_query(jsni_md *out, const_dnnl_primitive_desc_t from,
                         dnnl_query_t what)
{
    *out = (jsni_md){0};
    DNNL_TRY(dnnl_memory_desc_clone(&out->desc,
                                    dnnl_primitive_desc_query_md(from, what, 0)));
    out->set = true;
    return JSN_OK;
}

void jsni_md_destroy(jsni_md *md)
{
    if (md->set)
        dnnl_memory_desc_destroy(md->desc);
    *md = (jsni_md){0};
}

size_t jsni_md_bytes(const jsni_md *md)
{
    return md->set ? dnnl_memory_desc_get_size(md->desc) : 0;
}

bool jsni_md_equal(const jsni_md *a, const jsni_md *b)
{
    return dnnl_memory_desc_equal(a->desc, b->desc) != 0;
}

jsn_status jsni_dnnl_memory(dnnl_memory_t *out, const jsni_md *md, dnnl_engine_t engine)
{
    DNNL_TRY(dnnl_memory_create(out, md->desc, engine, DNNL_MEMORY_NONE));
    return JSN_OK;
}

jsn_status jsni_dnnl_conv_desc(dnnl_primitive_desc_t *out, const jsni_conv_args *a,
                               const_dnnl_primitive_attr_t attr, dnnl_engine_t engine)
{
    const dnnl_dims_t dense = {0};
    const dnnl_alg_kind_t direct = dnnl_convolution_direct;
    dnnl_status_t status = dnnl_success;
    if (a->way == JSNI_CONV_FORWARD)
        status = dnnl_convolution_forward_primitive_desc_create(
            out, engine, dnnl_forward_training, direct, a->source->desc,
            a->weights->desc, a->bias != NULL ? a->bias->desc : NULL, a->result->desc,
            a->strides, dense, a->pad_low, a->pad_high, attr);
    else if (a->way == JSNI_CONV_DATA)
        status = dnnl_convolution_backward_data_primitive_desc_create(
            out, engine, direct, a->source->desc, a->weights->desc, a->result->desc,
            a->strides, dense, a->pad_low, a->pad_high, a->hint, attr);
    else
        status = dnnl_convolution_backward_weights_primitive_desc_create(
            out, engine, direct, a->source->desc, a->weights->desc, NULL,
            a->result->desc, a->strides, dense, a->pad_low, a->pad_high, a->hint, attr);
    return jsni_dnnl_status(status, "convolution");
}

jsn_status jsni_dnnl_reorder_desc(dnnl_primitive_desc_t *out, const jsni_md *from,
                                  const jsni_md *to, const_dnnl_primitive_attr_t attr,
                                  dnnl_engine_t engine)
{
    DNNL_TRY(dnnl_reorder_primitive_desc_create(out, from->desc, engine, to->desc,
                                                engine, attr));
    return JSN_OK;
}

#else /* version 2 */

jsn_status jsni_md_create(jsni_md *out, int dims, const dnnl_dims_t dim,
                          dnnl_format_tag_t tag)
{
    *out = (jsni_md){0};
    DNNL_TRY(dnnl_memory_desc_init_by_tag(&out->desc, dims, dim, dnnl_f32, tag));
    out->set = true;
    return JSN_OK;
}

jsn_status jsni_md_query(jsni_md *out, const_dnnl_primitive_desc_t from,
                         dnnl_query_t what)
{
    *out = (jsni_md){0};
    const dnnl_memory_desc_t *md = dnnl_primitive_desc_query_md(from, what, 0);
    if (md == NULL)
        return jsni_fail(JSN_ERR_DEVICE, "oneDNN: no descriptor for query %d",
                         (int)what);
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
    return md->set ? dnnl_memory_desc_get_size(&md->desc) : 0;
}

bool jsni_md_equal(const jsni_md *a, const jsni_md *b)
{
    return dnnl_memory_desc_equal(&a->desc, &b->desc) != 0;
}

jsn_status jsni_dnnl_memory(dnnl_memory_t *out, const jsni_md *md, dnnl_engine_t engine)
{
    DNNL_TRY(dnnl_memory_create(out, &md->desc, engine, DNNL_MEMORY_NONE));
    return JSN_OK;
}

jsn_status jsni_dnnl_conv_desc(dnnl_primitive_desc_t *out, const jsni_conv_args *a,
                               const_dnnl_primitive_attr_t attr, dnnl_engine_t engine)
{
    dnnl_convolution_desc_t desc;
    const dnnl_alg_kind_t direct = dnnl_convolution_direct;
    if (a->way == JSNI_CONV_FORWARD)
        DNNL_TRY(dnnl_convolution_forward_desc_init(
            &desc, dnnl_forward_training, direct, &a->source->desc, &a->weights->desc,
            a->bias != NULL ? &a->bias->desc : NULL, &a->result->desc, a->strides,
            a->pad_low, a->pad_high));
    else if (a->way == JSNI_CONV_DATA)
        DNNL_TRY(dnnl_convolution_backward_data_desc_init(
            &desc, direct, &a->source->desc, &a->weights->desc, &a->result->desc,
            a->strides, a->pad_low, a->pad_high));
    else
        DNNL_TRY(dnnl_convolution_backward_weights_desc_init(
            &desc, direct, &a->source->desc, &a->weights->desc, NULL, &a->result->desc,
            a->strides, a->pad_low, a->pad_high));
    DNNL_TRY(dnnl_primitive_desc_create(out, &desc, attr, engine, a->hint));
    return JSN_OK;
}

jsn_status jsni_dnnl_reorder_desc(dnnl_primitive_desc_t *out, const jsni_md *from,
                                  const jsni_md *to, const_dnnl_primitive_attr_t attr,
                                  dnnl_engine_t engine)
{
    DNNL_TRY(dnnl_reorder_primitive_desc_create(out, &from->desc, engine, &to->desc,
                                                engine, attr));
    return JSN_OK;
}

#endif

void jsni_dnnl_version_text(char *text, size_t size)
{
    const dnnl_version_t *v = dnnl_version();
    snprintf(text, size, "oneDNN %d.%d.%d", v->major, v->minor, v->patch);
}

int jsni_dnnl_threads(int threads)
{
    const int before = omp_get_max_threads();
    if (threads != before)
        omp_set_num_threads(threads);
    return before;
}
