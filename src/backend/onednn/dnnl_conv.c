/* backend/onednn/dnnl_conv.c - see dnnl_conv.h. */
#include "backend/onednn/dnnl_conv.h"

#include <stdio.h>
#include <string.h>

#include "backend/onednn/dnnl_check.h"
#include "core/alloc.h"

static const int arg_a[] = {DNNL_ARG_SRC, DNNL_ARG_DIFF_SRC, DNNL_ARG_SRC};
static const int arg_w[] = {DNNL_ARG_WEIGHTS, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_WEIGHTS};
static const int arg_b[] = {DNNL_ARG_DST, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_DST};
static const dnnl_query_t query_w[] = {dnnl_query_weights_md, dnnl_query_weights_md,
                                       dnnl_query_diff_weights_md};

/* The descriptors of one direction for one number of images. */
typedef struct conv_descs {
    jsni_md source, weights, bias, result;
} conv_descs;

static void descs_destroy(conv_descs *d)
{
    jsni_md_destroy(&d->source);
    jsni_md_destroy(&d->weights);
    jsni_md_destroy(&d->bias);
    jsni_md_destroy(&d->result);
}

static jsn_status descs_create(conv_descs *d, const jsni_dnnl_shape *s, size_t images)
{
    const dnnl_format_tag_t blocked = s->lanes == 16 ? dnnl_nChw16c : dnnl_nChw8c;
    const dnnl_dims_t source = {(dnnl_dim_t)images, (dnnl_dim_t)s->ins,
                                (dnnl_dim_t)s->in.height, (dnnl_dim_t)s->in.width};
    const dnnl_dims_t weights = {(dnnl_dim_t)s->outs, (dnnl_dim_t)s->ins,
                                 (dnnl_dim_t)s->window.kernel_h,
                                 (dnnl_dim_t)s->window.kernel_w};
    const dnnl_dims_t result = {(dnnl_dim_t)images, (dnnl_dim_t)s->outs,
                                (dnnl_dim_t)s->out.height, (dnnl_dim_t)s->out.width};
    const dnnl_dims_t bias = {(dnnl_dim_t)s->outs};
    *d = (conv_descs){0};
    JSNI_TRY(
        jsni_md_create(&d->source, 4, source, s->plain_input ? dnnl_nchw : blocked));
    JSNI_TRY(jsni_md_create(&d->weights, 4, weights, dnnl_format_tag_any));
    JSNI_TRY(jsni_md_create(&d->bias, 1, bias, dnnl_a));
    return jsni_md_create(&d->result, 4, result, blocked);
}

static void prim_destroy(jsni_dnnl_prim *p)
{
    for (size_t k = 0; p->worker != NULL && k < p->workers; k++) {
        dnnl_memory_t all[] = {p->worker[k].a, p->worker[k].w, p->worker[k].b,
                               p->worker[k].bias, p->worker[k].scratch};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            if (all[i] != NULL)
                jsni_dnnl.memory_destroy(all[i]);
    }
    jsni_free(p->worker);
    if (p->primitive != NULL)
        jsni_dnnl.primitive_destroy(p->primitive);
    *p = (jsni_dnnl_prim){0};
}

static jsn_status prim_create(jsni_dnnl_prim *p, dnnl_primitive_desc_t desc,
                              jsni_conv_way way, const conv_descs *d, bool bias,
                              size_t workers, dnnl_engine_t engine)
{
    jsni_md scratch = {0}, weights = {0};
    p->arg_a = arg_a[way];
    p->arg_w = arg_w[way];
    p->arg_b = arg_b[way];
    p->workers = workers;
    DNNL_TRY(primitive_create, &p->primitive, desc);
    p->worker = jsni_alloc_zero(workers, sizeof *p->worker);
    JSNI_TRY_ALLOC(p->worker);
    jsn_status status = jsni_md_query(&scratch, desc, dnnl_query_scratchpad_md);
    if (status == JSN_OK)
        status = jsni_md_query(&weights, desc, query_w[way]);
    p->scratch = jsni_md_bytes(&scratch);
    for (size_t k = 0; k < workers && status == JSN_OK; k++) {
        struct jsni_dnnl_memories *m = &p->worker[k];
        status = jsni_dnnl_memory(&m->a, &d->source, engine);
        if (status == JSN_OK)
            status = jsni_dnnl_memory(&m->w, &weights, engine);
        if (status == JSN_OK)
            status = jsni_dnnl_memory(&m->b, &d->result, engine);
        if (status == JSN_OK && bias)
            status = jsni_dnnl_memory(&m->bias, &d->bias, engine);
        if (status == JSN_OK)
            status = jsni_dnnl_memory(&m->scratch, &scratch, engine);
    }
    jsni_md_destroy(&scratch);
    jsni_md_destroy(&weights);
    return status;
}

