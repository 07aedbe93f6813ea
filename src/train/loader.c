/* train/loader.c - see loader.h.
 *
 * Batch b of an epoch is made in slot b % SLOTS. Workers take batch numbers from a
 * counter, wait until the slot's earlier batch has been read, fill it and mark it ready;
 * the reader waits for the batch it wants. One mutex and two conditions guard all of
 * it: they are taken twice a batch, which is nothing beside the work.
 */
#define _POSIX_C_SOURCE 200809L
#include "train/loader.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "augment/augment_part.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/image_part.h"
#include "core/words.h"
#include "data/dataset_part.h"
#include "data/sample_gone.h"
#include "train/loader_order.h"
#include "train/mixup.h"

enum { MOST_WORKERS = 64, MOST_READY = 4, SENTENCE = 512 };

typedef struct slot {
    jsni_batch batch;
    void *pages;   /* that nothing but the images lies on: the device may pin them */
    float *images; /* [views][batch][3][height][width] */
    uint32_t *position; /* [batch] */
    uint32_t *partner;  /* [batch] with mixup, or NULL */
    bool ready, pinned;
} slot;

typedef struct scratch {
    jsn_augment_scratch *augment;
    jsni_image_part part;
    float *image; /* one, with mixup; or NULL */
} scratch;

typedef struct bad_image {
    uint32_t position;
    char reason[SENTENCE];
} bad_image;

struct jsni_loader {
    jsni_loader_options o;
    size_t batches;
    uint32_t *order; /* [part->count] */
    uint32_t epoch;
    slot *slots;
    size_t slot_count;
    size_t read; /* next batch of the reader */

    pthread_mutex_t mutex;
    pthread_cond_t changed;
    size_t taken;   /* next batch for a worker */
    size_t busy;    /* workers inside a batch */
    size_t running; /* workers with a thread */
    bool paused, ending;
    jsn_status failed;
    char sentence[SENTENCE];

    bad_image *bad;
    size_t bad_count, bad_room;
    scratch *scratches; /* [workers + 1]; the last is the reader's */
    pthread_t threads[MOST_WORKERS];
    size_t next_scratch;
    jsni_loader_pins pins; /* none yet: all NULL */
};

static size_t image_floats(const jsni_loader *l)
{
    if (l->o.features != NULL)
        return l->o.features->floats;
    return (size_t)JSN_IMAGE_CHANNELS * l->o.height * l->o.width;
}

/* Called with the mutex held. */
static void fail_locked(jsni_loader *l, jsn_status status)
{
    if (l->failed == JSN_OK) {
        l->failed = status;
        (void)snprintf(l->sentence, sizeof l->sentence, "%s", jsn_last_error());
    }
    pthread_cond_broadcast(&l->changed);
}

/* Lists a broken image once, in the order of the part. */
static jsn_status note_bad(jsni_loader *l, uint32_t position)
{
    size_t at = 0;
    while (at < l->bad_count && l->bad[at].position < position)
        at++;
    if (at < l->bad_count && l->bad[at].position == position)
        return JSN_OK;
    const bool room = l->o.tally == NULL ? l->bad_count < l->o.max_bad
                                         : jsni_bad_tally_add(l->o.tally, l->o.part,
                                                              position, l->o.max_bad);
    if (!room)
        return jsni_fail(
            JSN_ERR_DATA, "more than %zu broken %s (--max-bad), the latest: %s",
            l->o.max_bad, jsni_noun(l->o.max_bad, "image", "images"), jsn_last_error());
    if (l->bad_count == l->bad_room) {
        const size_t wanted = l->bad_room == 0 ? 16 : 2 * l->bad_room;
        bad_image *grown = jsni_realloc(l->bad, wanted, sizeof *grown);
        JSNI_TRY_ALLOC(grown);
        l->bad = grown;
        l->bad_room = wanted;
    }
    memmove(l->bad + at + 1, l->bad + at, (l->bad_count - at) * sizeof *l->bad);
    l->bad[at].position = position;
    (void)snprintf(l->bad[at].reason, SENTENCE, "%s", jsn_last_error());
    l->bad_count++;
    return JSN_OK;
}

/* A jsni_image_want_fn: what the views of a sample use of its image. */
typedef struct sample_want {
    const jsni_loader_options *o;
    jsn_augment_key key; /* of the first view */
} sample_want;

static jsn_status want_of(void *user, size_t width, size_t height,
                          jsni_image_want *want)
{
    const sample_want *s = user;
    return jsni_augment_want(s->o->augment, width, height, &s->key,
                             (uint32_t)s->o->views, s->o->scaled_decode, want);
}

