/* data/split.c - see split.h. */
#include "data/split.h"

#include <math.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/rng.h"

/* Deals the samples of one class, collected in `members`. */
static void deal_class(uint32_t *members, size_t count, double fraction, uint64_t seed,
                       uint32_t class_number, uint32_t *train, size_t *train_count,
                       uint32_t *val, size_t *val_count)
{
    jsni_rng rng = jsni_rng_stream(seed, JSNI_RNG_SPLIT, 0, class_number, 0);
    jsni_rng_shuffle(&rng, members, count);
    size_t kept = (size_t)floor((1.0 - fraction) * (double)count + 0.5);
    kept = kept == 0 && count > 0 ? 1 : kept;
    for (size_t i = 0; i < count; i++) {
        if (i < kept)
            train[(*train_count)++] = members[i];
        else
            val[(*val_count)++] = members[i];
    }
}

jsn_status jsni_split_stratified(const int32_t *labels, size_t samples, size_t classes,
                                 double fraction, uint64_t seed, uint32_t **train,
                                 size_t *train_count, uint32_t **val, size_t *val_count)
{
    uint32_t *members = jsni_alloc(samples, sizeof *members);
    *train = jsni_alloc(samples, sizeof **train);
    *val = jsni_alloc(samples, sizeof **val);
    *train_count = *val_count = 0;
    jsn_status status = JSN_OK;
    if (members == NULL || *train == NULL || *val == NULL) {
        status = JSN_ERR_MEMORY;
        goto done;
    }
    for (size_t k = 0; k < classes; k++) {
        size_t count = 0;
        for (size_t i = 0; i < samples; i++)
            if (labels[i] == (int32_t)k)
                members[count++] = (uint32_t)i;
        deal_class(members, count, fraction, seed, (uint32_t)k, *train, train_count,
                   *val, val_count);
    }
    if (*val_count == 0) {
        status = jsni_fail(JSN_ERR_DATA,
                           "%zu %s in %zu %s: too few to keep %g of each class for "
                           "validation; --val-fraction 0 keeps none",
                           samples, jsn_noun(samples, "sample", "samples"), classes,
                           jsn_noun(classes, "class", "classes"), fraction);
        goto done;
    }
    /* Streams of their own, behind those of the classes. */
    jsni_rng rng = jsni_rng_stream(seed, JSNI_RNG_SPLIT, 0, (uint32_t)classes, 0);
    jsni_rng_shuffle(&rng, *train, *train_count);
    rng = jsni_rng_stream(seed, JSNI_RNG_SPLIT, 0, (uint32_t)classes + 1, 0);
    jsni_rng_shuffle(&rng, *val, *val_count);
done:
    jsni_free(members);
    if (status != JSN_OK) {
        jsni_free(*train);
        jsni_free(*val);
        *train = *val = NULL;
        *train_count = *val_count = 0;
    }
    return status;
}
