/* cli/cli_place.h - a folder that is written as a whole: what is in it is hidden until all of
 * it is there, and a command that was stopped is given again to begin anew.
 *
 *     cli_place place;
 *     bool written = false;
 *     status = cli_place_open(&place, out, "what is written, and how", &written);
 *     if (status == JSN_OK && !written)
 *         ... write below place.hidden ...
 *     if (status == JSN_OK)
 *         status = cli_place_finish(&place, names, count);
 *     cli_place_close(&place);
 */
#ifndef CLI_PLACE_H
#define CLI_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "jensen/status.h"

enum { CLI_PLACE_PATH = 4096 };

typedef struct cli_place {
    const char *out, *what;      /* borrowed */
    char hidden[CLI_PLACE_PATH]; /* the folder to write to */
    int lock;                    /* file descriptor of the folder, -1: not open */
} cli_place;

/* Makes the folder when it is missing and locks it for this process. It must be new or empty
 * but for what this left when it was stopped. *written: that was everything, of the same
 * `what`; only the end is missing. `out` has less than half of CLI_PLACE_PATH bytes.
 *   JSN_ERR_ARGUMENT  the folder has other things in it
 *   JSN_ERR_BUSY      another process is writing it
 *   JSN_ERR_IO */
JSN_MUST_CHECK jsn_status cli_place_open(cli_place *place, const char *out,
                                         const char *what, bool *written);

/* Shows what was written: files and folders of these names, which need not all be there. */
JSN_MUST_CHECK jsn_status cli_place_finish(const cli_place *place,
                                           const char *const *names, size_t count);

void cli_place_close(cli_place *place);

#endif /* CLI_PLACE_H */
