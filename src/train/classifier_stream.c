/* train/classifier_stream.c - see classifier_stream.h, and jsn_classifier_predict_files()
 * in jensen/classifier.h. */
#include "train/classifier_stream.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "backend/model.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/pool.h"
#include "jensen/image_file.h"
#include "train/classifier_impl.h"

enum { SENTENCE = 512 };

/* A thread's room. */
typedef struct reader {
    jsn_image image;
    jsn_augment_scratch *scratch;
} reader;

/* What became of reading an image. */
typedef struct outcome {
    jsn_status status;
    char reason[SENTENCE]; /* of a failure */
} outcome;

/* Images first ... first + count - 1. */
typedef struct stream_batch {
    size_t first, count;
    float *tensors;    /* [batch][floats] */
    outcome *outcomes; /* [batch] */
} stream_batch;

typedef struct streamer {
    const jsni_stream *stream;
    size_t floats; /* of an image's tensor */
    jsni_pool *pool;
    reader *readers;         /* [threads of the pool] */
    bool pairs;              /* a batch is read while the network works on another */
    stream_batch batches[2]; /* the second of pairs alone */
    stream_batch *reading;
    double *probabilities; /* [batch][classes] */
    float *logits;         /* [batch][classes] */
} streamer;

static void read_one(void *user, size_t index, size_t worker)
{
    const streamer *s = user;
    const stream_batch *b = s->reading;
    const jsn_augment_key key = {0};
    reader *r = &s->readers[worker];
    outcome *o = &b->outcomes[index];
    o->status = s->stream->read(s->stream->user, b->first + index, &r->image);
    if (o->status == JSN_OK)
        o->status = jsn_augment_apply(s->stream->classifier->plain, r->scratch,
                                      &r->image, &key, b->tensors + index * s->floats);
    if (o->status != JSN_OK)
        (void)snprintf(o->reason, sizeof o->reason, "%s", jsn_last_error());
}

static void *read_batch(void *user)
{
    streamer *s = user;
    jsni_pool_run(s->pool, s->reading->count, read_one, s);
    return NULL;
}

/* The batch behind image `first`; none at the end. */
static void place_batch(streamer *s, stream_batch *batch, size_t first)
{
    const size_t left = s->stream->count - first, most = s->stream->classifier->batch;
    batch->first = first;
    batch->count = left < most ? left : most;
    s->reading = batch;
}

static bool is_content(jsn_status status)
{
    return status == JSN_ERR_DATA || status == JSN_ERR_UNSUPPORTED;
}

/* Moves the tensors of the images that could be read together; *good counts them. */
static jsn_status close_gaps(const streamer *s, const stream_batch *b, size_t *good)
{
    *good = 0;
    for (size_t i = 0; i < b->count; i++) {
        const outcome *o = &b->outcomes[i];
        if (o->status != JSN_OK && !is_content(o->status))
            return jsni_fail(o->status, "%s", o->reason);
        if (o->status != JSN_OK)
            continue;
        if (*good < i)
            memcpy(b->tensors + *good * s->floats, b->tensors + i * s->floats,
                   s->floats * sizeof(float));
        ++*good;
    }
    return JSN_OK;
}

static jsn_status predict_batch(streamer *s, const stream_batch *b)
{
    const size_t classes = s->stream->classifier->card.classes;
    size_t good = 0, row = 0;
    JSNI_TRY(close_gaps(s, b, &good));
    JSNI_TRY(jsn_classifier_predict_tensors(s->stream->classifier, b->tensors, good,
                                            s->probabilities, s->logits));
    for (size_t i = 0; i < b->count; i++) {
        const bool read = b->outcomes[i].status == JSN_OK;
        const jsni_streamed told = {
            .index = b->first + i,
            .probabilities = read ? s->probabilities + row * classes : NULL,
            .logits = read ? s->logits + row * classes : NULL,
            .reason = read ? NULL : b->outcomes[i].reason,
        };
        JSNI_TRY(s->stream->tell(s->stream->user, &told));
        row += read;
    }
    return JSN_OK;
}

/* Reads the batch that was placed while the network works on `b`; a system without another
 * thread does one after the other. */
static jsn_status predict_and_read(streamer *s, const stream_batch *b)
{
    pthread_t thread;
    const bool both = pthread_create(&thread, NULL, read_batch, s) == 0;
    const jsn_status status = predict_batch(s, b);
    if (both)
        (void)pthread_join(thread, NULL);
    else if (status == JSN_OK)
        (void)read_batch(s);
    return status;
}

