/* train/loader_order.c - the order in which an epoch visits the samples of a part. */
#include "train/loader_order.h"

#include "core/alloc.h"
#include "core/fail.h"
#include "core/rng.h"

/* Each round deals one sample of every class, classes in an order of their own; a class
 * that has run out is shuffled again. Classes without samples are left out. */
static jsn_status balance(const jsni_part *part, size_t classes, jsni_rng *rng,
                          uint32_t *order)
{
    uint32_t *members = jsni_alloc(part->count, sizeof *members);
    uint32_t *deal = jsni_alloc(classes, sizeof *deal);
    size_t *start = jsni_alloc_zero(classes + 1, sizeof *start);
    size_t *next = jsni_alloc_zero(classes, sizeof *next);
    jsn_status status = JSN_ERR_MEMORY;
    if (members == NULL || deal == NULL || start == NULL || next == NULL)
        goto done;
    for (size_t i = 0; i < part->count; i++)
        start[part->used[i] + 1]++;
    size_t present = 0;
    for (size_t k = 0; k < classes; k++) {
        if (start[k + 1] > 0)
            deal[present++] = (uint32_t)k;
        start[k + 1] += start[k];
    }
    for (size_t i = 0; i < part->count; i++) {
        const int32_t k = part->used[i];
        members[start[k] + next[k]++] = (uint32_t)i;
    }
    for (size_t i = 0; i < part->count; i++) {
        if (i % present == 0)
            jsni_rng_shuffle(rng, deal, present);
        const uint32_t k = deal[i % present];
        const size_t size = start[k + 1] - start[k];
        if (next[k] == size) {
            jsni_rng_shuffle(rng, members + start[k], size);
            next[k] = 0;
        }
        order[i] = members[start[k] + next[k]++];
    }
    status = JSN_OK;
done:
    jsni_free(next);
    jsni_free(start);
    jsni_free(deal);
    jsni_free(members);
    return status;
}

jsn_status jsni_loader_make_order(const jsni_part *part, size_t classes,
                                  jsni_loader_order kind, uint64_t seed, uint32_t epoch,
                                  uint32_t *order)
{
    for (size_t i = 0; i < part->count; i++)
        order[i] = (uint32_t)i;
    jsni_rng rng = jsni_rng_stream(seed, JSNI_RNG_ORDER, epoch, 0, 0);
    if (kind == JSNI_ORDER_SHUFFLED)
        jsni_rng_shuffle(&rng, order, part->count);
    else if (kind == JSNI_ORDER_BALANCED)
        return balance(part, classes, &rng, order);
    return JSN_OK;
}
