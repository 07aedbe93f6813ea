/* cli/cli_predict.h - jensen predict with a finished run: classes of image files. */
#ifndef JENSEN_CLI_PREDICT_H
#define JENSEN_CLI_PREDICT_H

#include <stdbool.h>

#include "jensen/option.h"

typedef struct cli_predict_request {
    const char *run;       /* run folder */
    const jsn_texts *args; /* args->items[first...] are images and folders */
    size_t first;
    const char *device;
    size_t threads;
    size_t top;      /* classes to print, 1 at least */
    const char *csv; /* file to write as well, or NULL */
    bool json;
} cli_predict_request;

/* Images that cannot be read are named on stderr; when none can, JSN_ERR_DATA. */
JSN_MUST_CHECK jsn_status cli_predict_images(const cli_predict_request *request);

#endif /* JENSEN_CLI_PREDICT_H */
