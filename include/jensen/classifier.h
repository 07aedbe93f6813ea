/* jensen/classifier.h - a finished run at work: classes of new images, accuracy on
 * labelled data.
 *
 *     jsn_classifier *c = NULL;
 *     jsn_image image = {0};
 *     if (jsn_classifier_open(&c, "runs/photos", "auto", 0) != JSN_OK ||
 *         jsn_image_read(&image, "new.jpg") != JSN_OK ||
 *         jsn_classifier_predict(c, &image, 1, probabilities, NULL) != JSN_OK)
 *         fprintf(stderr, "%s\n", jsn_last_error());
 *
 * An ensemble averages the probabilities of its members.
 */
#ifndef JENSEN_CLASSIFIER_H
#define JENSEN_CLASSIFIER_H

#include <stddef.h>
#include <stdint.h>

#include "jensen/backend.h"
#include "jensen/image.h"
#include "jensen/log.h"
#include "jensen/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One thread uses it at a time. */
typedef struct jsn_classifier jsn_classifier;

/* What is opened, and how it works. Texts are borrowed for the call. */
typedef struct jsn_classifier_options {
    const char
        *run; /* its folder, or the name of weights in the cache (jensen/weights.h);
                      * NULL: the weights below */
    /* Weights alone: safetensors with PyTorch's names, which must fit `network` with
     * `classes` outputs in full. */
    const char *network, *weights;
    size_t classes;
    const char *device;      /* "auto", "cpu", "cuda", ... */
    size_t threads;          /* of the CPU; 0: all cores */
    size_t batch;            /* images that go through the network together */
    jsn_precision precision; /* arithmetic of the device, whatever the run was trained
                              * with */
    size_t views; /* of an image, whose probabilities are averaged: 1 is the image as it
                   * is, 2 adds its mirror image, 3 to 10 both moved into the corners */
} jsn_classifier_options;

/* Nothing to open, device "auto", all cores, batch 64, fp32, one view. */
JSN_API void jsn_classifier_options_init(jsn_classifier_options *options);

/* Opens a finished run, or weights: their images get the network's size and the
 * normalisation of a folder of images (that of ImageNet); classes are named "0", "1", ...
 * On failure *out is NULL.
 *   JSN_ERR_ARGUMENT     neither a run nor a network with weights, classes below 2; the
 *                        device lacks the precision
 *   JSN_ERR_RANGE        a batch of 0, views outside 1 to 10
 *   JSN_ERR_DATA         not a run folder, or an unfinished one; a damaged file
 *   JSN_ERR_DEVICE, JSN_ERR_UNKNOWN_NAME, JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status
jsn_classifier_create(jsn_classifier **out, const jsn_classifier_options *options);

/* The usual of it: opens the run in `folder` on a device ("auto", "cpu", "cuda", ...) with `threads`
 * CPU threads (0: all cores). On failure *out is NULL.
 *   JSN_ERR_DATA    not a run folder, or an unfinished one; a damaged file
 *   JSN_ERR_DEVICE, JSN_ERR_UNKNOWN_NAME, JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_classifier_open(jsn_classifier **out,
                                                      const char *folder,
                                                      const char *device,
                                                      size_t threads);
JSN_API void jsn_classifier_close(jsn_classifier *classifier); /* accepts NULL */

/* How many classes it tells apart; 0 for NULL. */
JSN_API size_t jsn_classifier_classes(const jsn_classifier *classifier);
/* The name of a class, or NULL beyond the last; the classifier's. */
JSN_API const char *jsn_classifier_class(const jsn_classifier *classifier,
                                         size_t label);

/* Class probabilities [count][classes] of `count` images of any size, which go through
 * the run's evaluation transform; NaN where the network's output has a NaN. Also the
 * logits [count][classes], where not NULL; those of an ensemble, and of several views,
 * are the logarithms of its probabilities. */
JSN_API JSN_MUST_CHECK jsn_status jsn_classifier_predict(jsn_classifier *classifier,
                                                         const jsn_image *images,
                                                         size_t count,
                                                         double *probabilities,
                                                         float *logits);

/* Height and width of what the network reads. */
JSN_API size_t jsn_classifier_image_size(const jsn_classifier *classifier);

/* As jsn_classifier_predict() for images that went through a transform already:
 * [count][3][image size][image size], normalised. */
JSN_API JSN_MUST_CHECK jsn_status
jsn_classifier_predict_tensors(jsn_classifier *classifier, const float *tensors,
                               size_t count, double *probabilities, float *logits);

/* What comes of an image file. All is borrowed for the call. */
typedef struct jsn_classifier_file {
    const char *path;
    const double
        *probabilities;  /* [classes]; NULL: the file cannot be read as an image */
    const float *logits; /* [classes], or NULL as well */
    const char *reason;  /* why it cannot be read; else NULL */
} jsn_classifier_file;

/* What it returns, if not JSN_OK, ends the prediction. */
typedef jsn_status jsn_classifier_file_fn(void *user, const jsn_classifier_file *file);

/* As jsn_classifier_predict() for image files, and faster: the classifier's threads read
 * them, and on a GPU they do so while the network works. Tells `fn` of each file in the order
 * given, on the calling thread. A file that is missing or holds no image is told and passed
 * by; any other failure to read ends the prediction, once all files before it are told. */
JSN_API JSN_MUST_CHECK jsn_status
jsn_classifier_predict_files(jsn_classifier *classifier, const char *const *paths,
                             size_t count, jsn_classifier_file_fn *fn, void *user);

/* How well a class is found. NaN where there is nothing to divide by. */
typedef struct jsn_class_scores {
    uint64_t labels, predictions; /* images with that label, and predicted to be it */
    double precision;             /* of those predicted, the share with the label */
    double recall;                /* of those with the label, the share predicted */
    double f1; /* the harmonic mean of both: 2 right / (labels + predictions) */
} jsn_class_scores;

/* Shares in [0, 1]; NaN: not measured. */
typedef struct jsn_classifier_scores {
    uint64_t samples;    /* evaluated */
    uint64_t bad_images; /* left out */
    double accuracy, top5, loss, ece;
    double consistency;  /* with one augmented copy of each image, when asked for */
    uint64_t *confusion; /* [classes][classes], label to predicted; owned. NULL for more
                          * than JSN_MATRIX_MAX_CLASSES */
    jsn_class_scores *per_class; /* [classes]; owned */
    double balanced_accuracy;    /* mean recall of the classes with a label */
    double macro_f1;   /* mean F1 of the classes with a label or a prediction */
    const char *split; /* that was evaluated: "test", "val" or "train"; static */
} jsn_classifier_scores;

/* Frees what the scores hold, and zeroes them. Accepts NULL. */
JSN_API void jsn_classifier_scores_release(jsn_classifier_scores *scores);

/* What is said of one image; `path` is borrowed for the call. */
typedef struct jsn_classifier_image {
    const char *path;
    int32_t label;            /* number of the class */
    int32_t predicted;        /* -1: the image cannot be read */
    double probability;       /* of the predicted class */
    double label_probability; /* of the label */
} jsn_classifier_image;

/* What it returns, if not JSN_OK, ends the evaluation. */
typedef jsn_status jsn_classifier_image_fn(void *user,
                                           const jsn_classifier_image *image);

/* The same, and tells `fn` of every image, in the order of the data. */
JSN_API JSN_MUST_CHECK jsn_status jsn_classifier_evaluate_images(
    jsn_classifier *classifier, const char *data, int consistency,
    const jsn_logger *logger, jsn_classifier_image_fn *fn, void *user,
    jsn_classifier_scores *scores);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_CLASSIFIER_H */
