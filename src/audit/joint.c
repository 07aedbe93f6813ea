/* audit/joint.c - confident learning (Northcutt, Jiang and Chuang, JAIR 2021): a sample
 * belongs confidently to a class when its probability reaches the mean that the class has
 * over the samples which carry its label. The table of given labels and confident classes,
 * scaled to the counts of the labels, estimates how labels and true classes go together. */
#include <math.h>

#include "audit/audit_impl.h"

size_t jsni_audit_confident_class(const jsni_audit_facts *facts, const double *p)
{
    /* A probability that is the threshold itself, but for its last digits, reaches it. */
    const double slack = 1e-6;
    const size_t k = facts->in->classes;
    size_t reached = 0, only = k, top = 0;
    for (size_t c = 0; c < k; c++) {
        if (p[c] > p[top])
            top = c;
        if (p[c] >= facts->thresholds[c] - slack) {
            only = c;
            reached++;
        }
    }
    return reached > 1 ? top : only;
}

/* The z between whose negative and itself a normal variable lies with this chance. */
static double normal_quantile(double chance)
{
    enum { HALVINGS = 60 };
    double low = 0.0, high = 40.0;
    for (int step = 0; step < HALVINGS; step++) {
        const double middle = 0.5 * (low + high);
        if (erf(middle / sqrt(2.0)) < chance)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Half the width of an interval for a share that was counted in `count` samples. */
static double half_width(double share, double count, double confidence)
{
    return normal_quantile(confidence) *
           sqrt(fmax(share * (1.0 - share), 0.25 / count) / count);
}

/* Row `given` of the matrix to its count of labels; what is off the diagonal, of all. */
static double scale_row(const jsni_audit_facts *facts, size_t given,
                        jsn_audit_result *out)
{
    const size_t k = out->classes;
    double *row = &out->matrix[given * k], sum = 0.0;
    const double labels = (double)facts->labelled[given];
    if (labels == 0.0)
        return 0.0;
    for (size_t c = 0; c < k; c++)
        sum += row[c];
    if (sum == 0.0)
        sum = row[given] = 1.0;
    for (size_t c = 0; c < k; c++)
        row[c] *= labels / sum;
    const double wrong =
        fmax(0.0, labels - row[given]); /* rounding may take it below */
    out->class_rates[given] = wrong / labels;
    return wrong;
}

static void scale_rows(const jsni_audit_facts *facts, jsn_audit_result *out)
{
    double wrong = 0.0;
    for (size_t c = 0; c < out->classes; c++)
        wrong += scale_row(facts, c, out);
    out->expected_errors = wrong;
    out->noise_rate = wrong / (double)out->samples;
}

void jsni_audit_estimate_joint(const jsni_audit_facts *facts, const int32_t *confident,
                               double confidence, jsn_audit_result *out)
{
    const size_t k = out->classes;
    double counted = 0.0;
    for (size_t i = 0; i < out->samples; i++)
        if (confident[i] >= 0) {
            out->matrix[(size_t)facts->in->labels[i] * k + (size_t)confident[i]] += 1.0;
            counted += 1.0;
        }
    for (size_t c = 0; c < k; c++) /* a label is right now and then */
        if (facts->labelled[c] > 0 && out->matrix[c * k + c] == 0.0)
            out->matrix[c * k + c] = 1.0;
    scale_rows(facts, out);
    const double half = half_width(out->noise_rate, fmax(counted, 1.0), confidence);
    out->noise_low = fmax(0.0, out->noise_rate - half);
    out->noise_high = fmin(1.0, out->noise_rate + half);
}

/* Share of the wrong labels among the surest samples that are no mistakes of the model. */
#define SURELY_RIGHT 0.9

/* The joint of predicted classes and labels: of the samples that are predicted to be of a
 * class, as many carry a label as do so among the surer half of them.
 *
 * The rate lies between that of the surest samples, which are the easy ones and carry fewer
 * wrong labels than all, and that of all, where mistakes of the model count as wrong labels.
 * To this the chance of the draw is added. */
void jsni_audit_estimate_surest(const jsni_audit_facts *facts, double confidence,
                                jsn_audit_result *out)
{
    const size_t k = out->classes;
    for (size_t given = 0; given < k; given++)
        for (size_t c = 0; c < k; c++)
            out->matrix[given * k + c] = facts->joint[c * k + given];
    scale_rows(facts, out);
    const double half =
        half_width(out->noise_rate, 0.5 * (double)out->samples, confidence);
    const double least = SURELY_RIGHT * fmin(facts->rate_few, out->noise_rate);
    out->noise_low = fmax(0.0, least - half);
    out->noise_high = fmin(1.0, fmax(facts->rate_all, out->noise_rate) + half);
}
