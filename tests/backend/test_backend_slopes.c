/* tests/backend/test_backend_slopes.c - the backward pass of `ref`, to which all other backends
 * are held, against central differences of its forward pass. */
#include <math.h>

#include "backend/op_case.h"
#include "core/rng.h"

/* Distinct multiples of 0.05 in random order, none near 0: no kink of ReLU or of a
 * maximum lies within a step of 0.01. */
static void fill_apart(float *x, size_t count)
{
    uint32_t *order = calloc(count, sizeof *order);
    assert_non_null(order);
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    jsni_rng rng = jsni_rng_stream(5, JSNI_RNG_TEST, 1, 0, 0);
    jsni_rng_shuffle(&rng, order, count);
    for (size_t i = 0; i < count; i++)
        x[i] = 0.05f * ((float)order[i] - (float)(count / 2)) + 0.025f;
    free(order);
}

/* sum of y*dy, the function whose derivatives backward computes. */
static double projected(rig *r, const float *stats)
{
    memcpy(r->stats, stats, r->graph->stat_floats * sizeof *stats);
    assert_ok(rig_run(r, 1, 0, 4));
    const size_t count =
        r->views * r->samples * jsni_shape_count(jsni_graph_output(r->graph)->shape);
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += (double)r->y[i] * (double)r->dy[i];
    return sum;
}

/* Central differences of `projected` in the values at[0..count) against `gradient`;
 * returns how many disagree, printing each. */
static size_t wrong_derivatives(rig *r, const char *name, const float *stats, float *at,
                                const float *gradient, size_t count, double top)
{
    size_t wrong = 0;
    const float h = 0.0078125f; /* 2^-7: x+h and x-h are exact for most x */
    for (size_t i = 0; i < count; i++) {
        const float before = at[i];
        at[i] = before + h;
        const double up = projected(r, stats), high = (double)at[i];
        at[i] = before - h;
        const double down = projected(r, stats), low = (double)at[i];
        at[i] = before;
        const double slope = (up - down) / (high - low);
        /* The sums carry float noise of 1e-6 relative to entries of about 1, divided by
         * 2h; BatchNorm adds curvature of order h^2. */
        if (!(fabs(slope - (double)gradient[i]) <= 2e-3 * top + 1e-3)) {
            print_message("%s: derivative %zu is %g, difference quotient %g\n", name, i,
                          (double)gradient[i], slope);
            wrong++;
        }
    }
    return wrong;
}

static void difference_case(const op_case *c)
{
    jsni_graph *graph = rig_graph(&c->op, c->in);
    rig r;
    assert_true(
        rig_open(&r, rig_ref(), graph, c->views, c->samples, 1, JSN_PRECISION_FP32));
    rig_fill_blocks(&r);
    const size_t inputs = c->views * c->samples * jsni_shape_count(c->in);
    if (c->op.kind == JSNI_OP_RELU || c->op.kind == JSNI_OP_MAX_POOL)
        fill_apart(r.x, inputs);
    if (c->op.kind == JSNI_OP_RELU6) { /* from below 0 to above 6, the ends left out */
        fill_apart(r.x, inputs);
        for (size_t i = 0; i < inputs; i++)
            r.x[i] *= 15.0f;
    }
    float *stats = calloc(graph->stat_floats + 1, sizeof *stats);
    float *dx = calloc(inputs, sizeof *dx);
    float *grads = calloc(graph->param_floats + 1, sizeof *grads);
    assert_true(stats != NULL && dx != NULL && grads != NULL);
    memcpy(stats, r.stats, graph->stat_floats * sizeof *stats);
    assert_ok(rig_run(&r, 1, 1, 4));
    memcpy(dx, r.dx, inputs * sizeof *dx);
    memcpy(grads, r.grads, graph->param_floats * sizeof *grads);
    double top = 0.0;
    for (size_t i = 0; i < inputs; i++)
        top = fmax(top, fabs((double)dx[i]));
    assert_int_equal(wrong_derivatives(&r, c->name, stats, r.x, dx, inputs, top), 0);
    dx[inputs / 2] += (float)(0.1 * top + 0.1);
    assert_int_equal(
        wrong_derivatives(&r, "(wrong on purpose)", stats, r.x, dx, inputs, top), 1);
    for (size_t i = 0; i < graph->param_count; i++) {
        const jsni_tensor *t = &graph->params[i];
        double most = 0.0;
        for (size_t k = 0; k < t->count; k++)
            most = fmax(most, fabs((double)grads[t->offset + k]));
        assert_int_equal(wrong_derivatives(&r, c->name, stats, r.params + t->offset,
                                           grads + t->offset, t->count, most),
                         0);
    }
    free(stats);
    free(dx);
    free(grads);
    rig_close(&r);
    jsni_graph_destroy(graph);
}

