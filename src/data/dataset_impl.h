/* data/dataset_impl.h - what a data-set file implements, and what an open data set is.
 *
 * An entry of the table turns a spec into lists of samples; reading a sample is the same
 * for all of them and lives in dataset.c. A split keeps its images in one of three ways:
 *   pixels   one block of decoded images of one size (binary sets, small archives)
 *   blobs    encoded files in memory or a mapped file (large archives)
 *   files    on disk, below `root`
 * Blobs and files are decoded when asked for, and kept while memory allows.
 */
#ifndef JSNI_DATA_DATASET_IMPL_H
#define JSNI_DATA_DATASET_IMPL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/spec.h"
#include "core/text.h"
#include "data/dataset_list.h"
#include "data/image_decoder.h"
#include "data/kept_image.h"
#include "jensen/dataset.h"
#include "jensen/param.h"

enum {
    JSNI_DATASET_MAX_PARAMS = 8,
    JSNI_DATASET_MAX_CLASSES = 1 << 20,
    JSNI_DATASET_MAX_NAME = 4096
};

/* More samples than this are refused: sample numbers are 32-bit in random streams. */
#define JSNI_DATASET_MAX_SAMPLES ((size_t)0x7fffffff)

/* An encoded file in memory. */
typedef struct jsni_blob {
    const uint8_t *bytes; /* borrowed: of the data set's packs */
    size_t length;
} jsni_blob;

/* One split; zeroed when the data set has none. */
typedef struct jsni_split {
    size_t samples;
    size_t capacity;
    int32_t *labels;       /* [samples] */
    size_t *names;         /* [samples], offsets into jsn_dataset.names */
    float *soft;           /* [samples][classes], or NULL */
    size_t soft_capacity;  /* in rows */
    const uint8_t *pixels; /* [samples][height][width][3]: owned_pixels or mapped */
    uint8_t *owned_pixels;
    jsni_blob *blobs;                 /* [samples], or NULL */
    char *root;                       /* files: the folder that names are relative to */
    uint64_t root_device, root_inode; /* which folder that was when it was opened */
    /* Of blobs and files; NULL: pixels. */
    jsni_kept_list *kept; /* [samples], decoded images */
    atomic_uchar *whole;  /* [samples]: 1 once it was decoded whole */
} jsni_split;

struct jsn_dataset {
    jsn_dataset_traits traits;
    char *spec;
    jsni_split splits[JSN_SPLITS];
    int wanted;     /* the split that the spec picks, or -1 */
    char **classes; /* [traits.classes] */
    size_t class_room;
    char *names; /* NUL-terminated, back to back */
    size_t names_length;
    size_t names_room;
    struct jsni_pack *packs; /* [pack_count], archives that splits point into */
    size_t pack_count;
    jsni_decoder_pool *decoders;
    atomic_size_t memory_left;   /* for `kept` */
    int64_t opened, opened_part; /* when it was: seconds since 1970, nanoseconds */
};

/* What an entry's open function gets. */
typedef struct jsni_dataset_request {
    const char *spec;
    const jsni_spec_value *values; /* in the order of the entry's params */
    jsn_dataset_options options;   /* with the defaults filled in */
} jsni_dataset_request;

typedef struct jsni_dataset_def {
    jsn_entry info;
    /* Fills `data`, which comes in empty but for `wanted` and spec; traits that are not
     * set become: ImageNet normalisation, no asymmetric map. On failure the caller
     * releases whatever was added. Splits other than a wanted one may be left out. */
    jsn_status (*open)(jsn_dataset *data, const jsni_dataset_request *request);
} jsni_dataset_def;

#define DECLARE(id) extern const jsni_dataset_def jsni_dataset_##id;
JSNI_DATASET_LIST(DECLARE)
#undef DECLARE

jsn_entry jsni_dataset_entry(size_t index); /* all zero behind the last */

/* The row that every entry ends its parameters with. */
#define JSNI_DATASET_SPLIT_PARAM                                                     \
    {                                                                                \
        "split", "keep only this split: train, val or test", 0, 0, 0, JSN_PARAM_TEXT \
    }

/* Building: names are copied. */
JSN_MUST_CHECK jsn_status jsni_dataset_add_class(jsn_dataset *data, const char *name);
JSN_MUST_CHECK jsn_status jsni_dataset_add_classes(jsn_dataset *data,
                                                   const char *const *names,
                                                   size_t count);
JSN_MUST_CHECK jsn_status jsni_dataset_add(jsn_dataset *data, jsn_split split,
                                           const char *name, int32_t label);
/* The same for a sample with a soft label, [traits.classes]; all samples of a split have
 * one or none has. */
JSN_MUST_CHECK jsn_status jsni_dataset_add_soft(jsn_dataset *data, jsn_split split,
                                                const char *name, const float *soft);

/* Whether the spec leaves this split to be loaded. */
bool jsni_dataset_wants(const jsn_dataset *data, jsn_split split);

void jsni_dataset_normalise(jsn_dataset *data, const float mean[3],
                            const float deviation[3]);

/* Room for one more pack, which must be filled or left zeroed. */
JSN_MUST_CHECK jsn_status jsni_dataset_add_pack(jsn_dataset *data,
                                                struct jsni_pack **out);

/* The images of a split are files below `root`, which is copied. */
JSN_MUST_CHECK jsn_status jsni_dataset_set_root(jsn_dataset *data, jsn_split split,
                                                const char *root);

/* What is taken to keep images where nobody says: a quarter of what is free, within the
 * limit of a container and --limit kept. */
size_t jsni_dataset_memory(void);
/* Of what a data set was allowed, what is left. */
size_t jsni_dataset_memory_left(const jsn_dataset *data);

/* Fills in width and height of images on disk when a sample of them agrees. Broken ones are
 * passed over; JSN_ERR_IO when one cannot be read now. */
JSN_MUST_CHECK jsn_status jsni_dataset_probe_size(jsn_dataset *data);

/* Empties a split. */
void jsni_split_release(jsni_split *split);

#endif /* JSNI_DATA_DATASET_IMPL_H */
