/* tests/loss/golden_method.c - see golden_method.h. */
#include "loss/golden_method.h"
#include "support/support.h"

#include <math.h>
#include <stdarg.h>

#include "core/fail.h"
#include "core/json.h"
#include "format/safetensors.h"
#include "loss/loss_mode.h"

enum { MOST = 2 * 1000, STEPS = 3 };

typedef struct method_case {
    const char *name, *loss, *method, *inputs;
    int64_t views, samples, classes;
} method_case;

typedef struct method_files {
    jsni_safetensors *inputs, *results;
    jsni_json *manifest;
} method_files;

/* Numbers of the case's arrays: logits, gradient, memory, in the type under test. */
static float floats[3][MOST];
static double doubles[3][MOST];

static const void *tensor(const jsni_safetensors *file, const char *format, ...)
    JSNI_PRINTF(2, 3);

static const void *tensor(const jsni_safetensors *file, const char *format, ...)
{
    char key[200];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(key, sizeof key, format, args);
    va_end(args);
    const jsni_safetensor *found = jsni_safetensors_find(file, key);
    if (found == NULL)
        fail_msg("no tensor %s", key);
    return found->data;
}

static double number(bool f64, size_t array, size_t at)
{
    return f64 ? doubles[array][at] : (double)floats[array][at];
}

/* The largest difference over the largest number, at least `least`. */
static double apart(bool f64, size_t array, size_t from, const double *want,
                    size_t count, double factor, double least)
{
    double scale = least, worst = 0.0;
    for (size_t k = 0; k < count; k++) {
        const double error = factor * fabs(number(f64, array, from + k) - want[k]);
        scale = fmax(scale, factor * fabs(want[k]));
        worst = support_worse(worst, error);
    }
    return scale == 0.0 ? worst : worst / scale;
}

/* The logits of a step: those of the inputs, every class as many places further. */
static void set_logits(const method_files *f, const method_case *c, size_t step)
{
    const size_t classes = (size_t)c->classes, rows = (size_t)c->samples * classes;
    for (size_t v = 0; v < (size_t)c->views; v++) {
        const float *from = tensor(f->inputs, "inputs/%s/logits%zu", c->inputs, v + 1);
        for (size_t k = 0; k < rows; k++) {
            const size_t to = k / classes * classes + (k % classes + step) % classes;
            floats[0][v * rows + to] = from[k];
            doubles[0][v * rows + to] = (double)from[k];
        }
    }
}

static void worsen(const method_files *f, const method_case *c, bool f64, int step,
                   const double *values, method_errors *worst)
{
    const size_t rows = (size_t)(c->samples * c->classes);
    const double *loss = tensor(f->results, "%s/loss%d", c->name, step);
    for (size_t i = 0; i < (size_t)c->samples; i++)
        worst->loss = support_worse(worst->loss, fabs(values[i] - loss[i]) /
                                                     fmax(1.0, fabs(loss[i])));
    for (size_t v = 0; v < (size_t)c->views; v++) {
        const double *grad = tensor(f->results, "%s/grad%d_%zu", c->name, step, v + 1);
        worst->gradient =
            support_worse(worst->gradient,
                          apart(f64, 1, v * rows, grad, rows, (double)c->samples, 1.0));
    }
    const double *memory = tensor(f->results, "%s/memory%d", c->name, step);
    worst->memory =
        support_worse(worst->memory, apart(f64, 2, 0, memory, rows, 1.0, 0.0));
}

static method_errors run_case(const method_files *f, const method_case *c, bool f64,
                              void (*begin)(jsn_loss *loss), method_eval_fn *eval)
{
    const size_t rows = (size_t)(c->samples * c->classes);
    method_errors worst = {0.0, 0.0, 0.0};
    jsn_loss *loss = NULL;
    jsn_loss_batch batch;
    double values[8];
    assert_true((size_t)c->views * rows <= MOST && c->samples <= 8);
    assert_ok(jsni_loss_create_method(&loss, c->loss, c->method, (size_t)c->classes,
                                      (size_t)c->views));
    if (begin != NULL)
        begin(loss);
    jsn_loss_batch_init(&batch);
    batch.samples = (size_t)c->samples;
    batch.type = f64 ? JSN_LOSS_F64 : JSN_LOSS_F32;
    batch.labels = tensor(f->inputs, "inputs/%s/labels", c->inputs);
    batch.logits = f64 ? (void *)doubles[0] : floats[0];
    batch.memory = f64 ? (void *)doubles[2] : floats[2];
    const double *first = tensor(f->results, "%s/memory0", c->name);
    for (size_t k = 0; k < rows; k++) {
        doubles[2][k] = first[k];
        floats[2][k] = (float)first[k];
    }
    for (int step = 1; step <= STEPS; step++) {
        set_logits(f, c, (size_t)step - 1);
        eval(loss, &batch, values, f64 ? (void *)doubles[1] : floats[1]);
        worsen(f, c, f64, step, values, &worst);
    }
    jsn_loss_destroy(loss);
    return worst;
}

size_t golden_methods(bool f64, void (*begin)(jsn_loss *loss), method_eval_fn *eval,
                      method_errors most)
{
    method_files f = {0};
    method_errors all = {0.0, 0.0, 0.0};
    size_t failures = 0;
    assert_ok(jsni_safetensors_open(&f.inputs, JSN_TEST_GOLDEN "/losses.safetensors"));
    assert_ok(
        jsni_safetensors_open(&f.results, JSN_TEST_GOLDEN "/methods.safetensors"));
    assert_ok(jsni_json_read(&f.manifest, JSN_TEST_GOLDEN "/methods.json"));
    const jsni_json *cases = jsni_json_get(f.manifest, "cases");
    assert_true(jsni_json_count(cases) >= 50);
    for (size_t i = 0; i < jsni_json_count(cases); i++) {
        const jsni_json *entry = jsni_json_at(cases, i);
        method_case c = {0};
        assert_ok(jsni_json_get_text(entry, "name", &c.name));
        assert_ok(jsni_json_get_text(entry, "loss", &c.loss));
        assert_ok(jsni_json_get_text(entry, "method", &c.method));
        assert_ok(jsni_json_get_text(entry, "inputs", &c.inputs));
        assert_ok(jsni_json_get_int(entry, "views", &c.views));
        assert_ok(jsni_json_get_int(entry, "samples", &c.samples));
        assert_ok(jsni_json_get_int(entry, "classes", &c.classes));
        const method_errors e = run_case(&f, &c, f64, begin, eval);
        if (!(e.loss <= most.loss) || !(e.gradient <= most.gradient) ||
            !(e.memory <= most.memory)) {
            print_error("%s: loss off by %.3g, gradient by %.3g, memory by %.3g\n",
                        c.name, e.loss, e.gradient, e.memory);
            failures++;
        }
        all.loss = support_worse(all.loss, e.loss);
        all.gradient = support_worse(all.gradient, e.gradient);
        all.memory = support_worse(all.memory, e.memory);
    }
    print_message("worst loss %.2g, gradient %.2g, memory %.2g\n", all.loss,
                  all.gradient, all.memory);
    jsni_json_destroy(f.manifest);
    jsni_safetensors_close(f.results);
    jsni_safetensors_close(f.inputs);
    return failures;
}
