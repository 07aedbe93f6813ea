/* jensen/export.h - a model for other programs.
 *
 *     jsn_classifier *classifier;
 *     jsn_classifier_open(&classifier, "runs/photos", "cpu", 0);
 *     jsn_export(classifier, "model.onnx", NULL);
 *     jsn_classifier_close(classifier);
 */
#ifndef JENSEN_EXPORT_H
#define JENSEN_EXPORT_H

#include <stddef.h>

#include "jensen/classifier.h"
#include "jensen/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jsn_export_options {
    size_t size;        /* sizeof(jsn_export_options), set by the call below */
    const char *format; /* "onnx", a name of JSN_CATALOG_EXPORT_FORMATS; borrowed */
    /* Of onnx. 0: images as people have them, uint8 [N][H][W][3], upright, of any size but
     * one a batch, in; probabilities, float [N][classes], out. 1: a normalised batch, float
     * [N][3][size][size], in; logits out (of an ensemble the logarithms of its
     * probabilities). Of pytorch, whose model always is the latter: 1 leaves out the
     * function that transforms images. */
    int raw;
} jsn_export_options;

/* "onnx", with the transform of images inside. */
JSN_API void jsn_export_options_init(jsn_export_options *options);

/* Writes the model. In a file of ONNX resizing, cropping and normalisation are inside, with
 * the bytes that jsn_classifier_predict() has; members are averaged inside; class names and
 * the transform are in the metadata. A module of PyTorch, whose path ends in ".py", has its
 * weights beside it, under the same name but for the ending. `options` may be NULL.
 *   JSN_ERR_UNKNOWN_NAME  no such format
 *   JSN_ERR_UNSUPPORTED   the model has no such form: the sentence says what to do
 *   JSN_ERR_RANGE         a model of more than 2 GiB in ONNX
 *   JSN_ERR_ARGUMENT      NULL, or a module of Python that does not end in ".py"
 *   JSN_ERR_IO, JSN_ERR_MEMORY
 * Not thread-safe for one classifier. */
JSN_API JSN_MUST_CHECK jsn_status jsn_export(jsn_classifier *classifier,
                                             const char *path,
                                             const jsn_export_options *options);

/* How far an exported file is from the classifier that it was made of. */
typedef struct jsn_export_difference {
    size_t images;    /* that were compared */
    size_t unread;    /* that could not be read, and were left out */
    double largest;   /* difference of a probability; of a raw file, of a logit */
    char path[512];   /* the image that has it, cut where it is longer */
    char version[32]; /* of ONNX Runtime */
} jsn_export_difference;

/* Runs a file of ONNX, as jsn_export() writes it, in ONNX Runtime, and the classifier beside
 * it, on the images in `folder`. The library is loaded for that: libonnxruntime.so, that of an
 * active Python environment, or what JENSEN_ONNXRUNTIME names in the environment.
 *   JSN_ERR_UNSUPPORTED  there is no such library
 *   JSN_ERR_DATA         it does not take the file; no image that can be read
 *   JSN_ERR_ARGUMENT, JSN_ERR_IO, JSN_ERR_MEMORY
 * Not thread-safe for one classifier. */
JSN_API JSN_MUST_CHECK jsn_status jsn_export_check(jsn_classifier *classifier,
                                                   const char *path, const char *folder,
                                                   jsn_export_difference *found);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_EXPORT_H */