/* The features of all views, where there are some. */
static void take_features(const jsni_loader *l, slot *to, size_t place,
                          uint32_t position)
{
    const jsni_features *f = l->o.features;
    if (l->o.plain_features) {
        memcpy(to->images + place * f->floats, f->values + position * f->floats,
               f->floats * sizeof(float));
        return;
    }
    for (size_t v = 0; v < l->o.views; v++)
        memcpy(to->images + (v * l->o.batch + place) * image_floats(l),
               jsni_features_view(f, l->o.seed, l->epoch, position, v),
               image_floats(l) * sizeof(float));
}

/* All views of one sample into place `place` of the slot, laid out for a full batch. */
static jsn_status make_sample(jsni_loader *l, scratch *s, slot *to, size_t place,
                              uint32_t position)
{
    const jsni_part *part = l->o.part;
    const uint32_t sample = part->index[position];
    const uint32_t draw = l->o.draws == NULL ? sample : l->o.draws[position];
    sample_want want = {&l->o, {l->o.seed, l->epoch, draw, 0, l->o.purpose}};
    if (l->o.features != NULL && l->o.features->there[position]) {
        take_features(l, to, place, position);
        return JSN_OK;
    }
    JSNI_TRY(jsni_dataset_image_part(part->data, part->split, sample, want_of, &want,
                                     &s->part));
    if (l->o.features != NULL)
        return jsni_fail(JSN_ERR_DATA,
                         "an image could not be read before, and can now");
    for (size_t v = 0; v < l->o.views; v++) {
        jsn_augment_key key = want.key;
        key.view = (uint32_t)v;
        float *out = to->images + (v * l->o.batch + place) * image_floats(l);
        JSNI_TRY(
            jsni_augment_apply_part(l->o.augment, s->augment, &s->part, &key, out));
    }
    return JSN_OK;
}

/* Moves the views together when the batch came out smaller than its slot. */
static void close_gaps(const jsni_loader *l, slot *to, size_t samples)
{
    if (samples == l->o.batch)
        return;
    for (size_t v = 1; v < l->o.views; v++)
        memmove(to->images + v * samples * image_floats(l),
                to->images + v * l->o.batch * image_floats(l),
                samples * image_floats(l) * sizeof(float));
}

/* Data that disappears is no broken image: what was trained without it would be another
 * run. The sentence at hand says why it could not be read. */
static jsn_status check_there(const jsni_loader *l, uint32_t position)
{
    const jsni_part *part = l->o.part;
    if (!jsni_sample_gone(part->data, part->split, part->index[position]))
        return JSN_OK;
    char why[SENTENCE];
    (void)snprintf(why, sizeof why, "%s", jsn_last_error());
    return jsni_fail(JSN_ERR_DATA,
                     "%s; it was there when the data was opened; put it back, and the "
                     "same command continues",
                     why);
}

static void mix_batch(const jsni_loader *l, const scratch *s, slot *to)
{
    const size_t samples = to->batch.samples, floats = image_floats(l);
    to->batch.share = jsni_mixup_draw(l->o.mixup, l->o.seed, l->epoch, to->batch.number,
                                      samples, to->partner);
    for (size_t v = 0; v < l->o.views; v++)
        jsni_mixup_rows(to->images + v * samples * floats, floats, samples,
                        to->batch.share, to->partner, s->image);
}

static jsn_status make_batch(jsni_loader *l, scratch *s, size_t number)
{
    slot *to = &l->slots[number % l->slot_count];
    const size_t first = number * l->o.batch;
    const size_t left = l->o.part->count - first;
    const size_t wanted = left < l->o.batch ? left : l->o.batch;
    size_t samples = 0;
    for (size_t i = 0; i < wanted; i++) {
        const uint32_t position = l->order[first + i];
        jsn_status status = make_sample(l, s, to, samples, position);
        if (status == JSN_ERR_DATA) {
            JSNI_TRY(check_there(l, position));
            pthread_mutex_lock(&l->mutex);
            status = note_bad(l, position);
            pthread_mutex_unlock(&l->mutex);
            JSNI_TRY(status);
            continue;
        }
        JSNI_TRY(status);
        to->position[samples++] = position;
    }
    close_gaps(l, to, samples);
    to->batch = (jsni_batch){.number = number,
                             .samples = samples,
                             .images = to->images,
                             .position = to->position,
                             .partner = to->partner};
    if (to->partner != NULL)
        mix_batch(l, s, to);
    return JSN_OK;
}

