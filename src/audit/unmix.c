/* audit/unmix.c - from the probabilities of labels to those of true classes.
 *
 * A model that is trained on labels learns how probable each label is. When label j is put
 * on class c with the share T(c,j), the model says q(j) = sum_c u(c) T(c,j) where u are the
 * probabilities of the true classes. u is found by the multiplicative steps of Richardson
 * and Lucy, which keep it positive and bring sum_c u(c) T(c,j) nearer to q in the sense of
 * the Kullback-Leibler divergence. By Bayes' rule the given label g is right with
 *
 *     u(g) T(g,g) / sum_c u(c) T(c,g).
 *
 * Where every label is as likely to be put on every other class, this falls with q(g) alone;
 * where class a is often labelled b, a label b on what looks like a is the suspect. Only the
 * most probable classes take part: the cost of a sample then does not grow with the square
 * of their number. */
#include <math.h>

#include "audit/audit_impl.h"

enum { MOST = 12, STEPS = 10 };

/* The given class and the most probable others, at most MOST; how many. */
static size_t choose_classes(const jsni_audit_row *row, size_t k, size_t chosen[MOST])
{
    size_t count = 1;
    chosen[0] = row->given;
    for (size_t c = 0; c < k; c++) {
        if (c == row->given || (count == MOST && row->p[c] <= row->p[chosen[MOST - 1]]))
            continue;
        size_t at = count < MOST ? count++ : MOST - 1;
        for (; at > 1 && row->p[c] > row->p[chosen[at - 1]]; at--)
            chosen[at] = chosen[at - 1];
        chosen[at] = c;
    }
    return count;
}

typedef struct mixture {
    size_t count;
    double t[MOST][MOST]; /* [true][label] */
    double sum[MOST];     /* of the rows of t */
    double q[MOST];       /* probabilities of the labels */
    double u[MOST];       /* of the true classes; what is looked for */
} mixture;

static void step(mixture *m)
{
    double ratio[MOST];
    for (size_t j = 0; j < m->count; j++) {
        double mixed = 0.0;
        for (size_t c = 0; c < m->count; c++)
            mixed += m->u[c] * m->t[c][j];
        ratio[j] = m->q[j] / mixed;
    }
    for (size_t c = 0; c < m->count; c++) {
        double factor = 0.0;
        for (size_t j = 0; j < m->count; j++)
            factor += m->t[c][j] * ratio[j];
        m->u[c] *= factor / m->sum[c];
    }
}

double jsni_audit_unmix(const jsni_audit_facts *facts, const jsni_audit_row *row,
                        size_t *suggested)
{
    const double least = 1e-7; /* keeps every class possible */
    const size_t k = facts->in->classes;
    size_t chosen[MOST];
    mixture m = {.count = choose_classes(row, k, chosen)};
    for (size_t c = 0; c < m.count; c++) {
        m.q[c] = m.u[c] = row->p[chosen[c]] + least;
        for (size_t j = 0; j < m.count; j++) {
            m.t[c][j] = facts->transition[chosen[c] * k + chosen[j]] + least;
            m.sum[c] += m.t[c][j];
        }
    }
    for (int i = 0; i < STEPS; i++)
        step(&m);
    double mixed = 0.0;
    size_t best = 1;
    for (size_t c = 0; c < m.count; c++) {
        mixed += m.u[c] * m.t[c][0];
        if (c > 1 && m.u[c] > m.u[best])
            best = c;
    }
    *suggested = chosen[best];
    return 1.0 - m.u[0] * m.t[0][0] / mixed;
}
