/* train/class_scores.c - precision, recall and F1 from a confusion matrix; see
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

static jsn_class_scores scores_of(const uint64_t *confusion, size_t classes, size_t k)
{
    jsn_class_scores s = {0};
    for (size_t j = 0; j < classes; j++) {
        s.labels += confusion[k * classes + j];
        s.predictions += confusion[j * classes + k];
    }
    const double right = (double)confusion[k * classes + k];
    s.precision = share(right, (double)s.predictions);
    s.recall = share(right, (double)s.labels);
    s.f1 = share(2.0 * right, (double)s.labels + (double)s.predictions);
    return s;
}

jsn_status jsni_class_scores_make(const uint64_t *confusion, size_t classes,
                                  jsn_classifier_scores *out)
{
    size_t labelled = 0, seen = 0;
    double recall = 0.0, f1 = 0.0;
    JSNI_TRY_ALLOC(out->per_class = jsni_alloc(classes, sizeof *out->per_class));
    for (size_t k = 0; k < classes; k++) {
        const jsn_class_scores s = scores_of(confusion, classes, k);
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