static void window_args(const jsni_dnnl_shape *s, jsni_conv_args *a)
{
    const jsni_window *w = &s->window;
    const size_t kernel[2] = {w->kernel_h, w->kernel_w};
    const size_t stride[2] = {w->stride_h, w->stride_w};
    const size_t pad[2] = {w->pad_h, w->pad_w};
    const size_t in[2] = {s->in.height, s->in.width};
    const size_t out[2] = {s->out.height, s->out.width};
    for (int i = 0; i < 2; i++) {
        a->strides[i] = (dnnl_dim_t)stride[i];
        a->pad_low[i] = (dnnl_dim_t)pad[i];
        /* what the last window needs beyond the image, less than pad or negative */
        a->pad_high[i] = (dnnl_dim_t)((out[i] - 1) * stride[i] + kernel[i]) -
                         (dnnl_dim_t)in[i] - (dnnl_dim_t)pad[i];
    }
}

/* Primitive number `single` of a direction; the single-image one takes the layout of
 * weights that the other chose. */
static jsn_status way_add(jsni_dnnl_conv *conv, jsni_conv_way way, bool single,
                          const_dnnl_primitive_attr_t attr, size_t workers,
                          dnnl_engine_t engine)
{
    jsni_dnnl_way *to = &conv->way[way];
    const size_t images = single ? 1 : conv->chunk;
    const bool bias = conv->shape.bias && way == JSNI_CONV_FORWARD;
    conv_descs d;
    dnnl_primitive_desc_t desc = NULL, hint = NULL;
    const char *name = NULL;
    jsn_status status = descs_create(&d, &conv->shape, images);
    jsni_conv_args args = {.way = JSNI_CONV_FORWARD,
                           .source = &d.source,
                           .weights = &d.weights,
                           .bias = conv->shape.bias ? &d.bias : NULL,
                           .result = &d.result};
    window_args(&conv->shape, &args);
    if (status == JSN_OK && way != JSNI_CONV_FORWARD)
        status = jsni_dnnl_conv_desc(&hint, &args, attr, engine);
    args.way = way;
    args.hint = hint;
    if (single && to->weights.set)
        args.weights = &to->weights;
    if (status == JSN_OK)
        status = jsni_dnnl_conv_desc(&desc, &args, attr, engine);
    if (status == JSN_OK)
        status = prim_create(&to->prim[single], desc, way, &d, bias, workers, engine);
    if (status == JSN_OK && !to->weights.set) {
        status = jsni_md_query(&to->weights, desc, query_w[way]);
        jsni_dnnl.primitive_desc_query(desc, dnnl_query_impl_info_str, 0,
                                       (void *)&name);
        snprintf(to->name, sizeof to->name, "%s", name != NULL ? name : "oneDNN");
    }
    if (hint != NULL)
        jsni_dnnl.primitive_desc_destroy(hint);
    if (desc != NULL)
        jsni_dnnl.primitive_desc_destroy(desc);
    descs_destroy(&d);
    return status;
}

static jsn_status reorder_add(jsni_dnnl_conv *conv, jsni_conv_way way,
                              dnnl_primitive_t *out, dnnl_engine_t engine)
{
    const bool gradient = way == JSNI_CONV_WEIGHTS;
    const jsni_md *from = gradient ? &conv->way[way].weights : &conv->plain;
    const jsni_md *to = gradient ? &conv->plain : &conv->way[way].weights;
    dnnl_primitive_desc_t desc = NULL;
    JSNI_TRY(jsni_dnnl_reorder_desc(&desc, from, to, NULL, engine));
    jsn_status status =
        jsni_dnnl_status(jsni_dnnl.primitive_create(out, desc), "reorder");
    jsni_dnnl.primitive_desc_destroy(desc);
    if (status == JSN_OK)
        status = jsni_dnnl_memory(&conv->reorder_from[way], from, engine);
    if (status == JSN_OK)
        status = jsni_dnnl_memory(&conv->reorder_to[way], to, engine);
    return status;
}

static jsn_status reorders_create(jsni_dnnl_conv *conv, dnnl_engine_t engine)
{
    const jsni_dnnl_shape *s = &conv->shape;
    const dnnl_dims_t dims = {(dnnl_dim_t)s->outs, (dnnl_dim_t)s->ins,
                              (dnnl_dim_t)s->window.kernel_h,
                              (dnnl_dim_t)s->window.kernel_w};
    JSNI_TRY(jsni_md_create(&conv->plain, 4, dims, dnnl_oihw));
    JSNI_TRY(reorder_add(conv, JSNI_CONV_FORWARD, &conv->to_forward, engine));
    if (conv->way[JSNI_CONV_DATA].made)
        JSNI_TRY(reorder_add(conv, JSNI_CONV_DATA, &conv->to_data, engine));
    if (!conv->way[JSNI_CONV_WEIGHTS].made)
        return JSN_OK;
    jsni_md blocked = {0};
    JSNI_TRY(jsni_md_create(&blocked, 4, dims,
                            s->lanes == 16 ? dnnl_OIhw16i16o : dnnl_OIhw8i8o));
    conv->blocked_gradient =
        jsni_md_equal(&blocked, &conv->way[JSNI_CONV_WEIGHTS].weights);
    jsni_md_destroy(&blocked);
    return reorder_add(conv, JSNI_CONV_WEIGHTS, &conv->from_gradient, engine);
}

