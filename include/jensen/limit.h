/* jensen/limit.h - how much a file may make the library do.
 *
 * A few hundred bytes can claim a billion pixels, and a small archive can expand without
 * end. Readers stop at these limits with JSN_ERR_DATA and a sentence that names the
 * limit. They hold for the whole process, as those of a shell do: set them before data is
 * opened. They never change what is read from a file, only whether it is read.
 *
 *     jsn_limit_set("pixels=2e8,archive=4TiB");
 */
#ifndef JENSEN_LIMIT_H
#define JENSEN_LIMIT_H

#include <stddef.h>
#include <stdint.h>

#include "jensen/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tables of counts from class to class (confusion, transitions) are left out for more
 * classes than this: they grow with the square. */
#define JSN_MATRIX_MAX_CLASSES 2000

/* The records are static: never free them. */
typedef struct jsn_limit_info {
    const char *name; /* "pixels" */
    const char *help; /* what is counted, one line */
    uint64_t initial;
    uint64_t highest; /* that it can be set to */
} jsn_limit_info;

/* The record at `index`, NULL behind the last. */
JSN_API const jsn_limit_info *jsn_limit_describe(size_t index);

/* Sets limits: NAME=VALUE, several parted by commas or blanks. A value is a whole number
 * from 1 on (also 2e8), or one with KiB, MiB, GiB or TiB behind it. On failure none is
 * changed:
 *   JSN_ERR_ARGUMENT      no '=', not a number
 *   JSN_ERR_UNKNOWN_NAME  no limit of that name
 *   JSN_ERR_RANGE         0, or more than the highest value */
JSN_API JSN_MUST_CHECK jsn_status jsn_limit_set(const char *text);

/* The help text of an option that sets limits, the same in every table. */
#define JSN_LIMIT_HELP \
    "raise or lower a limit on what a file may ask for ('jensen show limits')"

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_LIMIT_H */
