/* tests/loss/test_loss_golden.c - every golden loss case (220-digit arithmetic, see
 * tests/golden/losses.json) in double and at every level of this machine.
 *
 * Measure: |got - want| / max(1, |want|) for a loss; for a gradient, times the batch
 * size, the largest difference over max(1, largest |want|). Tolerances are those that
 * come with the vectors. */
#include "support/support.h"

#include <math.h>

#include "format/safetensors.h"
#include "jensen/json.h"
#include "jensen/loss.h"

enum { MOST = 5 * 8 * 1000, CASES = 1061 };

typedef struct golden {
    jsni_safetensors *tensors;
    jsn_json *manifest;
} golden;

/* One case, as the library wants it. */
typedef struct golden_case {
    const char *name;
    char spec[256];
    size_t views, samples, classes;
    bool extreme; /* pi1 outside [0.01, 0.99] */
    const float *logits[5];
    const int32_t *labels;
    const float *targets;
    const double *loss;
    const double *grad[5];
} golden_case;

static const void *tensor(const golden *g, const char *prefix, const char *name,
                          const char *suffix)
{
    char key[200];
    (void)snprintf(key, sizeof key, "%s%s/%s", prefix, name, suffix);
    const jsni_safetensor *found = jsni_safetensors_find(g->tensors, key);
    if (found == NULL)
        fail_msg("no tensor %s", key);
    return found->data;
}

/* The manifest's name of a loss and the spec it stands for. */
static const struct {
    const char *golden;
    const char *spec;
} names[] = {
    {"mae_half", "mae:half=1,"},
    {"gjs_nocons", "gjs-nocons:"},
    {"ls_ce", "ls:"},
    {"gjs_consistency", "gjs-consistency:"},
    {"ls_kl", "ls:kl=1,"},
    {"bootstrap", "bs:"},
    {"nce_rce", "nce+rce:"},
    {"kl_rev", "kl-rev:"},
    {"k_rev", "k-rev:"},
};

static void add(char *spec, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(char *spec, const char *format, ...)
{
    const size_t used = strlen(spec);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(spec + used, 256 - used, format, args);
    va_end(args);
}

static void add_params(golden_case *c, const jsn_json *params)
{
    const jsn_json *value = NULL;
    double pi1 = 0.5;
    if ((value = jsn_json_get(params, "weights")) != NULL) {
        pi1 = jsn_json_real(jsn_json_at(value, 0));
        for (size_t i = 0; i < jsn_json_count(value); i++)
            add(c->spec, "%s%s", i == 0 ? "pi=" : "/",
                jsn_json_text(jsn_json_at(value, i)));
        add(c->spec, ",");
    } else if ((value = jsn_json_get(params, "pi1")) != NULL) {
        pi1 = jsn_json_real(value);
        add(c->spec, "pi1=%s,", jsn_json_text(value));
    }
    c->extreme = pi1 < 0.01 || pi1 > 0.99;
    if ((value = jsn_json_get(params, "scaled")) != NULL)
        add(c->spec, "scale=%d,", jsn_json_bool(value));
    if ((value = jsn_json_get(params, "t")) != NULL) {
        if (strncmp(c->spec, "ls", 2) == 0)
            add(c->spec, "epsilon=%s,", jsn_json_text(value));
        else /* the manifest's t weighs the prediction */
            add(c->spec, "beta=%.17g,", 1.0 - jsn_json_real(value));
    }
    static const char *const same[] = {"alpha", "beta", "q"};
    for (size_t i = 0; i < 3; i++)
        if ((value = jsn_json_get(params, same[i])) != NULL)
            add(c->spec, "%s=%s,", same[i], jsn_json_text(value));
    c->spec[strlen(c->spec) - 1] = '\0'; /* the last ',' or ':' */
}

static void read_case(const golden *g, const jsn_json *entry, golden_case *c)
{
    const char *loss = NULL;
    const char *inputs = NULL;
    const char *target = NULL;
    int64_t views = 0;
    memset(c, 0, sizeof *c);
    assert_ok(jsn_json_get_text(entry, "name", &c->name));
    assert_ok(jsn_json_get_text(entry, "loss", &loss));
    assert_ok(jsn_json_get_text(entry, "inputs", &inputs));
    assert_ok(jsn_json_get_text(entry, "target", &target));
    assert_ok(jsn_json_get_int(entry, "views", &views));
    (void)snprintf(c->spec, sizeof c->spec, "%s:", loss);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i].golden, loss) == 0)
            (void)snprintf(c->spec, sizeof c->spec, "%s", names[i].spec);
    add_params(c, jsn_json_get(entry, "params"));

    c->views = (size_t)views;
    for (size_t v = 0; v < c->views; v++) {
        char suffix[32];
        (void)snprintf(suffix, sizeof suffix, "logits%zu", v + 1);
        c->logits[v] = tensor(g, "inputs/", inputs, suffix);
        (void)snprintf(suffix, sizeof suffix, "grad%zu", v + 1);
        c->grad[v] = tensor(g, "", c->name, suffix);
    }
    char key[200];
    (void)snprintf(key, sizeof key, "inputs/%s/logits1", inputs);
    const jsni_safetensor *shape = jsni_safetensors_find(g->tensors, key);
    c->samples = shape->shape[0];
    c->classes = shape->shape[1];
    if (strcmp(target, "labels") == 0)
        c->labels = tensor(g, "inputs/", inputs, "labels");
    else
        c->targets = tensor(g, "inputs/", inputs, target);
    c->loss = tensor(g, "", c->name, "loss");
}

