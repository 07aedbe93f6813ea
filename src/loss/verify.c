/* loss/verify.c - jsn_loss_verify(): a loss through what all of them must satisfy, for
 * losses that no test of the tree knows. The oracle of the gradient is the value itself,
 * by signed central differences; everything else compares two ways to the same number. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "jensen/loss.h"
#include "loss/loss_impl.h"

enum { SAMPLES = 3, MOST_CLASSES = 1000 };

enum { GRADIENT, SHIFT_VALUE, SHIFT_GRADIENT, FLOAT_VALUE, FLOAT_GRADIENT, FINITE };

static const jsn_loss_finding blank[JSN_LOSS_FINDINGS] = {
    [GRADIENT] = {"gradient beside central differences", 0, 1e-8, true},
    [SHIFT_VALUE] = {"value after a shift of all logits", 0, 1e-12, true},
    [SHIFT_GRADIENT] = {"gradient after a shift of all logits", 0, 1e-12, true},
    [FLOAT_VALUE] = {"value of float32 logits beside float64", 0, 3e-6, true},
    [FLOAT_GRADIENT] = {"gradient of float32 logits beside float64", 0, 1e-5, true},
    [FINITE] = {"results that are not finite: ties, extreme logits", 0, 0, true},
};

/* A batch with its results. */
typedef struct probe {
    jsn_loss *loss;
    size_t classes, views, entries;
    bool soft;
    double *logits, *grad, *other; /* [views][SAMPLES][classes] */
    double *targets;               /* [SAMPLES][classes] */
    float *logits_f, *targets_f, *grad_f;
    int32_t labels[SAMPLES];
    double mean;
} probe;

/* Keeps the worst; what is not a number is worse than any. */
static void note(jsn_loss_finding *finding, double error)
{
    if (!(error <= finding->worst))
        finding->worst = error;
    finding->passed = finding->worst <= finding->limit;
}

/* Numbers in [-1, 1) from a fixed sequence. */
static double draw(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 23) - 1.0;
}

/* Logits and targets are floats, so that both types see the same. */
static void fill(probe *p, double spread)
{
    uint32_t seed = 7;
    for (size_t k = 0; k < p->entries; k++)
        p->logits[k] = (double)(float)(spread * draw(&seed));
    for (size_t i = 0; i < SAMPLES; i++) {
        double *row = p->targets + i * p->classes, sum = 0.0;
        p->labels[i] = (int32_t)((i * 7 + 1) % p->classes);
        for (size_t k = 0; k < p->classes; k++) {
            const double t = k % 3 == 2 ? 0.0 : 1.0 + draw(&seed);
            row[k] = k == (size_t)p->labels[i] ? 1.0 : t;
            sum += row[k];
        }
        for (size_t k = 0; k < p->classes; k++)
            row[k] = (double)(float)(row[k] / sum);
    }
}

/* In double; `grad` may be NULL. A loss that is not finite gives NaN. */
static jsn_status evaluate(probe *p, double *grad)
{
    jsn_loss_batch batch;
    jsn_loss_result result = {0.0, NULL, grad};
    jsn_loss_batch_init(&batch);
    batch.samples = SAMPLES;
    batch.type = JSN_LOSS_F64;
    batch.logits = p->logits;
    batch.labels = p->soft ? NULL : p->labels;
    batch.targets = p->soft ? p->targets : NULL;
    const jsn_status status = jsn_loss_eval(p->loss, &batch, &result);
    p->mean = status == JSN_ERR_NUMERIC ? NAN : result.mean;
    return status == JSN_ERR_NUMERIC ? JSN_OK : status;
}

static jsn_status evaluate_float(probe *p)
{
    jsn_loss_batch batch;
    jsn_loss_result result = {0.0, NULL, p->grad_f};
    jsn_loss_batch_init(&batch);
    for (size_t k = 0; k < p->entries; k++)
        p->logits_f[k] = (float)p->logits[k];
    for (size_t k = 0; k < SAMPLES * p->classes; k++)
        p->targets_f[k] = (float)p->targets[k];
    batch.samples = SAMPLES;
    batch.logits = p->logits_f;
    batch.labels = p->soft ? NULL : p->labels;
    batch.targets = p->soft ? p->targets_f : NULL;
    const jsn_status status = jsn_loss_eval(p->loss, &batch, &result);
    p->mean = status == JSN_ERR_NUMERIC ? NAN : result.mean;
    return status == JSN_ERR_NUMERIC ? JSN_OK : status;
}

/* The step of 1e-5 puts both errors of the difference near 1e-10. */
static jsn_status check_gradient(probe *p, jsn_loss_finding *findings)
{
    const double step = 1e-5;
    JSNI_TRY(evaluate(p, p->grad));
    const double size = fmax(1.0, fabs(p->mean));
    for (size_t k = 0; k < p->entries; k++) {
        const double at = p->logits[k];
        p->logits[k] = at + step;
        JSNI_TRY(evaluate(p, NULL));
        const double above = p->mean;
        p->logits[k] = at - step;
        JSNI_TRY(evaluate(p, NULL));
        p->logits[k] = at;
        note(&findings[GRADIENT],
             fabs(p->grad[k] - (above - p->mean) / (2.0 * step)) / size);
    }
    return JSN_OK;
}