static void *worker_main(void *argument)
{
    jsni_loader *l = argument;
    pthread_mutex_lock(&l->mutex);
    scratch *s = &l->scratches[l->next_scratch++];
    for (;;) {
        /* The slot is free once the reader has gone past its earlier batch. */
        while (!l->ending &&
               (l->paused || l->failed != JSN_OK || l->taken >= l->batches ||
                l->taken >= l->read + l->slot_count - 1))
            pthread_cond_wait(&l->changed, &l->mutex);
        if (l->ending)
            break;
        const size_t number = l->taken++;
        l->slots[number % l->slot_count].ready = false;
        l->busy++;
        pthread_mutex_unlock(&l->mutex);
        const jsn_status status = make_batch(l, s, number);
        pthread_mutex_lock(&l->mutex);
        l->busy--;
        if (status != JSN_OK)
            fail_locked(l, status);
        else
            l->slots[number % l->slot_count].ready = true;
        pthread_cond_broadcast(&l->changed);
    }
    pthread_mutex_unlock(&l->mutex);
    return NULL;
}

/* Stops the workers between batches. */
static void pause_workers(jsni_loader *l)
{
    pthread_mutex_lock(&l->mutex);
    l->paused = true;
    while (l->busy > 0)
        pthread_cond_wait(&l->changed, &l->mutex);
    pthread_mutex_unlock(&l->mutex);
}

/* The reader holds one slot; each worker fills one and has one ready, up to some. */
size_t jsni_loader_slots(size_t workers)
{
    return workers + (workers < MOST_READY ? workers : MOST_READY) + 1;
}

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Bytes of a slot's images, in whole pages. */
static size_t slot_bytes(const jsni_loader *l)
{
    const size_t page = page_bytes();
    const size_t bytes = l->o.views * l->o.batch * image_floats(l) * sizeof(float);
    return (bytes + page - 1) / page * page;
}

static jsn_status allocate(jsni_loader *l)
{
    const size_t workers = l->o.workers, page = page_bytes();
    l->slot_count = jsni_loader_slots(workers);
    JSNI_TRY_ALLOC(l->order = jsni_alloc(l->o.part->count, sizeof *l->order));
    JSNI_TRY_ALLOC(l->slots = jsni_alloc_zero(l->slot_count, sizeof *l->slots));
    JSNI_TRY_ALLOC(l->scratches = jsni_alloc_zero(workers + 1, sizeof *l->scratches));
    for (size_t i = 0; i < l->slot_count; i++) {
        slot *to = &l->slots[i];
        JSNI_TRY_ALLOC(to->pages = jsni_alloc(slot_bytes(l) + page, 1));
        to->images = (float *)(((uintptr_t)to->pages + page - 1) / page * page);
        JSNI_TRY_ALLOC(to->position = jsni_alloc(l->o.batch, sizeof(uint32_t)));
        if (l->o.mixup > 0.0)
            JSNI_TRY_ALLOC(to->partner = jsni_alloc(l->o.batch, sizeof(uint32_t)));
    }
    for (size_t i = 0; i <= workers; i++) {
        JSNI_TRY(jsn_augment_scratch_create(&l->scratches[i].augment));
        if (l->o.mixup > 0.0)
            JSNI_TRY_ALLOC(l->scratches[i].image =
                               jsni_alloc(image_floats(l), sizeof(float)));
    }
    return JSN_OK;
}

jsn_status jsni_loader_create(jsni_loader **out, const jsni_loader_options *options)
{
    *out = NULL;
    if (options->workers > MOST_WORKERS)
        return jsni_fail(JSN_ERR_RANGE, "%zu loader workers: at most %d",
                         options->workers, MOST_WORKERS);
    const size_t count = options->part->count;
    const size_t whole = count / options->batch;
    if (options->order != JSNI_ORDER_KEPT && whole == 0)
        return jsni_fail(
            JSN_ERR_DATA,
            "%zu training %s less than one batch of %zu; choose a smaller --batch",
            count, jsni_noun(count, "image is", "images are"), options->batch);
    jsni_loader *l = jsni_alloc_zero(1, sizeof *l);
    JSNI_TRY_ALLOC(l);
    l->o = *options;
    l->batches = options->order == JSNI_ORDER_KEPT
                     ? (count + options->batch - 1) / options->batch
                     : whole;
    if (options->max_steps > 0 && l->batches > options->max_steps)
        l->batches = options->max_steps;
    l->paused = true;
    pthread_mutex_init(&l->mutex, NULL);
    pthread_cond_init(&l->changed, NULL);
    jsn_status status = allocate(l);
    while (status == JSN_OK && l->running < options->workers) {
        if (pthread_create(&l->threads[l->running], NULL, worker_main, l) != 0)
            status = jsni_fail(JSN_ERR_MEMORY, "could not start loader thread %zu",
                               l->running + 1);
        else
            l->running++;
    }
    if (status != JSN_OK) {
        jsni_loader_destroy(l);
        return status;
    }
    *out = l;
    return JSN_OK;
}

