/* tests/backend/backend_support.c - see backend_support.h. */
#include "backend/backend_support.h"

#include <math.h>

#include "core/alloc.h"
#include "core/rng.h"
#include "format/dtype.h"

static float *floats(size_t count)
{
    float *block = calloc(count == 0 ? 1 : count, sizeof *block);
    assert_non_null(block);
    return block;
}

int rig_open(rig *r, const jsni_backend_ops *ops, jsni_graph *graph, size_t views,
             size_t samples, size_t threads, jsn_precision precision)
{
    memset(r, 0, sizeof *r);
    if (ops->device_count() == 0) {
        print_message("skipped: no device for the %s backend\n", ops->name);
        return 0;
    }
    assert_ok(ops->open(&r->backend, 0));
    r->ops = r->backend->ops;
    r->graph = graph;
    r->views = views;
    r->samples = samples;
    const jsni_plan_options options = {.batch = samples,
                                       .views = views,
                                       .threads = threads,
                                       .precision = precision,
                                       .training = true,
                                       .input_gradient = true,
                                       .optimiser_slots = 1};
    assert_ok(jsni_plan_create(r->backend, graph, &options, &r->plan));
    const size_t images = views * samples;
    r->params = floats(graph->param_floats);
    r->grads = floats(graph->param_floats);
    r->stats = floats(graph->stat_floats);
    r->x = floats(images * jsni_shape_count(jsni_graph_input(graph)->shape));
    r->dx = floats(images * jsni_shape_count(jsni_graph_input(graph)->shape));
    r->y = floats(images * jsni_shape_count(jsni_graph_output(graph)->shape));
    r->dy = floats(images * jsni_shape_count(jsni_graph_output(graph)->shape));
    return 1;
}

void rig_close(rig *r)
{
    if (r->ops == NULL)
        return;
    jsni_plan_destroy(r->plan);
    jsni_backend_close(r->backend);
    float *blocks[] = {r->params, r->grads, r->stats, r->x, r->dx, r->y, r->dy};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        free(blocks[i]);
    memset(r, 0, sizeof *r);
}

jsn_status rig_run(rig *r, int training, int back, uint32_t step)
{
    const jsni_pass pass = {training != 0, 17, step};
    assert_ok(r->ops->upload(r->plan, 0, JSNI_BLOCK_PARAMETERS, r->params));
    assert_ok(r->ops->upload(r->plan, 0, JSNI_BLOCK_STATISTICS, r->stats));
    assert_ok(r->ops->set_input(r->plan, 0, r->x, r->views, r->samples));
    assert_ok(r->ops->forward(r->plan, &pass));
    assert_ok(r->ops->read_output(r->plan, 0, r->y));
    assert_ok(r->ops->download(r->plan, 0, JSNI_BLOCK_STATISTICS, r->stats));
    if (!back)
        return JSN_OK;
    assert_ok(r->ops->write_output_gradient(r->plan, 0, r->dy));
    const jsn_status status = r->ops->backward(r->plan);
    if (status == JSN_ERR_UNSUPPORTED && !training)
        return status;
    assert_ok(status);
    assert_ok(r->ops->read_input_gradient(r->plan, 0, r->dx));
    assert_ok(r->ops->download(r->plan, 0, JSNI_BLOCK_GRADIENTS, r->grads));
    return JSN_OK;
}

void rig_fill(float *to, size_t count, uint32_t stream)
{
    jsni_rng rng = jsni_rng_stream(5, JSNI_RNG_TEST, 0, stream, 0);
    for (size_t i = 0; i < count; i++)
        to[i] = (float)jsni_rng_normal(&rng);
}

