/* jensen/dataset.h - labelled images from anywhere, behind one handle.
 *
 * A data set is named by a spec: "builtin", "cifar10:PATH", "folder:PATH" (a plain path
 * means this one), "csv:FILE" ... It has up to three splits (train, val, test); a source
 * without splits has the train split alone, and ",split=test" keeps just that one.
 *
 *     jsn_dataset *data = NULL;
 *     jsn_image image = {0};
 *     if (jsn_dataset_open(&data, "cifar10:cifar-10-batches-bin", NULL) == JSN_OK &&
 *         jsn_dataset_image(data, JSN_SPLIT_TRAIN, 7, &image) == JSN_OK)
 *         ... jsn_dataset_label(data, JSN_SPLIT_TRAIN, 7) ...
 *     jsn_image_release(&image);
 *     jsn_dataset_close(data);
 *
 * Samples have a fixed order and a name: the path relative to the data set's root, with
 * forward slashes ("train/cat/0007.jpg"), by which label files are matched. CIFAR
 * binaries get the same names that their image folders have: the count of the image
 * within its class, in the original order.
 */
#ifndef JENSEN_DATASET_H
#define JENSEN_DATASET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jensen/image.h"
#include "jensen/log.h"
#include "jensen/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum jsn_split {
    JSN_SPLIT_TRAIN,
    JSN_SPLIT_VAL,
    JSN_SPLIT_TEST,
    JSN_SPLITS /* how many there are */
} jsn_split;

/* "train", "val", "test". */
JSN_API const char *jsn_split_name(jsn_split split);

typedef struct jsn_dataset jsn_dataset;

typedef struct jsn_dataset_options {
    size_t threads; /* for loading; 0: one a usable core */
    size_t memory;  /* bytes of decoded images to keep; 0: a quarter of what is free */
    bool once; /* every image will be read once: keep none that is read from a file */
    const jsn_logger *logger; /* borrowed during open; NULL: silent */
    /* Folder for decoded archives, borrowed during open. NULL: the environment's
     * JENSEN_CACHE, else $XDG_CACHE_HOME/jensen, else ~/.cache/jensen. "off": none. */
    const char *cache;
} jsn_dataset_options;

/* All fields to their defaults. */
JSN_API void jsn_dataset_options_init(jsn_dataset_options *options);

/* Opens a data set: lists it whole, and reads the images of archives and binary files.
 * `options` may be NULL. On success the caller owns *out and calls
 * jsn_dataset_close(); on failure *out is NULL:
 *   JSN_ERR_ARGUMENT      the spec is malformed
 *   JSN_ERR_UNKNOWN_NAME  no data set of that name (NAME:...), or no such key
 *   JSN_ERR_RANGE         a parameter lies outside its bounds
 *   JSN_ERR_DATA          a file or folder is missing or invalid; the sentence says which,
 *                         and why
 *   JSN_ERR_UNSUPPORTED   this build lacks the library that the format needs
 *   JSN_ERR_MEMORY
 * A handle is read-only from here on: any number of threads may use it at once. */
JSN_API JSN_MUST_CHECK jsn_status jsn_dataset_open(jsn_dataset **out, const char *spec,
                                                   const jsn_dataset_options *options);
JSN_API void jsn_dataset_close(jsn_dataset *data); /* accepts NULL */

/* Facts about an open data set; the texts live as long as the handle. */
typedef struct jsn_dataset_traits {
    const char *kind; /* the table entry: "cifar10" */
    const char *spec; /* as given to open */
    size_t classes;
    size_t width; /* of every image; both 0 when sizes vary */
    size_t height;
    float mean[JSN_IMAGE_CHANNELS];      /* normalisation, for pixels scaled to [0,1] */
    float deviation[JSN_IMAGE_CHANNELS]; /* standard deviation */
    /* "cifar10" or "cifar100" when that asymmetric-noise map fits the classes, else
     * NULL. */
    const char *asymmetric;
    /* The split to use where one is wanted and none is named: the one picked with
     * ",split=", the only one, or else the training split. */
    jsn_split main_split;
} jsn_dataset_traits;

