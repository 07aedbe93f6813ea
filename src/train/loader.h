/* train/loader.h - batches of augmented images from a part of the data.
 *
 *     jsni_loader_begin(loader, epoch, first_batch);
 *     const jsni_batch *batch;
 *     while (jsni_loader_next(loader, &batch) == JSN_OK && batch != NULL) ...
 *
 * The stream of samples depends on seed, epoch and the part alone: not on the number of
 * workers, and an epoch that starts at batch b continues exactly where b - 1 ended.
 * Worker threads fill a ring of batches ahead of the reader; memory is bounded by it.
 *
 * An image that cannot be decoded leaves its place in the batch, which is then smaller;
 * all others keep theirs. Each is listed once, with the reason.
 */
#ifndef JSNI_TRAIN_LOADER_H
#define JSNI_TRAIN_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jensen/augment.h"
#include "train/bad_tally.h"
#include "train/features.h"
#include "train/problem.h"

typedef enum jsni_loader_order {
    JSNI_ORDER_KEPT, /* evaluation: in the part's order, with the last partial batch */
    JSNI_ORDER_SHUFFLED, /* training: every sample once, the last partial batch dropped */
    JSNI_ORDER_BALANCED /* as shuffled, but the classes (by used label) equally often */
} jsni_loader_order;

typedef struct jsni_loader_options {
    const jsni_part *part; /* borrowed */
    size_t classes;
    const jsn_augment *augment; /* borrowed */
    /* Borrowed; NULL: images. Else batches have these, [views][samples][floats]. */
    const jsni_features *features;
    bool plain_features;  /* of the images as they are, not of any copy */
    size_t height, width; /* of the augmented images */
    size_t batch, views;  /* at least 1 */
    size_t workers;       /* 0: the reader's own thread does the work */
    jsni_loader_order order;
    uint64_t seed;
    uint32_t purpose; /* of jsn_augment_key */
    /* Borrowed, [part->count]: what draws are named by; NULL: the number of the sample. */
    const uint32_t *draws;
    size_t max_steps; /* batches of an epoch at most; 0: all */
    size_t max_bad;   /* more broken images than this are a failure */
    /* Borrowed; counts them over the loaders that share it. NULL: this one alone. */
    jsni_bad_tally *tally;
    double scaled_decode; /* `density` of jsni_augment_want() */
    double mixup;         /* ALPHA of mixup.h; 0: images are not mixed */
} jsni_loader_options;

typedef struct jsni_batch {
    size_t number;            /* in the epoch */
    size_t samples;           /* batch, or less: the end, or broken images */
    const float *images;      /* [views][samples][3][height][width] */
    const uint32_t *position; /* [samples], positions in the part */
    const uint32_t *partner;  /* [samples] of mixup, with which share; or NULL */
    float share;
} jsni_batch;

typedef struct jsni_loader jsni_loader;

/* JSN_ERR_DATA when a shuffled epoch would have no whole batch. The options' pointers
 * must outlive the loader. */
JSN_MUST_CHECK jsn_status jsni_loader_create(jsni_loader **out,
                                             const jsni_loader_options *options);
void jsni_loader_destroy(jsni_loader *loader); /* accepts NULL; ends the workers */

/* Batches that a loader has room for; each for all views of its samples. */
size_t jsni_loader_slots(size_t workers);

/* Batches of an epoch. */
size_t jsni_loader_batches(const jsni_loader *loader);

/* Starts an epoch at batch `first`; drops what an unfinished one has prepared. */
JSN_MUST_CHECK jsn_status jsni_loader_begin(jsni_loader *loader, uint32_t epoch,
                                            size_t first);

/* The next batch, valid until the next call on this loader; *out is NULL at the end of
 * the epoch. A batch whose images are all broken has 0 samples.
 *   JSN_ERR_DATA    more than max_bad broken images, or a file that has disappeared
 *   JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_loader_next(jsni_loader *loader, const jsni_batch **out);

/* The batch that the next call of jsni_loader_next() gives: valid from now on, as long as
 * that call promises. Waits for the workers; NULL without any, before the first and behind
 * the last batch of an epoch, and after a failure, which that call tells. */
const jsni_batch *jsni_loader_peek(jsni_loader *loader);

/* Hands the memory of all batches to `pin`, once in the life of a loader, and what it said
 * true of to `unpin` at its end; `user` lives until then. Whole pages, which a batch shares
 * with nothing. */
typedef struct jsni_loader_pins {
    bool (*pin)(void *user, void *memory, size_t bytes);
    void (*unpin)(void *user, void *memory);
    void *user;
} jsni_loader_pins;

void jsni_loader_pin(jsni_loader *loader, const jsni_loader_pins *pins);

/* Broken images found so far, in the order of the part; `reason` is the sentence. The
 * texts are the loader's. Not while an epoch is running. */
size_t jsni_loader_bad_count(const jsni_loader *loader);
void jsni_loader_bad(const jsni_loader *loader, size_t i, uint32_t *position,
                     const char **reason);

/* The same at any time: calls `fn` for each until one fails, whose status it returns. `fn`
 * must not call the loader. */
typedef jsn_status jsni_loader_bad_fn(void *user, uint32_t position,
                                      const char *reason);
JSN_MUST_CHECK jsn_status jsni_loader_each_bad(jsni_loader *loader,
                                               jsni_loader_bad_fn *fn, void *user);

#endif /* JSNI_TRAIN_LOADER_H */