static void test_ref_gradients_are_difference_quotients(void **state)
{
    (void)state;
    static const op_case small[] = {
        {"conv", CONV(3, 3, 1, 1, 1, 1, 5, true), {3, 5, 4}, 2, 1},
        {"conv stride 2", CONV(3, 3, 2, 2, 1, 1, 2, true), {2, 5, 6}, 2, 2},
        {"conv 1x1", CONV(1, 1, 1, 1, 0, 0, 3, false), {2, 3, 4}, 2, 1},
        {"conv 1x1 stride 2", CONV(1, 1, 2, 2, 0, 0, 3, false), {2, 5, 4}, 1, 1},
        {"conv 2x3 mixed", CONV(2, 3, 1, 2, 1, 0, 3, true), {2, 4, 7}, 1, 1},
        {"conv wide", CONV(1, 3, 1, 1, 0, 1, 1, false), {1, 2, 67}, 1, 1},
        {"conv 7x7", CONV(7, 7, 2, 2, 3, 3, 2, true), {1, 5, 6}, 1, 1},
        {"conv below", CONV_BELOW(3, 2, 3), {2, 6, 4}, 2, 1},
        {"depthwise", DEPTHWISE(3, 3, 1, 1, 1, 1, 0, 0, true), {3, 5, 4}, 2, 2},
        {"depthwise 5", DEPTHWISE(5, 5, 1, 1, 2, 2, 0, 0, false), {2, 4, 3}, 2, 1},
        {"depthwise below", DEPTHWISE(3, 3, 2, 2, 0, 0, 1, 1, false), {2, 4, 6}, 2, 1},
        {"depthwise mixed", DEPTHWISE(3, 2, 1, 3, 0, 1, 1, 0, true), {2, 4, 7}, 1, 1},
        {"norm", NORM, {3, 3, 2}, 3, 1},
        {"norm views", NORM, {2, 2, 2}, 3, 2},
        {"relu", PLAIN(JSNI_OP_RELU), {3, 3, 2}, 2, 1},
        {"relu6", PLAIN(JSNI_OP_RELU6), {3, 3, 2}, 2, 1},
        {"add to itself", PLAIN(JSNI_OP_ADD), {2, 3, 2}, 2, 1},
        {"max", POOL(JSNI_OP_MAX_POOL, 3, 3, 2, 2, 1, 1), {2, 5, 6}, 2, 1},
        {"max 2x3", POOL(JSNI_OP_MAX_POOL, 2, 3, 1, 2, 0, 1), {1, 4, 5}, 1, 1},
        {"avg padded", POOL(JSNI_OP_AVG_POOL, 3, 3, 2, 2, 1, 1), {2, 5, 4}, 2, 1},
        {"adaptive up", ADAPTIVE(5, 3), {2, 2, 2}, 1, 1},
        {"adaptive down", ADAPTIVE(2, 3), {1, 5, 7}, 1, 1},
        {"linear", LINEAR(4, true), {9, 1, 1}, 3, 2},
        {"linear stretch", LINEAR(2, true), {300, 1, 1}, 2, 1},
        {"dropout", DROPOUT(0.4), {4, 2, 3}, 2, 2},
        {"flatten", PLAIN(JSNI_OP_FLATTEN), {2, 3, 2}, 1, 1},
    };
    for (size_t i = 0; i < sizeof small / sizeof small[0]; i++)
        difference_case(&small[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ref_gradients_are_difference_quotients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