static double loss_error(const golden_case *c, const double *values)
{
    double worst = 0.0;
    for (size_t i = 0; i < c->samples; i++) {
        const double error = fabs(values[i] - c->loss[i]) / fmax(1.0, fabs(c->loss[i]));
        worst = support_worse(worst, error);
    }
    return worst;
}

/* `grad` is [views][samples][classes]. */
static double gradient_error(const golden_case *c, const double *grad)
{
    const size_t step = c->samples * c->classes;
    double worst = 0.0;
    for (size_t v = 0; v < c->views; v++) {
        double scale = 1.0;
        double apart = 0.0;
        for (size_t k = 0; k < step; k++) {
            const double want = (double)c->samples * c->grad[v][k];
            const double error = fabs((double)c->samples * grad[v * step + k] - want);
            scale = fmax(scale, fabs(want));
            apart = support_worse(apart, error);
        }
        worst = support_worse(worst, apart / scale);
    }
    return worst;
}

typedef struct errors {
    double loss, gradient;
} errors;

static float floats[2][MOST];
static double doubles[3][MOST];

/* Evaluates a case; level JSN_LOSS_AUTO means float64 input. */
static errors evaluate(const golden_case *c, jsn_loss_level level)
{
    const size_t step = c->samples * c->classes;
    const size_t count = c->views * step;
    const bool f64 = level == JSN_LOSS_AUTO;
    double values[8];
    jsn_loss *loss = NULL;
    jsn_loss_batch batch;
    jsn_loss_batch_init(&batch);
    assert_true(count <= MOST);
    for (size_t k = 0; k < count; k++) {
        floats[0][k] = c->logits[k / step][k % step];
        doubles[0][k] = (double)floats[0][k];
    }
    for (size_t k = 0; k < step && c->targets != NULL; k++)
        doubles[2][k] = (double)c->targets[k];
    batch.samples = c->samples;
    batch.type = f64 ? JSN_LOSS_F64 : JSN_LOSS_F32;
    batch.logits = f64 ? (const void *)doubles[0] : floats[0];
    batch.labels = c->labels;
    if (c->targets != NULL)
        batch.targets = f64 ? (const void *)doubles[2] : c->targets;
    jsn_loss_result result = {0.0, values, f64 ? (void *)doubles[1] : floats[1]};
    assert_ok(jsn_loss_create(&loss, c->spec, c->classes, c->views));
    assert_ok(jsn_loss_set_level(loss, level));
    assert_ok(jsn_loss_eval(loss, &batch, &result));
    /* Which arithmetic ran. */
    assert_int_equal(jsn_loss_level_used(loss),
                     f64 || c->extreme ? JSN_LOSS_DOUBLE : level);
    jsn_loss_destroy(loss);

    double mean = 0.0;
    for (size_t i = 0; i < c->samples; i++)
        mean += values[i] / (double)c->samples;
    assert_close(result.mean, mean, 1e-14, 1e-14);
    for (size_t k = 0; k < count && !f64; k++)
        doubles[1][k] = (double)floats[1][k];
    const errors found = {loss_error(c, values), gradient_error(c, doubles[1])};
    return found;
}

