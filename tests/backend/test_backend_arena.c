/* The memory of the CUDA backend's programs, checked without a device: the tasks that
 * cuda_make.c emits are walked in order with the extents that they read and write.
 *
 *   - What a task reads was written before, as a whole, by one task: a tensor that
 *     another one ran into has two writers.
 *   - All stays inside the arena and the block of gradients, and every gradient is
 *     written, by one task.
 *   - Weights are packed for every own convolution, whatever the batch of the plan.
 *   - Work on the second stream touches nothing that the main line writes before it has
 *     waited, nor the other way round.
 *
 * Without cuDNN, whose layers take the same buffers as the plain kernels. */
#include "backend/backend_support.h"
#include "backend/cuda/cuda_make.h"
#include "backend/cuda_extents.h"
#include "backend/cuda_fits.h"
#include "nn/network_impl.h"

enum { MOST_SEGMENTS = 8192, NOBODY = -1, OUTSIDE = -2, FIRST_SHOWN = 5 };

/* Who wrote which bytes last. */
typedef struct segment {
    const char *from, *end;
    int writer;
} segment;

typedef struct checker {
    const jsni_make *make;
    const jsni_graph *graph;
    const char *what;
    const char *arena, *arena_end, *grads, *grads_end;
    segment segments[MOST_SEGMENTS];
    size_t count;
    struct {
        extents touched;
        size_t mark; /* of its group, 0 while it is open */
        int task;
    } side[MOST_SEGMENTS]; /* work that the main line has not waited for */
    size_t side_count;
    size_t faults;
} checker;

static const char *name_of(const checker *c, int task)
{
    static char text[2][96];
    static size_t turn;
    char *to = text[turn++ % 2];
    if (task < 0)
        return task == OUTSIDE ? "the caller" : "nobody";
    const jsni_task *t = &c->make->tasks[task];
    (void)snprintf(to, sizeof text[0], "%d (%s %s)", task,
                   jsni_task_text(t->kind, false) + strlen("forward: "),
                   c->graph->nodes[t->node].name);
    return to;
}

static void fault(checker *c, const char *problem, int task, int other)
{
    if (c->faults++ < FIRST_SHOWN && c->what != NULL)
        print_message("%s: task %s %s %s\n", c->what, name_of(c, task), problem,
                      name_of(c, other));
}

static void add_segment(checker *c, const char *from, const char *end, int writer)
{
    if (from >= end)
        return;
    assert_true(c->count < MOST_SEGMENTS);
    c->segments[c->count++] = (segment){from, end, writer};
}

static void record_write(checker *c, const char *from, const char *end, int writer)
{
    const size_t before = c->count;
    size_t kept = 0;
    segment cut[2] = {{NULL, NULL, NOBODY}, {NULL, NULL, NOBODY}};
    for (size_t i = 0; i < before; i++) {
        segment s = c->segments[i];
        if (s.from < from && s.end > from)
            cut[0] = (segment){s.from, from, s.writer};
        if (s.from < end && s.end > end)
            cut[1] = (segment){end, s.end, s.writer};
        if (s.end <= from || s.from >= end)
            c->segments[kept++] = s;
    }
    c->count = kept;
    for (size_t i = 0; i < 2; i++)
        add_segment(c, cut[i].from, cut[i].end, cut[i].writer);
    add_segment(c, from, end, writer);
}

static void check_read(checker *c, const char *from, const char *end, int reader)
{
    size_t known = 0;
    int writer = NOBODY;
    bool several = false;
    for (size_t i = 0; i < c->count; i++) {
        const segment *s = &c->segments[i];
        const char *a = s->from > from ? s->from : from;
        const char *b = s->end < end ? s->end : end;
        if (a >= b)
            continue;
        several = several || (writer != NOBODY && writer != s->writer);
        writer = s->writer;
        known += (size_t)(b - a);
    }
    if (known != (size_t)(end - from))
        fault(c, "reads what was not written; some of it was by", reader, writer);
    else if (several)
        fault(c, "reads what several have written, at last", reader, writer);
}

static bool overlap(const extent *a, const extent *b)
{
    return a->at < b->at + b->bytes && b->at < a->at + a->bytes &&
           (a->write || b->write);
}

static void check_beside(checker *c, const extents *touched, int task)
{
    for (size_t i = 0; i < c->side_count; i++)
        for (size_t k = 0; k < c->side[i].touched.count; k++)
            for (size_t j = 0; j < touched->count; j++)
                if (overlap(&touched->list[j], &c->side[i].touched.list[k]))
                    fault(c, "may run beside, and meets the memory of", task,
                          c->side[i].task);
}

