/* train/class_scores.c - precision, recall and F1 from counts; see
 * jensen/classifier.h. */
#include <math.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "train/class_scores.h"

void jsn_classifier_scores_release(jsn_classifier_scores *scores)
{
    if (scores == NULL)
        return;
    jsni_free(scores->confusion);
    jsni_free(scores->per_class);
    *scores = (jsn_classifier_scores){0};
}

static double share(double part, double whole)
{
    return whole > 0.0 ? part / whole : NAN;
}

static jsn_class_scores scores_of(const jsni_evaluation *e, size_t k)
{
    jsn_class_scores s = {.labels = e->class_samples[k],
                          .predictions = e->class_predicted[k]};
    const double right = (double)e->class_correct[k];
    s.precision = share(right, (double)s.predictions);
    s.recall = share(right, (double)s.labels);
    s.f1 = share(2.0 * right, (double)s.labels + (double)s.predictions);
    return s;
}

jsn_status jsni_class_scores_make(const jsni_evaluation *e, jsn_classifier_scores *out)
{
    size_t labelled = 0, seen = 0;
    double recall = 0.0, f1 = 0.0;
    JSNI_TRY_ALLOC(out->per_class = jsni_alloc(e->classes, sizeof *out->per_class));
    for (size_t k = 0; k < e->classes; k++) {
        const jsn_class_scores s = scores_of(e, k);
        out->per_class[k] = s;
        if (!isnan(s.recall)) {
            recall += s.recall;
            labelled++;
        }
        if (!isnan(s.f1)) {
            f1 += s.f1;
            seen++;
        }
    }
    out->balanced_accuracy = share(recall, (double)labelled);
    out->macro_f1 = share(f1, (double)seen);
    return JSN_OK;
}
