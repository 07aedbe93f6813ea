/* tests/backend/cuda_bench.c - see cuda_bench.h. */
#include "backend/cuda_bench.h"

#include "core/rng.h"
#include "jensen/loss.h"

const jsni_backend_ops *cuda_backend(void)
{
    size_t i = 0;
    while (strcmp(jsni_backend_at(i)->name, "cuda") != 0)
        i++;
    if (jsni_backend_at(i)->device_count() == 0) {
        print_message("[  SKIPPED ] no CUDA device or no module\n");
        skip();
    }
    return jsni_backend_at(i);
}

const jsni_backend_ops *ref_backend(void)
{
    size_t i = 0;
    while (strcmp(jsni_backend_at(i)->name, "ref") != 0)
        i++;
    return jsni_backend_at(i);
}

static size_t preact_block(jsni_builder *b, const char *path, size_t x, size_t out,
                           size_t stride)
{
    size_t a = jsni_build_norm(b, jsni_name_join(path, "bn1").text, x);
    a = jsni_build_relu(b, jsni_name_join(path, "relu1").text, a);
    size_t skip = x;
    if (stride != 1)
        skip = jsni_build_conv(b, jsni_name_join(path, "short").text, a, out, 1, stride,
                               0, false);
    size_t y = jsni_build_conv(b, jsni_name_join(path, "conv1").text, a, out, 3, stride,
                               1, false);
    y = jsni_build_norm(b, jsni_name_join(path, "bn2").text, y);
    y = jsni_build_relu(b, jsni_name_join(path, "relu2").text, y);
    y = jsni_build_conv(b, jsni_name_join(path, "conv2").text, y, out, 3, 1, 1, false);
    return jsni_build_add(b, jsni_name_join(path, "add").text, y, skip);
}

jsni_graph *small_preact(void)
{
    jsni_builder b;
    jsni_build_begin(&b, "small preact", (jsni_shape){3, 32, 32}, CLASSES);
    size_t x = jsni_build_conv(&b, "stem", jsni_build_input(&b), 32, 3, 1, 1, false);
    x = preact_block(&b, "a", x, 32, 1);
    x = preact_block(&b, "b", x, 32, 1);
    x = preact_block(&b, "c", x, 64, 2);
    x = preact_block(&b, "d", x, 64, 1);
    x = preact_block(&b, "e", x, 128, 2);
    x = preact_block(&b, "f", x, 128, 1);
    x = jsni_build_relu(&b, "relu", jsni_build_norm(&b, "bn", x));
    x = jsni_build_adaptive_pool(&b, "pool", x, 1, 1);
    x = jsni_build_flatten(&b, "flat", x);
    (void)jsni_build_linear(&b, "linear", x, CLASSES, true);
    jsni_graph *graph = NULL;
    assert_ok(jsni_build_end(&b, &graph));
    return graph;
}

float *room(size_t count)
{
    float *p = calloc(count + 1, sizeof *p);
    assert_non_null(p);
    return p;
}

void bench_open_for(bench *t, const jsni_backend_ops *ops, const jsni_graph *graph,
                    jsn_precision precision, size_t members, size_t views,
                    size_t samples)
{
    const jsni_plan_options options = {.batch = samples,
                                       .views = views,
                                       .precision = precision,
                                       .training = true,
                                       .optimiser_slots = 1,
                                       .members = members};
    memset(t, 0, sizeof *t);
    t->views = views;
    t->samples = samples;
    assert_ok(ops->open(&t->backend, 0));
    assert_ok(jsni_plan_create(t->backend, graph, &options, &t->plan));
    t->params = room(graph->param_floats);
    t->grads = room(graph->param_floats);
    t->stats = room(graph->stat_floats);
    t->logits = room(views * samples * CLASSES);
    for (size_t m = 0; m < (members > 1 ? members : 1); m++) {
        jsni_graph_init(graph, 7 + m, t->params, t->stats);
        /* Weights and biases of BatchNorm that tell channels apart. */
        jsni_rng rng = jsni_rng_stream(3, JSNI_RNG_TEST, 0, 9, 0);
        for (size_t i = 0; i < graph->param_count; i++) {
            const jsni_tensor *p = &graph->params[i];
            for (size_t k = 0; k < p->count; k++) {
                if (p->role == JSNI_ROLE_NORM_WEIGHT)
                    t->params[p->offset + k] =
                        0.75f + 0.5f * (float)jsni_rng_uniform(&rng);
                if (p->role == JSNI_ROLE_NORM_BIAS)
                    t->params[p->offset + k] = (float)jsni_rng_uniform(&rng) - 0.5f;
            }
        }
        const jsni_backend_ops *own = t->plan->ops;
        assert_ok(own->upload(t->plan, m, JSNI_BLOCK_PARAMETERS, t->params));
        assert_ok(own->upload(t->plan, m, JSNI_BLOCK_STATISTICS, t->stats));
    }
}

void bench_open(bench *t, const jsni_backend_ops *ops, const jsni_graph *graph,
                jsn_precision precision, size_t members)
{
    bench_open_for(t, ops, graph, precision, members, VIEWS, SAMPLES);
}

void bench_close(bench *t)
{
    jsni_plan_destroy(t->plan);
    jsni_backend_close(t->backend);
    free(t->params);
    free(t->grads);
    free(t->stats);
    free(t->logits);
}

void bench_read(bench *t, size_t member)
{
    const jsni_backend_ops *own = t->plan->ops;
    assert_ok(own->download(t->plan, member, JSNI_BLOCK_PARAMETERS, t->params));
    assert_ok(own->download(t->plan, member, JSNI_BLOCK_GRADIENTS, t->grads));
    assert_ok(own->download(t->plan, member, JSNI_BLOCK_STATISTICS, t->stats));
}

void bench_step(bench *t, const char *spec, const float *x, const int32_t *y,
                double rate, double *value)
{
    const jsni_backend_ops *own = t->plan->ops;
    const jsni_labels labels = {.labels = y};
    const jsni_pass pass = {true, 1, 0};
    jsni_update update;
    size_t slots = 0;
    assert_ok(jsni_optim_parse("sgd:momentum=0.9,nesterov=1", &update, &slots));
    update.decay = 5e-4;
    update.rate = rate;
    update.step = 1;
    jsn_loss *loss = NULL;
    assert_ok(jsn_loss_create(&loss, spec, CLASSES, t->views));
    const jsni_losses losses = {loss, NULL};
    assert_ok(own->set_input(t->plan, 0, x, t->views, t->samples));
    assert_ok(own->set_labels(t->plan, 0, &labels));
    assert_ok(own->forward(t->plan, &pass));
    assert_ok(own->read_output(t->plan, 0, t->logits));
    assert_ok(own->loss(t->plan, &losses));
    assert_ok(own->backward(t->plan));
    assert_ok(own->update(t->plan, &update));
    assert_ok(own->read_loss(t->plan, 0, value, NULL));
    bench_read(t, 0);
    jsn_loss_destroy(loss);
}