static jsn_status run_in_pairs(streamer *s)
{
    const size_t count = s->stream->count;
    stream_batch *now = &s->batches[0], *next = &s->batches[1];
    place_batch(s, now, 0);
    (void)read_batch(s);
    for (size_t done = now->count; done < count; done += now->count) {
        place_batch(s, next, done);
        JSNI_TRY(predict_and_read(s, now));
        stream_batch *const swap = now;
        now = next;
        next = swap;
    }
    return predict_batch(s, now);
}

static jsn_status run_in_turn(streamer *s)
{
    stream_batch *b = &s->batches[0];
    for (size_t done = 0; done < s->stream->count; done += b->count) {
        place_batch(s, b, done);
        (void)read_batch(s);
        JSNI_TRY(predict_batch(s, b));
    }
    return JSN_OK;
}

static jsn_status set_up(streamer *s)
{
    const jsn_classifier *c = s->stream->classifier;
    const size_t size = c->card.image_size, classes = c->card.classes;
    s->floats = 3 * size * size;
    s->pairs = s->stream->pairs || c->models[0]->backend->ops->can.gpu;
    JSNI_TRY(jsni_pool_create(&s->pool, c->threads));
    const size_t threads = jsni_pool_threads(s->pool);
    JSNI_TRY_ALLOC(s->readers = jsni_alloc_zero(threads, sizeof *s->readers));
    for (size_t t = 0; t < threads; t++)
        JSNI_TRY(jsn_augment_scratch_create(&s->readers[t].scratch));
    for (size_t i = 0; i < (s->pairs ? 2 : 1); i++) {
        stream_batch *b = &s->batches[i];
        JSNI_TRY_ALLOC(b->tensors = jsni_alloc(c->batch, s->floats * sizeof(float)));
        JSNI_TRY_ALLOC(b->outcomes = jsni_alloc_zero(c->batch, sizeof(outcome)));
    }
    JSNI_TRY_ALLOC(s->probabilities = jsni_alloc(c->batch, classes * sizeof(double)));
    JSNI_TRY_ALLOC(s->logits = jsni_alloc(c->batch, classes * sizeof(float)));
    return JSN_OK;
}

static void tear_down(streamer *s)
{
    for (size_t t = 0; s->readers != NULL && t < jsni_pool_threads(s->pool); t++) {
        jsn_image_release(&s->readers[t].image);
        jsn_augment_scratch_destroy(s->readers[t].scratch);
    }
    jsni_pool_destroy(s->pool);
    jsni_free(s->readers);
    for (size_t i = 0; i < 2; i++) {
        jsni_free(s->batches[i].tensors);
        jsni_free(s->batches[i].outcomes);
    }
    jsni_free(s->probabilities);
    jsni_free(s->logits);
}

jsn_status jsni_stream_run(const jsni_stream *stream)
{
    if (stream->count == 0)
        return JSN_OK;
    streamer s = {.stream = stream};
    jsn_status status = set_up(&s);
    if (status == JSN_OK)
        status = s.pairs ? run_in_pairs(&s) : run_in_turn(&s);
    tear_down(&s);
    return status;
}

typedef struct file_list {
    const char *const *paths;
    jsn_classifier_file_fn *fn;
    void *user;
} file_list;

static jsn_status read_file(void *user, size_t index, jsn_image *image)
{
    const file_list *files = user;
    return jsn_image_read(image, files->paths[index]);
}

/* The sentences of the readers begin with the path. */
static jsn_status tell_file(void *user, const jsni_streamed *image)
{
    const file_list *files = user;
    const char *path = files->paths[image->index], *reason = image->reason;
    const size_t length = strlen(path);
    if (reason != NULL && strncmp(reason, path, length) == 0 && reason[length] == ':')
        reason += length + (reason[length + 1] == ' ' ? 2 : 1);
    const jsn_classifier_file file = {path, image->probabilities, image->logits,
                                      reason};
    return files->fn(files->user, &file);
}

jsn_status jsn_classifier_predict_files(jsn_classifier *c, const char *const *paths,
                                        size_t count, jsn_classifier_file_fn *fn,
                                        void *user)
{
    JSNI_NEED(c);
    JSNI_NEED(paths);
    JSNI_NEED(fn);
    for (size_t i = 0; i < count; i++)
        if (paths[i] == NULL)
            return jsni_fail(JSN_ERR_ARGUMENT, "path %zu is NULL", i);
    file_list files = {paths, fn, user};
    const jsni_stream stream = {c, count, read_file, tell_file, &files, false};
    return jsni_stream_run(&stream);
}
