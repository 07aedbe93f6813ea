/* data/split.c - see split.h. */
#include "data/split.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/rng.h"
#include "core/words.h"

/* The two parts under way. */
typedef struct dealing {
    uint32_t *train, *val;
    size_t train_count, val_count;
} dealing;

/* Deals the samples of one class, collected in `members`. */
static void deal_class(dealing *d, uint32_t *members, size_t count, double fraction,
                       uint64_t seed, uint32_t class_number)
{
    jsni_rng rng = jsni_rng_stream(seed, JSNI_RNG_SPLIT, 0, class_number, 0);
    jsni_rng_shuffle(&rng, members, count);
    size_t kept = (size_t)floor((1.0 - fraction) * (double)count + 0.5);
    kept = kept == 0 && count > 0 ? 1 : kept;
    for (size_t i = 0; i < count; i++) {
        if (i < kept)
            d->train[d->train_count++] = members[i];
        else
            d->val[d->val_count++] = members[i];
    }
}

/* For classes so small that a part of each rounds to none: a part of all samples, from
 * random classes that keep another one, at most one of each. `members` has room for all
 * samples, which are in d->train. */
static jsn_status deal_few(dealing *d, const int32_t *labels, size_t classes,
                           double fraction, uint64_t seed, uint32_t *members)
{
    const size_t samples = d->train_count;
    const double part = floor(fraction * (double)samples + 0.5);
    const size_t wanted = part < 1.0 ? 1 : (size_t)part;
    uint32_t *size = jsni_alloc_zero(classes, sizeof *size); /* 0: has given one */
    JSNI_TRY_ALLOC(size);
    for (size_t i = 0; i < samples; i++)
        size[labels[i]]++;
    memcpy(members, d->train, samples * sizeof *members);
    jsni_rng rng = jsni_rng_stream(seed, JSNI_RNG_SPLIT, 0, (uint32_t)classes + 2, 0);
    jsni_rng_shuffle(&rng, members, samples);
    d->train_count = 0;
    for (size_t i = 0; i < samples; i++) {
        uint32_t *of = &size[labels[members[i]]];
        if (d->val_count<wanted && * of> 1) {
            d->val[d->val_count++] = members[i];
            *of = 0;
        } else {
            d->train[d->train_count++] = members[i];
        }
    }
    jsni_free(size);
    return JSN_OK;
}

jsn_status jsni_split_stratified(const int32_t *labels, size_t samples, size_t classes,
                                 double fraction, uint64_t seed, uint32_t **train,
                                 size_t *train_count, uint32_t **val, size_t *val_count)
{
    uint32_t *members = jsni_alloc(samples, sizeof *members);
    dealing d = {.train = jsni_alloc(samples, sizeof *d.train),
                 .val = jsni_alloc(samples, sizeof *d.val)};
    jsn_status status = JSN_OK;
    if (members == NULL || d.train == NULL || d.val == NULL) {
        status = JSN_ERR_MEMORY;
        goto done;
    }
    for (size_t k = 0; k < classes; k++) {
        size_t count = 0;
        for (size_t i = 0; i < samples; i++)
            if (labels[i] == (int32_t)k)
                members[count++] = (uint32_t)i;
        deal_class(&d, members, count, fraction, seed, (uint32_t)k);
    }
    if (d.val_count == 0)
        status = deal_few(&d, labels, classes, fraction, seed, members);
    if (status == JSN_OK && d.val_count == 0)
        status = jsni_fail(JSN_ERR_DATA,
                           "%zu %s in %zu %s: too few to keep any for validation; "
                           "--val-fraction 0 keeps none",
                           samples, jsni_noun(samples, "sample", "samples"), classes,
                           jsni_noun(classes, "class", "classes"));
    if (status != JSN_OK)
        goto done;
    /* Streams of their own, behind those of the classes. */
    jsni_rng rng = jsni_rng_stream(seed, JSNI_RNG_SPLIT, 0, (uint32_t)classes, 0);
    jsni_rng_shuffle(&rng, d.train, d.train_count);
    rng = jsni_rng_stream(seed, JSNI_RNG_SPLIT, 0, (uint32_t)classes + 1, 0);
    jsni_rng_shuffle(&rng, d.val, d.val_count);
done:
    jsni_free(members);
    if (status != JSN_OK) {
        jsni_free(d.train);
        jsni_free(d.val);
        d = (dealing){0};
    }
    *train = d.train;
    *train_count = d.train_count;
    *val = d.val;
    *val_count = d.val_count;
    return status;
}