/* Clipped logits are no probabilities' business: a shift changes their norm. */
static jsn_status check_shift(probe *p, jsn_loss_finding *findings)
{
    if (p->loss->clip.tau > 0.0)
        return JSN_OK;
    JSNI_TRY(evaluate(p, p->grad));
    const double mean = p->mean, size = fmax(1.0, fabs(mean));
    for (size_t k = 0; k < p->entries; k++)
        p->logits[k] += 100.0;
    JSNI_TRY(evaluate(p, p->other));
    note(&findings[SHIFT_VALUE], fabs(p->mean - mean) / size);
    for (size_t k = 0; k < p->entries; k++)
        note(&findings[SHIFT_GRADIENT], fabs(p->other[k] - p->grad[k]) / size);
    return JSN_OK;
}

static jsn_status check_float(probe *p, jsn_loss_finding *findings)
{
    JSNI_TRY(evaluate(p, p->grad));
    const double mean = p->mean, size = fmax(1.0, fabs(mean));
    double scale = 1.0;
    for (size_t k = 0; k < p->entries; k++)
        scale = fmax(scale, SAMPLES * fabs(p->grad[k]));
    JSNI_TRY(evaluate_float(p));
    note(&findings[FLOAT_VALUE], fabs(p->mean - mean) / size);
    for (size_t k = 0; k < p->entries; k++)
        note(&findings[FLOAT_GRADIENT],
             SAMPLES * fabs((double)p->grad_f[k] - p->grad[k]) / scale);
    return JSN_OK;
}

/* Counts values and gradients that are not finite. */
static jsn_status check_finite(probe *p, jsn_loss_finding *findings)
{
    enum { TIES, EQUAL, EXTREME, CASES };
    for (int c = 0; c < CASES; c++) {
        double bad = 0.0;
        for (size_t k = 0; k < p->entries; k++) {
            const double z = p->logits[k];
            p->logits[k] = c == TIES    ? (k % 2 == 0 ? 0.75 : -0.5)
                           : c == EQUAL ? 3.0
                           : k % 3 == 0 ? 1e4
                           : k % 3 == 1 ? -1e4
                                        : z;
        }
        JSNI_TRY(evaluate(p, p->grad));
        bad += isfinite(p->mean) ? 0.0 : 1.0;
        for (size_t k = 0; k < p->entries; k++)
            bad += isfinite(p->grad[k]) ? 0.0 : 1.0;
        note(&findings[FINITE], bad);
    }
    return JSN_OK;
}

typedef jsn_status check_fn(probe *p, jsn_loss_finding *findings);

static jsn_status run(probe *p, const char *spec, size_t classes, double spread,
                      check_fn *check, jsn_loss_finding *findings)
{
    jsn_loss *loss = NULL;
    JSNI_TRY(jsn_loss_create(&loss, spec, classes, p->views));
    p->loss = loss;
    p->classes = classes;
    p->entries = p->views * SAMPLES * classes;
    jsn_status status = JSN_OK;
    for (int soft = 0; status == JSN_OK && soft <= loss->info.soft; soft++) {
        p->soft = soft != 0;
        fill(p, spread);
        status = check(p, findings);
    }
    jsn_loss_destroy(loss);
    return status;
}

static jsn_status run_all(probe *p, const char *spec, jsn_loss_finding *findings)
{
    static const struct {
        size_t classes;
        double spread;
        check_fn *check;
    } plan[] = {
        {2, 2, check_gradient}, {4, 2, check_gradient},  {17, 3, check_gradient},
        {7, 3, check_shift},    {2, 4, check_float},     {10, 4, check_float},
        {130, 4, check_float},  {1000, 4, check_float},  {2, 1, check_finite},
        {10, 1, check_finite},  {1000, 1, check_finite},
    };
    for (size_t i = 0; i < JSNI_COUNT_OF(plan); i++)
        JSNI_TRY(
            run(p, spec, plan[i].classes, plan[i].spread, plan[i].check, findings));
    return JSN_OK;
}

jsn_status jsn_loss_verify(const char *spec,
                           jsn_loss_finding findings[JSN_LOSS_FINDINGS])
{
    JSNI_NEED(spec);
    JSNI_NEED(findings);
    probe p = {0};
    JSNI_TRY(jsn_loss_check(spec, &p.views));
    const size_t most = p.views * SAMPLES * MOST_CLASSES, rows = SAMPLES * MOST_CLASSES;
    double *real = jsni_alloc_zero(3 * most + rows, sizeof *real);
    float *single = jsni_alloc_zero(2 * most + rows, sizeof *single);
    jsn_status status = real == NULL || single == NULL ? JSN_ERR_MEMORY : JSN_OK;
    if (status == JSN_OK) {
        p.logits = real;
        p.grad = real + most;
        p.other = real + 2 * most;
        p.targets = real + 3 * most;
        p.logits_f = single;
        p.grad_f = single + most;
        p.targets_f = single + 2 * most;
        memcpy(findings, blank, sizeof blank);
        status = run_all(&p, spec, findings);
    }
    jsni_free(real);
    jsni_free(single);
    return status;
}
