/* train/classifier_stream.h - many images through a classifier: several threads read and
 * transform them, a batch at a time is in memory. On a GPU the next batch is read while the
 * network works on one; on a CPU both want the same cores, and take turns. */
#ifndef JSNI_TRAIN_CLASSIFIER_STREAM_H
#define JSNI_TRAIN_CLASSIFIER_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "jensen/classifier.h"

/* Image `index`; called from several threads at a time. Content that cannot be read is
 * JSN_ERR_DATA or JSN_ERR_UNSUPPORTED, every other failure ends the stream. */
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

typedef struct jsni_stream {
    jsn_classifier *classifier;
    size_t count;
    jsni_stream_read_fn *read;
    jsni_stream_tell_fn *tell;
    void *user; /* of both */
    bool pairs; /* what jsni_stream_run() does on a GPU, anywhere: for tests */
} jsni_stream;

JSN_MUST_CHECK jsn_status jsni_stream_run(const jsni_stream *stream);

#endif /* JSNI_TRAIN_CLASSIFIER_STREAM_H */