/* Forgets the groups up to `mark`, which are over. */
static void waited(checker *c, size_t mark)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->side_count; i++)
        if (c->side[i].mark == 0 || c->side[i].mark > mark)
            c->side[kept++] = c->side[i];
    c->side_count = kept;
}

static void check_task(checker *c, int number)
{
    const jsni_task *task = &c->make->tasks[number];
    extents touched;
    task_extents(task, c->make->finals, &touched);
    if (task->wait)
        waited(c, task->wait);
    if (!task->side)
        check_beside(c, &touched, number);
    for (int write = 0; write < 2; write++)
        for (size_t i = 0; i < touched.count; i++) {
            const extent *e = &touched.list[i];
            const char *end = e->at + e->bytes;
            if (e->write != (bool)write)
                continue;
            if (!(e->at >= c->arena && end <= c->arena_end) &&
                !(e->at >= c->grads && end <= c->grads_end))
                fault(c, "leaves the memory it was given by", number, OUTSIDE);
            if (write)
                record_write(c, e->at, end, number);
            else
                check_read(c, e->at, end, number);
        }
    if (task->kind == JSNI_TASK_OWN_WEIGHTS) {
        const jsni_conv_weight_args *a = &task->as.weights.args;
        const int channels = task->as.weights.channels, least = channels == 128 ? 8 : 2;
        const int parts = jsni_conv3x3_weight_parts(channels, a->images, a->turns,
                                                    task->as.weights.clusters);
        const int most =
            task->as.weights.clusters && channels > 32 ? 4 * least : 2 * least;
        const int each = parts < 1 ? 0 : a->images / parts;
        if (parts < 1 || each * parts != a->images || each < least || each > most ||
            (each != least && each % (2 * least) != 0))
            fault(c, "adds up unequal numbers of images, which are given by", number,
                  OUTSIDE);
    }
    if (task->side) {
        assert_true(c->side_count < MOST_SEGMENTS);
        c->side[c->side_count].touched = touched;
        c->side[c->side_count].task = number;
        c->side[c->side_count++].mark = 0;
    }
    for (size_t i = 0; task->mark && i < c->side_count; i++)
        if (c->side[i].mark == 0)
            c->side[i].mark = task->mark;
}

static void write_outside(checker *c, int buffer, size_t bytes)
{
    const char *at = jsni_make_at(c->make, buffer);
    record_write(c, at, at + bytes, OUTSIDE);
}

/* Faults of a program; `what` names it in messages, NULL: silently. */
static size_t check_program(const jsni_make *make, const char *what)
{
    checker *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->make = make;
    c->graph = make->graph;
    c->what = what;
    c->arena = make->base.arena;
    c->arena_end = c->arena + make->high;
    c->grads = (const char *)make->base.grads;
    c->grads_end = c->grads + make->graph->param_floats * sizeof(float);
    write_outside(c, make->input, jsni_make_bytes(make, 0));
    for (size_t i = 0; i < make->forward_tasks; i++)
        check_task(c, (int)i);
    const size_t last = make->graph->node_count - 1;
    const char *out = jsni_make_at(make, make->nodes[last].value);
    check_read(c, out, out + jsni_make_bytes(make, last), OUTSIDE);
    if (make->training) {
        waited(c, SIZE_MAX);
        write_outside(c, make->output_grad, jsni_make_bytes(make, last));
        for (size_t i = make->forward_tasks; i < make->task_count; i++)
            check_task(c, (int)i);
        for (size_t i = 0; i < make->graph->param_count; i++) {
            const jsni_tensor *t = &make->graph->params[i];
            const char *at = (const char *)(make->base.grads + t->offset);
            check_read(c, at, at + t->count * sizeof(float), OUTSIDE);
        }
    }
    if (make->input_grad != JSNI_NO_BUFFER) {
        const char *at = jsni_make_at(make, make->input_grad);
        check_read(c, at, at + jsni_make_bytes(make, 0), OUTSIDE);
    }
    const size_t faults = c->faults;
    free(c);
    return faults;
}

/* ---- programs ---- */

/* What devices and the code compiled for them can do; the last does without own
 * kernels. */
static const struct device {
    const char *name;
    bool wide, clusters, roomy, plain;
} devices[] = {{"9.0a", true, true, true, false},
               {"9.0", false, true, true, false},
               {"8.0", false, false, true, false},
               {"8.6", false, false, false, false},
               {"plain", true, true, true, true}};

typedef struct program {
    jsni_make make;
    jsni_packed_at *packed;
    char *arena, *weights;
    float *params, *grads, *stats;
} program;

