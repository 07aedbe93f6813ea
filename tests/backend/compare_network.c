/* tests/backend/compare_network.c - where a device deviates from ref, and whether it is
 * more than rounding does to itself:
 *
 *     compare_network DEVICE [PRECISION [RUNS]]
 *
 * PreActResNet-34 with the weights of the golden case preact34_K10. First every node's
 * output and every parameter's gradient of one step, the largest difference from ref over
 * the largest number. Then the losses of three steps, against float64 (the golden file)
 * and from weights that were changed by half a unit in the last place, RUNS times on ref
 * and on the device: a flipped ReLU moves the third loss by a finite amount, so only the
 * spread says what a deviation means.
 */
#include <math.h>

#include "backend/backend_support.h"
#include "backend/model.h"
#include "backend/network_formula.h"
#include "jensen/loss.h"
#include "nn/network_impl.h"

enum { SAMPLES = 8, VIEWS = 2, CLASSES = 10, PIXELS = 3 * 32 * 32, STEPS = 3 };

typedef struct side {
    jsn_model *model;
    float *gradients;
} side;

static float images[VIEWS * SAMPLES * PIXELS];
static int32_t labels[SAMPLES];

static void check(jsn_status status)
{
    if (status == JSN_OK)
        return;
    fprintf(stderr, "compare_network: %s\n", jsn_last_error());
    exit(1);
}

static void *room(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL)
        exit(1);
    return memory;
}

/* Weights by the formula; with `run` > 0, some of them one unit in the last place off. */
static void load(side *s, unsigned run)
{
    const jsni_graph *graph = s->model->graph;
    float *params = room(graph->param_floats, sizeof *params);
    float *stats = room(graph->stat_floats, sizeof *stats);
    float *zero = room(graph->param_floats, sizeof *zero);
    jsni_graph_init(graph, 0, params, stats);
    for (size_t i = 0; i < graph->param_count; i++)
        formula_param(&graph->params[i], 0.0, params + graph->params[i].offset);
    for (size_t i = 0; run > 0 && i < graph->param_floats; i++) {
        const uint64_t bits = formula_splitmix64((uint64_t)run << 40 | i);
        if (bits % 2 == 0)
            params[i] = nextafterf(params[i], bits % 4 == 0 ? 10.0f : -10.0f);
    }
    check(jsni_model_write(s->model, 0, JSNI_BLOCK_PARAMETERS, params));
    check(jsni_model_write(s->model, 0, JSNI_BLOCK_STATISTICS, stats));
    check(jsni_model_write(s->model, 0, JSNI_BLOCK_OPTIMISER, zero));
    free(params);
    free(stats);
    free(zero);
}

static void make(side *s, const char *device, jsn_precision precision)
{
    jsni_graph *graph = NULL;
    check(
        jsni_network_build("preactresnet34", (jsni_shape){3, 32, 32}, CLASSES, &graph));
    const jsni_plan_options options = {.batch = SAMPLES,
                                       .views = VIEWS,
                                       .precision = precision,
                                       .training = true,
                                       .input_gradient = true};
    check(jsni_model_create(&s->model, graph, device, "sgd:momentum=0.9,nesterov=1",
                            &options));
    s->gradients = room(graph->param_floats, sizeof(float));
}

static void forward(side *s, size_t step)
{
    jsni_plan *plan = s->model->plan;
    const jsni_labels given = {.labels = labels};
    const jsni_pass pass = {true, 0, (uint32_t)step};
    check(plan->ops->set_input(plan, 0, images, VIEWS, SAMPLES));
    check(plan->ops->set_labels(plan, 0, &given));
    check(plan->ops->forward(plan, &pass));
}

static double backward(side *s, jsn_loss *loss)
{
    jsni_plan *plan = s->model->plan;
    const jsni_losses losses = {loss, NULL};
    double mean = 0.0;
    check(plan->ops->loss(plan, &losses));
    check(plan->ops->read_loss(plan, 0, &mean, NULL));
    check(plan->ops->backward(plan));
    return mean;
}

static double difference(const float *a, const float *b, size_t count)
{
    double top = 1e-30, worst = 0.0;
    for (size_t i = 0; i < count; i++) {
        top = fmax(top, fabs((double)b[i]));
        worst = support_worse(worst, fabs((double)a[i] - (double)b[i]));
    }
    return worst / top;
}

