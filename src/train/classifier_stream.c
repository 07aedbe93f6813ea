/* train/classifier_stream.c - see classifier_stream.h, and jsn_classifier_predict_files()
 * in jensen/classifier.h. */
#define _POSIX_C_SOURCE 200809L
#include "train/classifier_stream.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "backend/model.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/pool.h"
#include "data/image_decoder.h"
#include "train/classifier_impl.h"

enum {
    SENTENCE = 512,
    ANSWER_BYTES = 64 << 20 /* of all images that the network asks for, or of a batch */
};

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
    float *tensors;    /* [room][floats]; NULL where the network asks for them */
    outcome *outcomes; /* [room] */
} stream_batch;

typedef struct streamer {
    const jsni_stream *stream;
    size_t floats; /* of an image's tensor */
    jsni_pool *pool;
    reader *readers;         /* [reader_count] */
    size_t reader_count;     /* threads of the pool, or workers of the network */
    bool pairs;              /* a batch is read while the network works on another */
    bool asked;              /* the network asks for its images */
    size_t room;             /* images of a batch; where they are asked for, of some */
    stream_batch batches[2]; /* the second of pairs alone */
    stream_batch *reading;
    double *probabilities; /* [room][classes] */
    float *logits;         /* [room][classes] */
} streamer;

/* Image `index` of the batch that is read, as a tensor. */
static bool read_to(void *user, size_t index, size_t worker, float *to)
{
    const streamer *s = user;
    const stream_batch *b = s->reading;
    const jsn_augment_key key = {0};
    reader *r = &s->readers[worker];
    outcome *o = &b->outcomes[index];
    o->status = s->stream->read(s->stream->user, b->first + index, &r->image);
    if (o->status == JSN_OK)
        o->status = jsn_augment_apply(s->stream->classifier->plain, r->scratch,
                                      &r->image, &key, to);
    if (o->status != JSN_OK)
        (void)snprintf(o->reason, sizeof o->reason, "%s", jsn_last_error());
    return o->status == JSN_OK;
}

static void read_one(void *user, size_t index, size_t worker)
{
    const streamer *s = user;
    (void)read_to(user, index, worker, s->reading->tensors + index * s->floats);
}

static void *read_batch(void *user)
{
    streamer *s = user;
    jsni_pool_run(s->pool, s->reading->count, read_one, s);
    return NULL;
}

/* At most `most` images from `first` on; none at the end. */
static void place_images(streamer *s, stream_batch *batch, size_t first, size_t most)
{
    const size_t left = s->stream->count - first;
    batch->first = first;
    batch->count = left < most ? left : most;
    s->reading = batch;
}

static void place_batch(streamer *s, stream_batch *batch, size_t first)
{
    place_images(s, batch, first, s->stream->classifier->batch);
}

static bool is_content(jsn_status status)
{
    return status == JSN_ERR_DATA || status == JSN_ERR_UNSUPPORTED;
}

/* Moves the tensors of the images that could be read together, and counts them. */
static size_t close_gaps(const streamer *s, const stream_batch *b)
{
    size_t good = 0;
    for (size_t i = 0; i < b->count; i++) {
        if (b->outcomes[i].status != JSN_OK)
            continue;
        if (good < i)
            memcpy(b->tensors + good * s->floats, b->tensors + i * s->floats,
                   s->floats * sizeof(float));
        good++;
    }
    return good;
}

/* As far as the first failure that is no fault of an image's content. */
static jsn_status tell_batch(const streamer *s, const stream_batch *b)
{
    const size_t classes = s->stream->classifier->card.classes;
    size_t row = 0;
    for (size_t i = 0; i < b->count; i++) {
        const outcome *o = &b->outcomes[i];
        const bool read = o->status == JSN_OK;
        if (!read && !is_content(o->status))
            return jsni_fail(o->status, "%s", o->reason);
        if (s->stream->way == JSNI_STREAM_READS)
            continue;
        const jsni_streamed told = {
            .index = b->first + i,
            .probabilities = read ? s->probabilities + row * classes : NULL,
            .logits = read ? s->logits + row * classes : NULL,
            .reason = read ? NULL : o->reason,
        };
        JSNI_TRY(s->stream->tell(s->stream->user, &told));
        row += read;
    }
    return JSN_OK;
}

