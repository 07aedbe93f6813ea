/* tests/loss/golden_loss.c - see golden_loss.h. */
#include "support/support.h"

#include <math.h>

#include "core/json.h"
#include "core/text.h"
#include "loss/golden_loss.h"

static const void *tensor(const jsni_safetensors *tensors, const char *prefix,
                          const char *name, const char *suffix)
{
    char key[200];
    (void)snprintf(key, sizeof key, "%s%s/%s", prefix, name, suffix);
    const jsni_safetensor *found = jsni_safetensors_find(tensors, key);
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

/* The spec: `start` and the parameters. */
static void make_spec(golden_case *c, const char *start, const jsni_json *params)
{
    jsni_text spec = jsni_text_in(c->spec, sizeof c->spec);
    jsni_text_add(&spec, start);
    const jsni_json *value = NULL;
    double pi1 = 0.5;
    if ((value = jsni_json_get(params, "weights")) != NULL) {
        pi1 = jsni_json_real(jsni_json_at(value, 0));
        for (size_t i = 0; i < jsni_json_count(value); i++)
            jsni_text_format(&spec, "%s%s", i == 0 ? "pi=" : "/",
                             jsni_json_text(jsni_json_at(value, i)));
        jsni_text_format(&spec, ",");
    } else if ((value = jsni_json_get(params, "pi1")) != NULL) {
        pi1 = jsni_json_real(value);
        jsni_text_format(&spec, "pi1=%s,", jsni_json_text(value));
    }
    c->extreme = pi1 < 0.01 || pi1 > 0.99;
    if ((value = jsni_json_get(params, "scaled")) != NULL)
        jsni_text_format(&spec, "scale=%d,", jsni_json_bool(value));
    if ((value = jsni_json_get(params, "t")) != NULL) {
        if (strncmp(c->spec, "ls", 2) == 0)
            jsni_text_format(&spec, "epsilon=%s,", jsni_json_text(value));
        else /* the manifest's t weighs the prediction */
            jsni_text_format(&spec, "beta=%.17g,", 1.0 - jsni_json_real(value));
    }
    static const char *const same[] = {"alpha", "beta", "q"};
    for (size_t i = 0; i < 3; i++)
        if ((value = jsni_json_get(params, same[i])) != NULL)
            jsni_text_format(&spec, "%s=%s,", same[i], jsni_json_text(value));
    c->spec[strlen(c->spec) - 1] = '\0'; /* the last ',' or ':' */
}

/* The spec of a case by the manifest's name of its loss. */
static void name_spec(golden_case *c, const char *loss, const jsni_json *params)
{
    char start[64];
    (void)snprintf(start, sizeof start, "%s:", loss);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i].golden, loss) == 0)
            (void)snprintf(start, sizeof start, "%s", names[i].spec);
    make_spec(c, start, params);
}

void golden_read(const golden *g, size_t index, golden_case *c)
{
    const bool robust = index >= g->cases;
    const jsni_json *entry =
        jsni_json_at(jsni_json_get(robust ? g->robust_manifest : g->manifest, "cases"),
                     robust ? index - g->cases : index);
    const jsni_safetensors *results = robust ? g->robust_tensors : g->tensors;
    const char *loss = NULL;
    const char *inputs = NULL;
    const char *target = NULL;
    int64_t views = 0;
    memset(c, 0, sizeof *c);
    assert_ok(jsni_json_get_text(entry, "name", &c->name));
    assert_ok(jsni_json_get_text(entry, "inputs", &inputs));
    assert_ok(jsni_json_get_text(entry, "target", &target));
    assert_ok(jsni_json_get_int(entry, "views", &views));
    if (robust) {
        assert_ok(jsni_json_get_text(entry, "spec", &loss));
        (void)snprintf(c->spec, sizeof c->spec, "%s", loss);
    } else {
        assert_ok(jsni_json_get_text(entry, "loss", &loss));
        name_spec(c, loss, jsni_json_get(entry, "params"));
    }

    c->views = (size_t)views;
    for (size_t v = 0; v < c->views; v++) {
        char suffix[32];
        (void)snprintf(suffix, sizeof suffix, "logits%zu", v + 1);
        c->logits[v] = tensor(g->tensors, "inputs/", inputs, suffix);
        (void)snprintf(suffix, sizeof suffix, "grad%zu", v + 1);
        c->grad[v] = tensor(results, "", c->name, suffix);
    }
    char key[200];
    (void)snprintf(key, sizeof key, "inputs/%s/logits1", inputs);
    const jsni_safetensor *shape = jsni_safetensors_find(g->tensors, key);
    c->samples = shape->shape[0];
    c->classes = shape->shape[1];
    if (robust) {
        int64_t samples = 0; /* the first of them */
        assert_ok(jsni_json_get_int(entry, "samples", &samples));
        c->samples = (size_t)samples;
    }
    if (strcmp(target, "labels") == 0)
        c->labels = tensor(g->tensors, "inputs/", inputs, "labels");
    else
        c->targets = tensor(g->tensors, "inputs/", inputs, target);
    c->loss = tensor(results, "", c->name, "loss");
}

double golden_loss_error(const golden_case *c, const double *values)
{
    double worst = 0.0;
    for (size_t i = 0; i < c->samples; i++) {
        const double error = fabs(values[i] - c->loss[i]) / fmax(1.0, fabs(c->loss[i]));
        worst = support_worse(worst, error);
    }
    return worst;
}

double golden_gradient_error(const golden_case *c, const double *grad)
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

int golden_open(void **state)
{
    static golden g;
    assert_ok(jsni_safetensors_open(&g.tensors, JSN_TEST_GOLDEN "/losses.safetensors"));
    assert_ok(jsni_json_read(&g.manifest, JSN_TEST_GOLDEN "/losses.json"));
    assert_ok(jsni_safetensors_open(&g.robust_tensors,
                                    JSN_TEST_GOLDEN "/robust_losses.safetensors"));
    assert_ok(
        jsni_json_read(&g.robust_manifest, JSN_TEST_GOLDEN "/robust_losses.json"));
    g.cases = jsni_json_count(jsni_json_get(g.manifest, "cases"));
    g.robust_cases = jsni_json_count(jsni_json_get(g.robust_manifest, "cases"));
    g.count = g.cases + g.robust_cases;
    assert_int_equal(g.cases, 1061);
    assert_true(g.robust_cases >= 350);
    *state = &g;
    return 0;
}

int golden_close(void **state)
{
    golden *g = *state;
    jsni_json_destroy(g->robust_manifest);
    jsni_safetensors_close(g->robust_tensors);
    jsni_json_destroy(g->manifest);
    jsni_safetensors_close(g->tensors);
    return 0;
}