static void check_level(const golden *g, jsn_loss_level level)
{
    const jsn_json *cases = jsn_json_get(g->manifest, "cases");
    const bool f64 = level == JSN_LOSS_AUTO;
    size_t failures = 0;
    errors worst = {0.0, 0.0};
    assert_int_equal(jsn_json_count(cases), CASES);
    for (size_t i = 0; i < CASES; i++) {
        golden_case c;
        read_case(g, jsn_json_at(cases, i), &c);
        const errors e = evaluate(&c, level);
        double most_loss = 3e-6;
        double most_gradient = 1e-5;
        if (f64)
            most_loss = most_gradient = c.extreme ? 1e-9 : 1e-12;
        else if (level == JSN_LOSS_DOUBLE || c.extreme)
            most_loss = most_gradient = 1e-6;
        if (!(e.loss <= most_loss) || !(e.gradient <= most_gradient)) {
            print_error("%s (%s): loss off by %.3g, gradient by %.3g\n", c.name, c.spec,
                        e.loss, e.gradient);
            failures++;
        }
        worst.loss = support_worse(worst.loss, e.loss);
        worst.gradient = support_worse(worst.gradient, e.gradient);
    }
    print_message("%s: worst loss %.2g, gradient %.2g\n",
                  f64 ? "float64" : jsn_loss_level_name(level), worst.loss,
                  worst.gradient);
    assert_int_equal(failures, 0);
}

static int open_golden(void **state)
{
    static golden g;
    assert_ok(jsni_safetensors_open(&g.tensors, JSN_TEST_GOLDEN "/losses.safetensors"));
    assert_ok(jsn_json_read(&g.manifest, JSN_TEST_GOLDEN "/losses.json"));
    *state = &g;
    return 0;
}

static int close_golden(void **state)
{
    golden *g = *state;
    jsn_json_destroy(g->manifest);
    jsni_safetensors_close(g->tensors);
    return 0;
}

static void test_float64_input_is_exact(void **state)
{
    check_level(*state, JSN_LOSS_AUTO);
}

static void test_float32_input_in_double(void **state)
{
    check_level(*state, JSN_LOSS_DOUBLE);
}

static void test_every_float_level_keeps_the_tolerance(void **state)
{
    for (int level = JSN_LOSS_PLAIN; level <= JSN_LOSS_AVX512; level++)
        if (jsn_loss_level_exists((jsn_loss_level)level))
            check_level(*state, (jsn_loss_level)level);
        else
            print_message("%s: not on this machine, skipped\n",
                          jsn_loss_level_name((jsn_loss_level)level));
}

/* The measure must notice a wrong value, a wrong sign and a number that is none. */
static void test_the_measure_rejects_wrong_answers(void **state)
{
    const golden *g = *state;
    golden_case c;
    double values[8];
    read_case(g, jsn_json_at(jsn_json_get(g->manifest, "cases"), 0), &c);
    const size_t step = c.samples * c.classes;
    memcpy(values, c.loss, c.samples * sizeof *values);
    memcpy(doubles[1], c.grad[0], step * sizeof(double));
    assert_true(loss_error(&c, values) == 0.0);
    assert_true(gradient_error(&c, doubles[1]) == 0.0);
    values[1] += 1e-5;
    doubles[1][1] = -doubles[1][1];
    assert_true(loss_error(&c, values) > 3e-6);
    assert_true(gradient_error(&c, doubles[1]) > 1e-5);
    values[1] = NAN;
    doubles[1][1] = NAN;
    assert_false(loss_error(&c, values) <= 1.0);
    assert_false(gradient_error(&c, doubles[1]) <= 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_float64_input_is_exact),
        cmocka_unit_test(test_float32_input_in_double),
        cmocka_unit_test(test_every_float_level_keeps_the_tolerance),
        cmocka_unit_test(test_the_measure_rejects_wrong_answers),
    };
    return cmocka_run_group_tests_name("loss/golden", tests, open_golden, close_golden);
}