void rig_fill_blocks(rig *r)
{
    const size_t images = r->views * r->samples;
    const size_t inputs = images * jsni_shape_count(jsni_graph_input(r->graph)->shape);
    rig_fill(r->x, inputs, 1);
    for (size_t i = 0; i < inputs; i++)
        r->x[i] *= jsni_graph_output(r->graph)->op.kind == JSNI_OP_RELU6 ? 6.0f : 1.0f;
    rig_fill(r->dy, images * jsni_shape_count(jsni_graph_output(r->graph)->shape), 2);
    for (size_t i = 0; i < r->graph->param_count; i++) {
        const jsni_tensor *t = &r->graph->params[i];
        float *to = r->params + t->offset;
        rig_fill(to, t->count, 3 + (uint32_t)i);
        const double fan = t->rank > 1 ? (double)(t->count / t->dim[0]) : 4.0;
        for (size_t k = 0; k < t->count; k++)
            to[k] = (float)((double)to[k] / sqrt(fan)) +
                    (t->role == JSNI_ROLE_NORM_WEIGHT ? 1.0f : 0.0f);
    }
    for (size_t i = 0; i < r->graph->stat_count; i++)
        for (size_t k = 0; k < r->graph->stats[i].count; k++)
            r->stats[r->graph->stats[i].offset + k] =
                r->graph->stats[i].role == JSNI_ROLE_RUNNING_VAR
                    ? 0.5f + 0.1f * (float)(k % 7)
                    : 0.1f * (float)(k % 5);
}

jsni_graph *rig_graph(const jsni_op *op, jsni_shape in)
{
    jsni_builder b;
    jsni_build_begin(&b, "one op", in, 2);
    const size_t x = jsni_build_input(&b);
    (void)jsni_build_op(&b, "op", op, x, x);
    jsni_graph *graph = NULL;
    assert_ok(jsni_build_end(&b, &graph));
    return graph;
}

double rig_difference(const float *got, const float *want, size_t count, double least)
{
    double top = least, worst = 0.0;
    for (size_t i = 0; i < count; i++)
        if (fabs((double)want[i]) > top)
            top = fabs((double)want[i]);
    for (size_t i = 0; i < count; i++) {
        const double d = fabs((double)got[i] - (double)want[i]);
        if (!(d <= worst))
            worst = isnan(d) ? INFINITY : d;
    }
    return worst == 0.0 ? 0.0 : worst / top;
}

double rig_distance(const float *got, const float *want, size_t count)
{
    double e = 0.0, r = 1e-30;
    for (size_t i = 0; i < count; i++) {
        const double d = (double)got[i] - (double)want[i];
        e += d * d;
        r += (double)want[i] * (double)want[i];
    }
    return sqrt(e / r);
}

void rig_assert_near(const float *got, const float *want, size_t count,
                     double tolerance, const char *what)
{
    const double d = rig_difference(got, want, count, 1e-30);
    if (!(d <= tolerance))
        fail_msg("%s: off by %g of the largest entry, tolerance %g", what, d,
                 tolerance);
}

static const jsni_safetensor *golden(const jsni_safetensors *file, const char *name,
                                     jsn_dtype dtype, size_t *count)
{
    const jsni_safetensor *tensor = jsni_safetensors_find(file, name);
    if (tensor == NULL)
        fail_msg("golden file: no tensor '%s'", name);
    assert_int_equal(tensor->dtype, dtype);
    *count = tensor->bytes / jsni_dtype_size(dtype);
    return tensor;
}

const double *golden_doubles(const jsni_safetensors *file, const char *name,
                             size_t *count)
{
    return golden(file, name, JSN_DTYPE_FLOAT64, count)->data;
}

void golden_floats(const jsni_safetensors *file, const char *name, float *to,
                   size_t count)
{
    size_t there = 0;
    const jsni_safetensor *tensor = golden(file, name, JSN_DTYPE_FLOAT32, &there);
    assert_int_equal(there, count);
    memcpy(to, tensor->data, count * sizeof *to);
}

void golden_assert_near(const jsni_safetensors *file, const char *name,
                        const float *got, size_t count, double tolerance)
{
    size_t there = 0;
    const double *want = golden_doubles(file, name, &there);
    assert_int_equal(there, count);
    double top = 1e-30;
    for (size_t i = 0; i < count; i++)
        top = fabs(want[i]) > top ? fabs(want[i]) : top;
    for (size_t i = 0; i < count; i++)
        if (!(fabs((double)got[i] - want[i]) <= tolerance * top))
            fail_msg("%s[%zu]: %.9g, should be %.9g (largest %g, tolerance %g of it)",
                     name, i, (double)got[i], want[i], top, tolerance);
}

const jsni_backend_ops *rig_ref(void)
{
    size_t b = 0;
    while (strcmp(jsni_backend_at(b)->name, "ref") != 0)
        b++;
    return jsni_backend_at(b);
}