jsn_status jsni_dnnl_conv_create(jsni_dnnl_conv *conv, const jsni_dnnl_shape *shape,
                                 size_t chunk, bool data, bool weights, size_t workers,
                                 dnnl_engine_t engine)
{
    const bool wanted[3] = {true, data, weights};
    dnnl_primitive_attr_t attr = NULL;
    *conv = (jsni_dnnl_conv){.shape = *shape, .chunk = chunk};
    jsn_status status =
        jsni_dnnl_status(jsni_dnnl.primitive_attr_create(&attr), "attributes");
    if (status == JSN_OK)
        status = jsni_dnnl_status(jsni_dnnl.primitive_attr_set_scratchpad_mode(
                                      attr, dnnl_scratchpad_mode_user),
                                  "scratchpad mode");
    for (int way = 0; way < 3 && status == JSN_OK; way++) {
        if (!wanted[way])
            continue;
        conv->way[way].made = true;
        status = way_add(conv, (jsni_conv_way)way, false, attr, workers, engine);
        if (status == JSN_OK && chunk > 1)
            status = way_add(conv, (jsni_conv_way)way, true, attr, workers, engine);
    }
    if (status == JSN_OK)
        status = reorders_create(conv, engine);
    if (attr != NULL)
        jsni_dnnl.primitive_attr_destroy(attr);
    if (status != JSN_OK)
        jsni_dnnl_conv_destroy(conv);
    return status;
}

void jsni_dnnl_conv_destroy(jsni_dnnl_conv *conv)
{
    dnnl_primitive_t reorders[] = {conv->to_forward, conv->to_data,
                                   conv->from_gradient};
    for (int i = 0; i < 3; i++) {
        prim_destroy(&conv->way[i].prim[0]);
        prim_destroy(&conv->way[i].prim[1]);
        jsni_md_destroy(&conv->way[i].weights);
        if (reorders[i] != NULL)
            jsni_dnnl.primitive_destroy(reorders[i]);
        if (conv->reorder_from[i] != NULL)
            jsni_dnnl.memory_destroy(conv->reorder_from[i]);
        if (conv->reorder_to[i] != NULL)
            jsni_dnnl.memory_destroy(conv->reorder_to[i]);
    }
    jsni_md_destroy(&conv->plain);
    *conv = (jsni_dnnl_conv){0};
}

size_t jsni_dnnl_conv_scratch(const jsni_dnnl_conv *conv)
{
    size_t most = 0;
    for (int way = 0; way < 3; way++)
        for (int i = 0; i < 2; i++)
            if (conv->way[way].prim[i].scratch > most)
                most = conv->way[way].prim[i].scratch;
    return most;
}

size_t jsni_dnnl_conv_weights(const jsni_dnnl_conv *conv, jsni_conv_way way)
{
    return jsni_md_bytes(&conv->way[way].weights);
}

dnnl_status_t jsni_dnnl_conv_run(const jsni_dnnl_conv *conv, jsni_conv_way way,
                                 bool single, const jsni_dnnl_run *run, const float *a,
                                 const float *w, const float *bias, const float *b)
{
    const jsni_dnnl_prim *p = &conv->way[way].prim[single && conv->chunk > 1];
    const struct jsni_dnnl_memories *m = &p->worker[run->worker];
    const dnnl_memory_t memory[] = {m->a, m->w, m->b, m->scratch, m->bias};
    const void *data[] = {a, w, b, run->scratch, bias};
    const dnnl_exec_arg_t args[] = {{p->arg_a, m->a},
                                    {p->arg_w, m->w},
                                    {p->arg_b, m->b},
                                    {DNNL_ARG_SCRATCHPAD, m->scratch},
                                    {DNNL_ARG_BIAS, m->bias}};
    const int count = m->bias != NULL ? 5 : 4;
    for (int i = 0; i < count; i++) {
        /* oneDNN's interface has no const; sources stay unchanged */
        const dnnl_status_t status =
            jsni_dnnl.memory_set_data_handle(memory[i], (void *)(size_t)data[i]);
        if (status != dnnl_success)
            return status;
    }
    return jsni_dnnl.primitive_execute(p->primitive, run->stream, count, args);
}

dnnl_status_t jsni_dnnl_conv_reorder(const jsni_dnnl_conv *conv, jsni_conv_way way,
                                     dnnl_stream_t stream, const float *from, float *to)
{
    const dnnl_primitive_t all[] = {conv->to_forward, conv->to_data,
                                    conv->from_gradient};
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, conv->reorder_from[way]},
                                    {DNNL_ARG_TO, conv->reorder_to[way]}};
    dnnl_status_t status =
        jsni_dnnl.memory_set_data_handle(conv->reorder_from[way], (void *)(size_t)from);
    if (status == dnnl_success)
        status = jsni_dnnl.memory_set_data_handle(conv->reorder_to[way], to);
    if (status != dnnl_success)
        return status;
    return jsni_dnnl.primitive_execute(all[way], stream, 2, args);
}