void jsni_loader_destroy(jsni_loader *l)
{
    if (l == NULL)
        return;
    pthread_mutex_lock(&l->mutex);
    l->ending = true;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->mutex);
    for (size_t i = 0; i < l->running; i++)
        pthread_join(l->threads[i], NULL);
    pthread_cond_destroy(&l->changed);
    pthread_mutex_destroy(&l->mutex);
    for (size_t i = 0; l->slots != NULL && i < l->slot_count; i++) {
        if (l->slots[i].pinned)
            l->pins.unpin(l->pins.user, l->slots[i].images);
        jsni_free(l->slots[i].pages);
        jsni_free(l->slots[i].position);
        jsni_free(l->slots[i].partner);
    }
    for (size_t i = 0; l->scratches != NULL && i <= l->o.workers; i++) {
        jsn_augment_scratch_destroy(l->scratches[i].augment);
        jsn_image_release(&l->scratches[i].part.image);
        jsni_free(l->scratches[i].image);
    }
    jsni_free(l->scratches);
    jsni_free(l->slots);
    jsni_free(l->order);
    jsni_free(l->bad);
    jsni_free(l);
}

size_t jsni_loader_batches(const jsni_loader *l)
{
    return l->batches;
}

jsn_status jsni_loader_begin(jsni_loader *l, uint32_t epoch, size_t first)
{
    pause_workers(l);
    if (l->failed != JSN_OK)
        return jsni_fail(l->failed, "%s", l->sentence);
    JSNI_TRY(jsni_loader_make_order(l->o.part, l->o.classes, l->o.order, l->o.seed,
                                    epoch, l->order));
    pthread_mutex_lock(&l->mutex);
    l->epoch = epoch;
    l->read = l->taken = first;
    for (size_t i = 0; i < l->slot_count; i++)
        l->slots[i].ready = false;
    l->paused = false;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->mutex);
    return JSN_OK;
}

jsn_status jsni_loader_next(jsni_loader *l, const jsni_batch **out)
{
    *out = NULL;
    if (l->read >= l->batches) {
        pause_workers(l);
        return JSN_OK;
    }
    slot *from = &l->slots[l->read % l->slot_count];
    if (l->running == 0) {
        JSNI_TRY(make_batch(l, &l->scratches[0], l->read));
        l->read++;
        *out = &from->batch;
        return JSN_OK;
    }
    pthread_mutex_lock(&l->mutex);
    while (l->failed == JSN_OK && !(from->ready && from->batch.number == l->read))
        pthread_cond_wait(&l->changed, &l->mutex);
    const jsn_status status = l->failed;
    if (status == JSN_OK) {
        l->read++;
        pthread_cond_broadcast(&l->changed);
    }
    pthread_mutex_unlock(&l->mutex);
    if (status != JSN_OK)
        return jsni_fail(status, "%s", l->sentence);
    *out = &from->batch;
    return JSN_OK;
}

const jsni_batch *jsni_loader_peek(jsni_loader *l)
{
    const slot *from = &l->slots[l->read % l->slot_count];
    if (l->running == 0 || l->read >= l->batches)
        return NULL;
    pthread_mutex_lock(&l->mutex);
    /* Nobody makes a batch while there is no epoch. */
    while (!l->paused && l->failed == JSN_OK &&
           !(from->ready && from->batch.number == l->read))
        pthread_cond_wait(&l->changed, &l->mutex);
    const bool there = !l->paused && l->failed == JSN_OK;
    pthread_mutex_unlock(&l->mutex);
    return there ? &from->batch : NULL;
}

void jsni_loader_pin(jsni_loader *l, const jsni_loader_pins *pins)
{
    if (l->pins.pin != NULL)
        return;
    l->pins = *pins;
    for (size_t i = 0; i < l->slot_count; i++)
        l->slots[i].pinned = pins->pin(pins->user, l->slots[i].images, slot_bytes(l));
}

size_t jsni_loader_bad_count(const jsni_loader *l)
{
    return l->bad_count;
}

void jsni_loader_bad(const jsni_loader *l, size_t i, uint32_t *position,
                     const char **reason)
{
    *position = l->bad[i].position;
    *reason = l->bad[i].reason;
}

jsn_status jsni_loader_each_bad(jsni_loader *l, jsni_loader_bad_fn *fn, void *user)
{
    jsn_status status = JSN_OK;
    pthread_mutex_lock(&l->mutex);
    for (size_t i = 0; status == JSN_OK && i < l->bad_count; i++)
        status = fn(user, l->bad[i].position, l->bad[i].reason);
    pthread_mutex_unlock(&l->mutex);
    return status;
}
