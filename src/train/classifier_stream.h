/* train/classifier_stream.h - many images through a classifier, read and transformed by several
 * threads. On a GPU the next batch is read while the network works on one. On a CPU the
 * threads of the network read the images that they then work on. Where the network takes
 * its images at once, and with several members or views, reading and computing take turns. */
#ifndef JSNI_TRAIN_CLASSIFIER_STREAM_H
#define JSNI_TRAIN_CLASSIFIER_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "jensen/classifier.h"

/* Image `index`; called from several threads at a time. Content that cannot be read is
 * JSN_ERR_DATA or JSN_ERR_UNSUPPORTED; every other failure ends the stream, once all images
 * before it are told. */
typedef jsn_status jsni_stream_read_fn(void *user, size_t index, jsn_image *image);

/* What came of image `index`, told in order. `probabilities` and `logits` have [classes] and
 * are NULL for an image that cannot be read, whose `reason` is not. */
typedef struct jsni_streamed {
    size_t index;
    const double *probabilities;
    const float *logits;
    const char *reason;
} jsni_streamed;

/* What it returns, if not JSN_OK, ends the stream. */
typedef jsn_status jsni_stream_tell_fn(void *user, const jsni_streamed *image);

typedef enum jsni_stream_way {
    JSNI_STREAM_AUTO,
    JSNI_STREAM_PAIRS, /* a batch is read while the network works on another */
    JSNI_STREAM_TURNS, /* a batch is read, then the network works on it */
    JSNI_STREAM_READS  /* a batch is read, and that is all: nothing is told */
} jsni_stream_way;

typedef struct jsni_stream {
    jsn_classifier *classifier;
    size_t count;
    jsni_stream_read_fn *read;
    jsni_stream_tell_fn *tell;
    void *user;          /* of both */
    jsni_stream_way way; /* AUTO, but in tests and measurements */
} jsni_stream;

JSN_MUST_CHECK jsn_status jsni_stream_run(const jsni_stream *stream);

/* Reads and transforms the files as jsn_classifier_predict_files() does, and leaves it at
 * that: what this takes alone can be measured. */
JSN_MUST_CHECK jsn_status jsni_classifier_read_files(jsn_classifier *classifier,
                                                     const char *const *paths,
                                                     size_t count);

#endif /* JSNI_TRAIN_CLASSIFIER_STREAM_H */
