/* audit/calibrate.c - probabilities of labels that agree with the labels themselves.
 *
 * A loss that bears wrong labels gives probabilities near 1 although many labels differ, and
 * a short training leaves whole classes out. Both show in the given labels, which the model
 * has not seen: how often does it give which probability to a label? So the probabilities
 * become
 *
 *     q(c) ~ p(c)^power exp(offset(c)),
 *
 * where the offsets make the mean of q what the share of each label is, and the power is the
 * most likely one for the labels: those come from q, but for a share, fitted as well, that
 * come from classes drawn by q, by the transition from classes to labels. So the noise that
 * the model does not show is not taken for its being too sure. The true labels have no part
 * in it. */
#include <math.h>
#include <string.h>

#include "audit/audit_impl.h"
#include "core/alloc.h"
#include "core/hd.h"

static const double powers[] = {0.35, 0.5, 0.7, 0.85, 1.0, 1.2, 1.45, 1.75, 2.1, 2.5};
static const double moved_shares[] = {0.0, 0.02, 0.05, 0.1,  0.2, 0.3,
                                      0.4, 0.5,  0.7,  0.85, 1.0};

enum {
    MOST_VALUES = 400000, /* of the samples that are looked at ... */
    LEAST_SAMPLES = 2000, /* ... but no fewer, where there are as many */
    FIRST_STEPS = 15,     /* for the offsets of the first power */
    STEPS = 5             /* for the next ones, which begin there */
};

/* Samples that are added to each class on both sides: chance moves no small class. */
#define PRIOR 20.0

typedef struct fitting {
    const jsni_audit_facts *facts;
    size_t count;
    float *logs;     /* [count][classes] */
    double *offset;  /* [classes] */
    double *sum, *q; /* [classes] */
} fitting;

static size_t sample_of(const fitting *f, size_t i)
{
    return i * f->facts->in->samples / f->count;
}

static double log_of(double p)
{
    const double least = 1e-12;
    return log(p > least ? p : least);
}

/* exp() of q's values over their sum. */
static void soften(double *q, size_t k)
{
    double most = q[0], sum = 0.0;
    for (size_t c = 1; c < k; c++)
        most = q[c] > most ? q[c] : most;
    for (size_t c = 0; c < k; c++)
        sum += q[c] = exp(q[c] - most);
    for (size_t c = 0; c < k; c++)
        q[c] /= sum;
}

static void calibrate_row(const fitting *f, size_t i, double power)
{
    const size_t k = f->facts->in->classes;
    for (size_t c = 0; c < k; c++)
        f->q[c] = power * (double)f->logs[i * k + c] + f->offset[c];
    soften(f->q, k);
}

static void step(fitting *f, double power)
{
    const size_t k = f->facts->in->classes;
    const double n = (double)f->facts->in->samples;
    memset(f->sum, 0, k * sizeof *f->sum);
    for (size_t i = 0; i < f->count; i++) {
        calibrate_row(f, i, power);
        for (size_t c = 0; c < k; c++)
            f->sum[c] += f->q[c];
    }
    for (size_t c = 0; c < k; c++)
        f->offset[c] += log(((double)f->facts->labelled[c] + PRIOR) /
                            (f->sum[c] / (double)f->count * n + PRIOR));
}

/* The mean logarithm of the given labels' probabilities, with the share of moved labels that
 * makes it largest. */
static double likelihood(const fitting *f, double power)
{
    const size_t k = f->facts->in->classes;
    double sums[JSNI_COUNT_OF(moved_shares)] = {0.0};
    for (size_t i = 0; i < f->count; i++) {
        const size_t given = (size_t)f->facts->in->labels[sample_of(f, i)];
        double moved = 0.0;
        calibrate_row(f, i, power);
        for (size_t c = 0; c < k; c++)
            moved += f->q[c] * f->facts->transition[c * k + given];
        for (size_t e = 0; e < JSNI_COUNT_OF(moved_shares); e++)
            sums[e] +=
                log_of((1.0 - moved_shares[e]) * f->q[given] + moved_shares[e] * moved);
    }
    double most = sums[0];
    for (size_t e = 1; e < JSNI_COUNT_OF(moved_shares); e++)
        most = sums[e] > most ? sums[e] : most;
    return most / (double)f->count;
}

static void fit(fitting *f, jsni_audit_facts *facts)
{
    const size_t k = facts->in->classes;
    double best = -INFINITY;
    for (size_t i = 0; i < f->count; i++) {
        (void)jsni_audit_row_read(facts->in, sample_of(f, i), f->q);
        for (size_t c = 0; c < k; c++)
            f->logs[i * k + c] = (float)log_of(f->q[c]);
    }
    for (size_t at = 0; at < JSNI_COUNT_OF(powers); at++) {
        for (int s = 0; s < (at == 0 ? FIRST_STEPS : STEPS); s++)
            step(f, powers[at]);
        const double found = likelihood(f, powers[at]);
        if (found > best) {
            best = found;
            facts->power = powers[at];
            memcpy(facts->offset, f->offset, k * sizeof *f->offset);
        }
    }
}

jsn_status jsni_audit_fit_labels(jsni_audit_facts *facts)
{
    const size_t n = facts->in->samples, k = facts->in->classes;
    const size_t wanted =
        MOST_VALUES / k > LEAST_SAMPLES ? MOST_VALUES / k : LEAST_SAMPLES;
    fitting f = {.facts = facts, .count = n < wanted ? n : wanted};
    f.logs = jsni_alloc(f.count * k, sizeof *f.logs);
    f.offset = jsni_alloc_zero(k, sizeof *f.offset);
    f.sum = jsni_alloc(k, sizeof *f.sum);
    f.q = jsni_alloc(k, sizeof *f.q);
    facts->offset = jsni_alloc(k, sizeof *facts->offset);
    const bool room = f.logs != NULL && f.offset != NULL && f.sum != NULL &&
                      f.q != NULL && facts->offset != NULL;
    if (room)
        fit(&f, facts);
    jsni_free(f.logs);
    jsni_free(f.offset);
    jsni_free(f.sum);
    jsni_free(f.q);
    return room ? JSN_OK : JSN_ERR_MEMORY;
}

void jsni_audit_calibrate(const jsni_audit_facts *facts, const double *p, double *q)
{
    const size_t k = facts->in->classes;
    for (size_t c = 0; c < k; c++)
        q[c] = facts->power * log_of(p[c]) + facts->offset[c];
    soften(q, k);
}
