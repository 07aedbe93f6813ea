/* train/verdict.c - see verdict.h. */
#include "train/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/json.h"
#include "core/text.h"

enum { LEAST_SURE = 20 };

static jsni_agreement agreement(const char *of, uint64_t equal, uint64_t most,
                                uint64_t images)
{
    if (images == 0)
        return (jsni_agreement){of, 0, NAN, NAN};
    return (jsni_agreement){of, images, (double)equal / (double)images,
                            (double)most / (double)images};
}

jsni_agreement jsni_agreement_of_evaluation(const jsni_evaluation *e, const char *of)
{
    uint64_t most = 0;
    for (size_t k = 0; e->samples > 0 && k < e->classes; k++) {
        uint64_t sum = 0;
        for (size_t j = 0; j < e->classes; j++)
            sum += e->confusion[k * e->classes + j];
        most = sum > most ? sum : most;
    }
    return agreement(of, e->correct, most, e->samples);
}

jsn_status jsni_agreement_of_part(const jsni_part *part, const jsni_predictions *seen,
                                  size_t classes, jsni_agreement *out)
{
    uint64_t *counts = jsni_alloc_zero(classes, sizeof *counts);
    uint64_t equal = 0, images = 0, most = 0;
    JSNI_TRY_ALLOC(counts);
    for (size_t i = 0; i < part->count; i++) {
        if (seen->best[i] < 0)
            continue;
        images++;
        equal += seen->best[i] == part->used[i];
        const uint64_t count = ++counts[part->used[i]];
        most = count > most ? count : most;
    }
    jsni_free(counts);
    *out = agreement("training", equal, most, images);
    return JSN_OK;
}

/* Beyond what two standard deviations of guessing explain. */
static bool beats_chance(jsni_agreement a)
{
    const double deviation = sqrt(a.chance * (1.0 - a.chance) / (double)a.images);
    return a.share > a.chance + 2.0 * deviation;
}

jsni_trust jsni_trust_of(jsni_agreement train, jsni_agreement held_out,
                         jsni_agreement *by)
{
    /* Labels that were trained on are the easier ones to find. */
    const bool learned = train.images > 0 && beats_chance(train);
    *by = learned && held_out.images > 0 ? held_out : train;
    if (!learned || !beats_chance(*by))
        return JSNI_TRUST_NONE;
    return by->share < 0.5 ? JSNI_TRUST_WEAK : JSNI_TRUST_FAIR;
}

jsni_estimate jsni_estimate_share(uint64_t part, uint64_t whole)
{
    const double z = 1.959963984540054, n = (double)whole;
    const double p = (double)part / n, shrink = 1.0 + z * z / n;
    const double centre = (p + z * z / (2.0 * n)) / shrink;
    const double half = z / shrink * sqrt(p * (1.0 - p) / n + z * z / (4.0 * n * n));
    return (jsni_estimate){p, fmax(centre - half, 0.0), fmin(centre + half, 1.0)};
}

double jsni_clean_accuracy(double agreed, double noise, size_t classes)
{
    /* agreed = clean (1 - noise) + (1 - clean) noise / (classes - 1) */
    const double by_luck = noise / (double)(classes - 1);
    const double slope = 1.0 - noise - by_luck;
    if (!(slope > 0.0))
        return NAN;
    return fmin(fmax((agreed - by_luck) / slope, 0.0), 1.0);
}