static void make_begin(jsni_make *m, const jsni_graph *graph,
                       const jsni_plan_options *options, const struct device *device)
{
    memset(m, 0, sizeof *m);
    m->graph = graph;
    m->options = *options;
    m->wide = device->wide;
    m->clusters = device->clusters;
    m->roomy = device->roomy;
    m->no_own = device->plain;
    m->views = options->views;
    m->samples = options->batch;
    m->training = options->training;
}

static void program_open(program *p, const jsni_graph *graph,
                         const jsni_plan_options *options, const struct device *device)
{
    memset(p, 0, sizeof *p);
    jsni_make *m = &p->make;
    make_begin(m, graph, options, device);
    p->packed = calloc(graph->node_count, sizeof *p->packed);
    m->packed = p->packed;
    assert_ok(jsni_make_run(m));
    const size_t high = m->high, tasks = m->task_count;
    jsni_make_release(m);
    /* None of it is read or written: pages that are never touched cost nothing. */
    p->arena = aligned_alloc(1024, high);
    p->weights = malloc(1);
    p->params = calloc(graph->param_floats + 1, sizeof *p->params);
    p->grads = calloc(graph->param_floats + 1, sizeof *p->grads);
    p->stats = calloc(graph->stat_floats + 1, sizeof *p->stats);
    m->tasks = calloc(tasks + 1, sizeof *m->tasks);
    m->finals = calloc(graph->node_count, sizeof *m->finals);
    assert_true(p->packed && p->arena && p->weights && p->params && p->grads &&
                p->stats && m->tasks && m->finals);
    m->task_capacity = tasks + 1;
    m->base = (jsni_make_base){.arena = p->arena,
                               .params = p->params,
                               .grads = p->grads,
                               .stats = p->stats,
                               .packed = p->weights,
                               .finals = m->finals};
    assert_ok(jsni_make_run(m));
    assert_true(m->high <= high);
    assert_true(m->task_count <= tasks);
}

static void program_close(program *p)
{
    free(p->make.tasks);
    free(p->make.finals);
    jsni_make_release(&p->make);
    free(p->packed);
    free(p->arena);
    free(p->weights);
    free(p->params);
    free(p->grads);
    free(p->stats);
}

/* Own convolutions of a program that the plan has packed no weights for. */
static size_t count_unpacked(const program *p, const jsni_plan_options *options,
                             const struct device *device, const char *what)
{
    jsni_make own;
    size_t faults = 0;
    make_begin(&own, p->make.graph, options, device);
    assert_ok(jsni_make_analyse_own(&own));
    for (size_t n = 0; n < p->make.graph->node_count; n++)
        if (p->make.nodes[n].how == JSNI_HOW_OWN && own.nodes[n].how != JSNI_HOW_OWN) {
            print_message("%s: %s has no packed weights\n", what,
                          p->make.graph->nodes[n].name);
            faults++;
        }
    jsni_make_release(&own);
    return faults;
}

static size_t check_shapes(const char *network, const jsni_graph *graph,
                           const jsni_plan_options *base)
{
    static const size_t shapes[][2] = {{1, 1},  {1, 5},  {1, 8},  {2, 8},  {3, 8},
                                       {1, 16}, {2, 12}, {1, 24}, {3, 24}, {2, 128}};
    size_t faults = 0;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (size_t d = 0; d < sizeof devices / sizeof devices[0]; d++) {
            char what[128];
            jsni_plan_options options = *base;
            options.views = shapes[s][0];
            options.batch = shapes[s][1];
            (void)snprintf(what, sizeof what, "%s, precision %d, %zu x %zu, %s%s, %s",
                           network, (int)base->precision, shapes[s][0], shapes[s][1],
                           base->training ? "training" : "evaluation",
                           base->input_gradient ? ", dx" : "", devices[d].name);
            program p;
            program_open(&p, graph, &options, &devices[d]);
            faults += check_program(&p.make, what);
            faults += count_unpacked(&p, &options, &devices[d], what);
            program_close(&p);
        }
    return faults;
}

