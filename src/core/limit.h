/* core/limit.h - the limits of jensen/limit.h as readers ask for them. The table is in
 * limit.c. */
#ifndef JSNI_CORE_LIMIT_H
#define JSNI_CORE_LIMIT_H

#include "core/fail.h"
#include "jensen/limit.h"

typedef enum jsni_limit_name {
    JSNI_LIMIT_ARCHIVE,
    JSNI_LIMIT_MEMBER,
    JSNI_LIMIT_RATIO,
    JSNI_LIMIT_LAYERS,
    JSNI_LIMIT_FILE,
    JSNI_LIMIT_JSON,
    JSNI_LIMIT_PIXELS,
    JSNI_LIMIT_ROWS,
    JSNI_LIMIT_CLASSES,
    JSNI_LIMIT_KEPT,
    JSNI_LIMITS /* how many there are */
} jsni_limit_name;

uint64_t jsni_limit(jsni_limit_name name);

/* JSN_ERR_DATA with "WHERE: more than 25000 classes; --limit classes=N raises this
 * limit". WHERE is the format and what follows. */
jsn_status jsni_limit_fail(jsni_limit_name name, const char *where, ...)
    JSNI_PRINTF(2, 3);

/* jsni_file_read_in() of at most the limit's bytes. */
JSN_MUST_CHECK jsn_status jsni_limit_read(jsni_limit_name limit, const char *folder,
                                          const char *name, char **out, size_t *length);

/* Refuses what expands too far: `expanded` bytes so far, out of a file of `size` bytes.
 * The first megabytes are free: of little data the ratio says little. */
JSN_MUST_CHECK jsn_status jsni_limit_ratio(const char *path, uint64_t size,
                                           uint64_t expanded);

/* Refuses a file, named as in core/file.h, that is large and mostly holes: reading it whole would
 * take memory for what the disk does not hold. Holes count as what a compressed file expands
 * to, those of a file that is not the program's own also as a member of an archive. */
JSN_MUST_CHECK jsn_status jsni_limit_holes(const char *folder, const char *name);

#endif /* JSNI_CORE_LIMIT_H */