static void compare_step(side *device, side *ref, jsn_loss *loss)
{
    const jsni_graph *graph = ref->model->graph;
    load(device, 0);
    load(ref, 0);
    forward(device, 0);
    forward(ref, 0);
    printf("outputs of the nodes (difference over the largest number)\n");
    for (size_t i = 0; i < graph->node_count; i++) {
        const size_t count = VIEWS * SAMPLES * jsni_shape_count(graph->nodes[i].shape);
        float *a = room(count, sizeof *a), *b = room(count, sizeof *b);
        const jsni_plan *of = device->model->plan;
        const jsn_status status =
            of->ops->read_node(device->model->plan, 0, i, a) == JSN_OK
                ? ref->model->plan->ops->read_node(ref->model->plan, 0, i, b)
                : JSN_ERR_UNSUPPORTED;
        if (status == JSN_OK)
            printf("  %9.2e  %-28s %s\n", difference(a, b, count), graph->nodes[i].name,
                   of->ops->describe_node(of, i));
        free(a);
        free(b);
    }
    const double mine = backward(device, loss), theirs = backward(ref, loss);
    printf("loss %.9f, ref %.9f, difference %.2e\n", mine, theirs, mine - theirs);
    check(jsni_model_read(device->model, 0, JSNI_BLOCK_GRADIENTS, device->gradients));
    check(jsni_model_read(ref->model, 0, JSNI_BLOCK_GRADIENTS, ref->gradients));
    printf("gradients of the parameters, from the last to the first\n");
    for (size_t i = graph->param_count; i-- > 0;) {
        const jsni_tensor *t = &graph->params[i];
        printf("  %9.2e  %s\n",
               difference(device->gradients + t->offset, ref->gradients + t->offset,
                          t->count),
               t->name);
    }
}

/* The losses of three steps from run `run`, as differences from float64. */
static void three_steps(side *s, jsn_loss *loss, unsigned run, const double *want,
                        double *off)
{
    load(s, run);
    for (size_t step = 0; step < STEPS; step++) {
        forward(s, step);
        off[step] = backward(s, loss) - want[step];
        jsni_update update = s->model->update;
        update.rate = 0.1;
        update.decay = 5e-4;
        update.step = step + 1;
        check(s->model->plan->ops->update(s->model->plan, &update));
    }
}

static void print_spread(const char *name, side *s, jsn_loss *loss, unsigned runs,
                         const double *want)
{
    double worst[STEPS] = {0}, squares[STEPS] = {0};
    for (unsigned run = 0; run <= runs; run++) {
        double off[STEPS];
        three_steps(s, loss, run, want, off);
        printf("  %-6s run %-2u  %+.2e %+.2e %+.2e\n", name, run, off[0], off[1],
               off[2]);
        for (size_t i = 0; i < STEPS; i++) {
            worst[i] = fmax(worst[i], fabs(off[i]));
            squares[i] += off[i] * off[i];
        }
    }
    printf("  %-6s largest %.2e %.2e %.2e\n", name, worst[0], worst[1], worst[2]);
    printf("  %-6s rms     %.2e %.2e %.2e\n", name, sqrt(squares[0] / (runs + 1)),
           sqrt(squares[1] / (runs + 1)), sqrt(squares[2] / (runs + 1)));
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: compare_network DEVICE [PRECISION [RUNS]]\n");
        return 2;
    }
    const unsigned runs = argc > 3 ? (unsigned)atoi(argv[3]) : 8;
    jsn_precision precision = JSN_PRECISION_FP32;
    if (argc > 2)
        check(jsn_precision_parse(argv[2], &precision));
    for (size_t v = 0; v < VIEWS; v++)
        formula_images(v, (size_t)SAMPLES * PIXELS, images + v * SAMPLES * PIXELS);
    formula_labels(SAMPLES, CLASSES, labels);
    jsni_safetensors *file = NULL;
    jsn_loss *loss = NULL;
    side device = {0}, ref = {0};
    check(jsni_safetensors_open(&file, JSN_TEST_GOLDEN "/network.safetensors"));
    const jsni_safetensor *losses = jsni_safetensors_find(file, "preact34_K10/losses");
    if (losses == NULL)
        return 1;
    check(jsn_loss_create(&loss, "gjs:pi1=0.5", CLASSES, VIEWS));
    make(&device, argv[1], precision);
    make(&ref, "ref", JSN_PRECISION_FP32);
    compare_step(&device, &ref, loss);
    printf("losses of three steps, minus those of float64\n");
    print_spread("ref", &ref, loss, runs, losses->data);
    print_spread(argv[1], &device, loss, runs, losses->data);
    jsn_model_destroy(device.model);
    jsn_model_destroy(ref.model);
    jsn_loss_destroy(loss);
    jsni_safetensors_close(file);
    free(device.gradients);
    free(ref.gradients);
    return 0;
}