static void test_every_program_keeps_to_its_memory(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        size_t side;
    } networks[] = {{"preactresnet34", 32}, {"preactresnet34", 16},
                    {"resnet18", 32},       {"resnet50", 64},
                    {"vgg19bn", 32},        {"cnn", 32},
                    {"resnet34-plc", 32},   {"mlp", 8},
                    {"mobilenetv2", 40},    {"efficientnet-lite0", 34}};
    static const jsn_precision precisions[] = {JSN_PRECISION_FP32, JSN_PRECISION_TF32,
                                               JSN_PRECISION_BF16};
    size_t faults = 0;
    for (size_t n = 0; n < sizeof networks / sizeof networks[0]; n++) {
        const jsni_shape in = {3, networks[n].side, networks[n].side};
        jsni_graph *graph = NULL;
        assert_ok(jsni_network_build(networks[n].spec, in, 10, &graph));
        for (size_t p = 0; p < sizeof precisions / sizeof precisions[0]; p++)
            for (int mode = 0; mode < 3; mode++) {
                const jsni_plan_options options = {.precision = precisions[p],
                                                   .training = mode > 0,
                                                   .input_gradient = mode > 1};
                faults += check_shapes(networks[n].spec, graph, &options);
            }
        jsni_graph_destroy(graph);
    }
    if (faults != 0)
        fail_msg("%zu faults", faults);
}

/* ---- the checker is checked ---- */

static jsni_task *find(const program *p, jsni_task_kind kind, size_t which)
{
    for (size_t i = 0; i < p->make.task_count; i++)
        if (p->make.tasks[i].kind == kind && which-- == 0)
            return &p->make.tasks[i];
    fail_msg("no such task");
    return NULL;
}

static void test_the_checker_finds_what_is_wrong(void **state)
{
    (void)state;
    jsni_graph *graph = NULL;
    const jsni_shape in = {3, 32, 32};
    const jsni_plan_options options = {
        .batch = 8, .views = 2, .precision = JSN_PRECISION_BF16, .training = true};
    assert_ok(jsni_network_build("preactresnet34", in, 10, &graph));
    for (int wrong = 0; wrong <= 10; wrong++) {
        program p;
        program_open(&p, graph, &options, &devices[0]);
        jsni_task *weights = find(&p, JSNI_TASK_OWN_WEIGHTS, 3);
        jsni_task *conv = find(&p, JSNI_TASK_OWN_CONV, 40);
        switch (wrong) {
        case 1: /* no waiting */
            for (size_t i = 0; i < p.make.task_count; i++)
                p.make.tasks[i].wait = 0;
            break;
        case 2: /* waits for an older group than it must */
            for (size_t i = 0; i < p.make.task_count; i++)
                p.make.tasks[i].wait -= p.make.tasks[i].wait > 2 ? 2 : 0;
            break;
        case 3: /* partial sums that run into their neighbour */
            weights->as.weights.args.part += 1024 / sizeof(float4);
            break;
        case 4: /* more images than there are */
            conv->as.conv.args.images += 8;
            break;
        case 5: /* sums of more parts than were written */
            p.make.finals[2].parts++;
            break;
        case 6: /* a gradient into its neighbour's place */
            p.make.finals[2].gradient++;
            break;
        case 7: /* coefficients of one more channel */
            find(&p, JSNI_TASK_NORM_FINISH, 2)->as.norm.channels++;
            break;
        case 8: /* outside the arena */
            conv->as.conv.args.y = p.arena + p.make.high - 1024;
            break;
        case 9: /* sums that lie before those that are cleared */
            conv->as.conv.args.sums -= 8;
            break;
        case 10: /* coefficients of sums that another convolution left */
            conv->as.conv.args.through.exact += 8;
            break;
        }
        const size_t faults = check_program(&p.make, NULL);
        if ((faults != 0) != (wrong != 0))
            fail_msg("case %d: %zu faults", wrong, faults);
        program_close(&p);
    }
    jsni_graph_destroy(graph);
}

/* Partial sums of weights: room for a batch holds those of every smaller one. */
static void test_partial_sums_of_smaller_batches_fit(void **state)
{
    (void)state;
    for (int channels = 32; channels <= 128; channels *= 2)
        for (int room = 8; room <= 640; room += 8)
            for (int images = 8; images <= room; images += 8)
                for (int views = 1; views <= 2 && images / views % 8 == 0; views++)
                    for (int clusters = 0; clusters < 2; clusters++) {
                        const int turns =
                            jsni_conv3x3_weight_turns(channels, images, images / views);
                        const int parts = jsni_conv3x3_weight_parts(channels, images,
                                                                    turns, clusters);
                        assert_true(
                            weight_part_bytes(channels, parts) <=
                            jsni_conv3x3_weight_bytes(channels, room, clusters));
                    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_program_keeps_to_its_memory),
        cmocka_unit_test(smaller_batches_fit),
        cmocka_unit_test(test_partial_sums_of_smaller_batches_fit),
        cmocka_unit_test(test_the_checker_finds_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
