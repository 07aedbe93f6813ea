/* cli/cli_predict.h - jensen predict with a finished run, or with weights on image
 * files: classes of image files and of arrays. */
#ifndef JENSEN_CLI_PREDICT_H
#define JENSEN_CLI_PREDICT_H

#include <stdbool.h>

#include "jensen/array.h"
#include "jensen/option.h"

typedef struct cli_predict_request {
    const char *run;            /* run folder, or NULL with a network */
    const char *network, *init; /* instead of a run: network and weights */
    size_t classes;             /* of that network */
    const jsn_texts *args;      /* args->items[first...] are images and folders */
    size_t first;
    const char *device, *precision;
    size_t threads, batch;
    size_t views;       /* of an image, averaged */
    size_t top;         /* classes to print, 1 at least */
    const char *csv;    /* file to write as well, or NULL */
    const char *array;  /* .npy to read in place of image files, or NULL */
    const char *logits; /* .npy to write as well, or NULL */
    bool json;
} cli_predict_request;

/* Images that cannot be read are named on stderr; when none can, JSN_ERR_DATA. */
JSN_MUST_CHECK jsn_status cli_predict_images(const cli_predict_request *request);
/* The images of request->array, which are as the network reads them. */
JSN_MUST_CHECK jsn_status cli_predict_array(const cli_predict_request *request);

/* JSN_OK when an array of that file is float32 [N][C][H][W] and not empty. */
JSN_MUST_CHECK jsn_status cli_predict_check(const jsn_array *images, const char *path);

#endif /* JENSEN_CLI_PREDICT_H */