static int downwards(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

/* The least confidence of the surest quarter. */
static jsn_status find_least(const jsni_part *part, const jsni_predictions *seen,
                             float *least, uint64_t *sure)
{
    float *sorted = jsni_alloc(part->count, sizeof *sorted);
    size_t read = 0;
    JSNI_TRY_ALLOC(sorted);
    for (size_t i = 0; i < part->count; i++)
        if (seen->best[i] >= 0)
            sorted[read++] = seen->confidence[i];
    *sure = read / 4;
    if (*sure > 0) {
        qsort(sorted, read, sizeof *sorted, downwards);
        *least = sorted[*sure - 1];
    }
    jsni_free(sorted);
    return JSN_OK;
}

jsn_status jsni_noisy_accuracy_of(const jsni_part *part, const jsni_predictions *seen,
                                  size_t classes, jsni_noisy_accuracy *out)
{
    jsni_agreement all;
    float least = 0.0F;
    uint64_t sure = 0, contradicted = 0;
    *out = (jsni_noisy_accuracy){0};
    JSNI_TRY(jsni_agreement_of_part(part, seen, classes, &all));
    JSNI_TRY(find_least(part, seen, &least, &sure));
    if (sure < LEAST_SURE)
        return JSN_OK;
    /* With those that are just as sure as the last. */
    sure = 0;
    for (size_t i = 0; i < part->count; i++)
        if (seen->best[i] >= 0 && seen->confidence[i] >= least) {
            sure++;
            contradicted += seen->best[i] != part->used[i];
        }
    out->sure = sure;
    out->noise = jsni_estimate_share(contradicted, sure);
    const jsni_estimate agreed = jsni_estimate_share(
        (uint64_t)llround(all.share * (double)all.images), all.images);
    out->clean =
        (jsni_estimate){jsni_clean_accuracy(agreed.value, out->noise.value, classes),
                        jsni_clean_accuracy(agreed.low, out->noise.low, classes),
                        jsni_clean_accuracy(agreed.high, out->noise.high, classes)};
    return JSN_OK;
}

static void put_estimate(const jsni_estimate *e, jsni_json_writer *w, const char *key)
{
    jsni_json_begin_array(w, key);
    jsni_json_put_real(w, NULL, e->value);
    jsni_json_put_real(w, NULL, e->low);
    jsni_json_put_real(w, NULL, e->high);
    jsni_json_end(w);
}

void jsni_verdict_put(const jsni_verdict *v, jsni_json_writer *w)
{
    static const char *const words[] = {"fair", "weak", "none"};
    const jsni_agreement *a = &v->by;
    jsni_json_begin_object(w, "verdict");
    jsni_json_put_text(w, "trust", words[v->trust]);
    jsni_json_put_text(w, "images", a->images_of);
    jsni_json_put_int(w, "count", (int64_t)a->images);
    jsni_json_put_real(w, "agreement", a->share);
    jsni_json_put_real(w, "chance", a->chance);
    jsni_json_end(w);
    if (!v->val_noisy)
        return;
    jsni_json_begin_object(w, "val_labels");
    jsni_json_put_int(w, "sure", (int64_t)v->estimate.sure);
    if (v->estimate.sure > 0) {
        put_estimate(&v->estimate.noise, w, "noise");
        put_estimate(&v->estimate.clean, w, "accuracy");
    }
    jsni_json_end(w);
}

void jsni_verdict_tell(const jsni_verdict *v, const jsn_logger *logger)
{
    const jsni_agreement *a = &v->by;
    char text[400];
    if (v->trust == JSNI_TRUST_FAIR || logger->message == NULL)
        return;
    jsni_text words = jsni_text_in(text, sizeof text);
    jsni_text_format(&words,
                     "the network finds the label of %.1f%% of the %llu %s images",
                     100.0 * a->share, (unsigned long long)a->images, a->images_of);
    /* Few held-out images, of a network that has learned something. */
    const bool lucky = strcmp(a->images_of, "training") != 0 && a->share > a->chance;
    if (v->trust == JSNI_TRUST_NONE && lucky)
        jsni_text_format(&words,
                         ", which may be luck (naming one class always: %.1f%%); do "
                         "not rely on its list of doubtful labels",
                         100.0 * a->chance);
    else if (v->trust == JSNI_TRUST_NONE)
        jsni_text_format(&words,
                         ", no better than a guess (naming one class always: %.1f%%); "
                         "its list of doubtful labels is worthless",
                         100.0 * a->chance);
    else
        jsni_text_add(&words, "; unless very many labels are wrong, most of its "
                              "doubtful labels are right");
    logger->message(logger->user, JSN_LOG_WARNING, text);
}