static jsn_status predict_batch(streamer *s, const stream_batch *b)
{
    JSNI_TRY(jsn_classifier_predict_tensors(s->stream->classifier, b->tensors,
                                            close_gaps(s, b), s->probabilities,
                                            s->logits));
    return tell_batch(s, b);
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

static double seconds_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* As many batches as take about half a second, when `images` took `seconds`: at the end of a
 * call threads wait for each other, and before it nothing is told. Results do not depend on
 * it. */
static size_t next_images(const streamer *s, size_t images, double seconds)
{
    const size_t batch = s->stream->classifier->batch;
    size_t next = batch;
    while (next + batch <= s->room &&
           (double)(next + batch) * seconds <= 0.5 * (double)images)
        next += batch;
    return next;
}

static jsn_status run_asked(streamer *s)
{
    const jsni_source source = {read_to, s};
    stream_batch *b = &s->batches[0];
    size_t there = 0, most = s->stream->classifier->batch;
    for (size_t done = 0; done < s->stream->count; done += b->count) {
        const double start = seconds_now();
        place_images(s, b, done, most);
        JSNI_TRY(jsni_classifier_predict_from(s->stream->classifier, &source, b->count,
                                              &there, s->probabilities, s->logits));
        JSNI_TRY(tell_batch(s, b));
        most = next_images(s, b->count, seconds_now() - start);
    }
    return JSN_OK;
}

static jsn_status run_in_turn(streamer *s)
{
    stream_batch *b = &s->batches[0];
    for (size_t done = 0; done < s->stream->count; done += b->count) {
        place_batch(s, b, done);
        (void)read_batch(s);
        JSNI_TRY(s->stream->way == JSNI_STREAM_READS ? tell_batch(s, b)
                                                     : predict_batch(s, b));
    }
    return JSN_OK;
}

/* How many images the network asks for at most: whole batches. With very many classes the
 * answers of a few batches take more memory than the images. */
static size_t asked_images(const jsn_classifier *c)
{
    const size_t answer = c->card.classes * (sizeof(double) + sizeof(float));
    const size_t batches = ANSWER_BYTES / answer / c->batch;
    const size_t most = jsni_classifier_source_images(c) / c->batch;
    return c->batch * (batches < 1 ? 1 : batches < most ? batches : most);
}

/* Who reads, and when. */
static jsn_status choose_way(streamer *s)
{
    const jsn_classifier *c = s->stream->classifier;
    const jsni_stream_way way = s->stream->way;
    s->pairs = way == JSNI_STREAM_PAIRS ||
               (way == JSNI_STREAM_AUTO && c->models[0]->backend->ops->can.gpu);
    s->reader_count =
        s->pairs || way != JSNI_STREAM_AUTO ? 0 : jsni_classifier_source_workers(c);
    s->asked = s->reader_count > 0;
    s->room = s->asked ? asked_images(c) : c->batch;
    if (s->asked)
        return JSN_OK;
    JSNI_TRY(jsni_pool_create(&s->pool, c->threads));
    s->reader_count = jsni_pool_threads(s->pool);
    return JSN_OK;
}

static jsn_status set_up(streamer *s)
{
    const jsn_classifier *c = s->stream->classifier;
    const size_t size = c->card.image_size, classes = c->card.classes;
    s->floats = 3 * size * size;
    JSNI_TRY(choose_way(s));
    JSNI_TRY_ALLOC(s->readers = jsni_alloc_zero(s->reader_count, sizeof *s->readers));
    for (size_t t = 0; t < s->reader_count; t++)
        JSNI_TRY(jsn_augment_scratch_create(&s->readers[t].scratch));
    for (size_t i = 0; i < (s->pairs ? 2 : 1); i++) {
        stream_batch *b = &s->batches[i];
        if (!s->asked)
            JSNI_TRY_ALLOC(b->tensors = jsni_alloc(s->room, s->floats * sizeof(float)));
        JSNI_TRY_ALLOC(b->outcomes = jsni_alloc_zero(s->room, sizeof(outcome)));
    }
    JSNI_TRY_ALLOC(s->probabilities = jsni_alloc(s->room, classes * sizeof(double)));
    JSNI_TRY_ALLOC(s->logits = jsni_alloc(s->room, classes * sizeof(float)));
    return JSN_OK;
}

static void tear_down(streamer *s)
{
    for (size_t t = 0; s->readers != NULL && t < s->reader_count; t++) {
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
        status = s.asked ? run_asked(&s) : s.pairs ? run_in_pairs(&s) : run_in_turn(&s);
    tear_down(&s);
    return status;
}

typedef struct file_list {
    const char *const *paths;
    jsni_decoder_pool *decoders;
    jsn_classifier_file_fn *fn;
    void *user;
} file_list;

static jsn_status read_file(void *user, size_t index, jsn_image *image)
{
    const file_list *files = user;
    jsni_image_decoder *decoder = NULL;
    JSNI_TRY(jsni_decoder_pool_take(files->decoders, &decoder));
    const jsn_status status =
        jsni_image_decoder_read(decoder, files->paths[index], image);
    jsni_decoder_pool_give(files->decoders, decoder);
    return status;
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

static jsn_status run_files(jsn_classifier *c, const char *const *paths, size_t count,
                            jsni_stream_way way, jsn_classifier_file_fn *fn, void *user)
{
    file_list files = {.paths = paths, .fn = fn, .user = user};
    const jsni_stream stream = {.classifier = c,
                                .count = count,
                                .read = read_file,
                                .tell = tell_file,
                                .user = &files,
                                .way = way};
    for (size_t i = 0; i < count; i++)
        if (paths[i] == NULL)
            return jsni_fail(JSN_ERR_ARGUMENT, "path %zu is NULL", i);
    JSNI_TRY(jsni_decoder_pool_create(&files.decoders));
    const jsn_status status = jsni_stream_run(&stream);
    jsni_decoder_pool_destroy(files.decoders);
    return status;
}

jsn_status jsn_classifier_predict_files(jsn_classifier *c, const char *const *paths,
                                        size_t count, jsn_classifier_file_fn *fn,
                                        void *user)
{
    JSNI_NEED(c);
    JSNI_NEED(paths);
    JSNI_NEED(fn);
    return run_files(c, paths, count, JSNI_STREAM_AUTO, fn, user);
}

jsn_status jsni_classifier_read_files(jsn_classifier *c, const char *const *paths,
                                      size_t count)
{
    return run_files(c, paths, count, JSNI_STREAM_READS, NULL, NULL);
}