/* The traits of an open data set, which owns them; NULL for NULL. */
JSN_API const jsn_dataset_traits *jsn_dataset_about(const jsn_dataset *data);

/* The name of class `label`, or NULL outside [0, classes). */
JSN_API const char *jsn_dataset_class(const jsn_dataset *data, size_t label);

/* Samples in a split; 0 when the data set has no such split. */
JSN_API size_t jsn_dataset_samples(const jsn_dataset *data, jsn_split split);

/* The labels of a split, [samples], each in [0, classes); NULL when it is empty. */
JSN_API const int32_t *jsn_dataset_labels(const jsn_dataset *data, jsn_split split);

/* The label of one sample; -1 when the split has no sample of that index. */
JSN_API int32_t jsn_dataset_label(const jsn_dataset *data, jsn_split split,
                                  size_t index);

/* The soft labels of a split, [samples][classes], rows summing to 1; NULL when the data
 * set has hard labels. The hard label is then the largest entry. */
JSN_API const float *jsn_dataset_soft_labels(const jsn_dataset *data, jsn_split split);

/* The sample's name, see above; lives as long as the handle. NULL beyond the end. */
JSN_API const char *jsn_dataset_path(const jsn_dataset *data, jsn_split split,
                                     size_t index);

/* Decodes a sample. *image is zeroed or made by jsn_image_create(); its memory is used
 * again when the size fits, and replaced otherwise. On failure it is unspecified but
 * still valid to release or to hand in again:
 *   JSN_ERR_RANGE   no such sample
 *   JSN_ERR_DATA    unreadable or broken, with the sample's path
 *   JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_dataset_image(const jsn_dataset *data,
                                                    jsn_split split, size_t index,
                                                    jsn_image *image);

/* SHA-256 over the decoded pixels of all samples of a split in order, as 64 digits.
 *   JSN_ERR_DATA   a sample is broken
 *   JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_dataset_pixels_sha256(const jsn_dataset *data,
                                                            jsn_split split,
                                                            char hex[65]);

/* Called for a sample that cannot be read, in the order of the samples, on the thread
 * that called the library; what it returns, if not JSN_OK, ends the check. */
typedef jsn_status jsn_dataset_bad_fn(void *user, jsn_split split, size_t index,
                                      const char *reason);

/* Reads every image of a split with `threads` threads (0: one a usable core) and reports
 * those that cannot be read. `logger` may be NULL. `prints`, [samples] or NULL, gets a
 * number for the pixels of each image, 0 where it cannot be read.
 *   JSN_ERR_MEMORY, and what `fn` returns */
JSN_API JSN_MUST_CHECK jsn_status jsn_dataset_check(const jsn_dataset *data,
                                                    jsn_split split, size_t threads,
                                                    const jsn_logger *logger,
                                                    jsn_dataset_bad_fn *fn, void *user,
                                                    uint64_t *prints);

/* One of several samples whose images have the same pixels. */
typedef struct jsn_dataset_copy {
    jsn_split split;
    size_t index;
} jsn_dataset_copy;

/* Called for the samples that share an image, at least two of them, by split and index;
 * what it returns, if not JSN_OK, ends the search. */
typedef jsn_status jsn_dataset_copies_fn(void *user, const jsn_dataset_copy *copies,
                                         size_t count);

/* Finds the samples that have the same pixels as others and are under another label or in
 * another split than these. `prints` are those of jsn_dataset_check(), NULL for an empty
 * split; images that share one are read again and compared.
 *   JSN_ERR_MEMORY, and what `fn` returns */
JSN_API JSN_MUST_CHECK jsn_status jsn_dataset_find_copies(
    const jsn_dataset *data, const uint64_t *const prints[JSN_SPLITS],
    jsn_dataset_copies_fn *fn, void *user);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_DATASET_H */
