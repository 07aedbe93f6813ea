/* data/archive.h - reading the members of an archive one after the other: tar, tar
 * compressed as format/compressed.h says, zip. */
#ifndef JSNI_DATA_ARCHIVE_H
#define JSNI_DATA_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jensen/log.h"
#include "jensen/status.h"

typedef struct jsni_archive_visitor {
    void *user;
    const jsn_logger *logger; /* NULL: no progress */
    /* Whether to read this member; the name is plain, see jsni_path_plain(). */
    bool (*wants)(void *user, const char *name);
    jsn_status (*folder)(void *user, const char *name); /* NULL: folders are skipped */
    /* One wanted member, the bytes borrowed. */
    jsn_status (*file)(void *user, const char *name, const uint8_t *bytes,
                       size_t length);
    /* A hard or symbolic link, to the member `target`, which may not exist; "" when it
     * leads outside the archive. NULL: links are skipped. */
    jsn_status (*link)(void *user, const char *name, const char *target);
} jsni_archive_visitor;

/* Visits all members in stored order; devices and the like are skipped. Names are UTF-8
 * whatever the locale, which is changed for this thread meanwhile. The limits `archive`,
 * `ratio` and, for members that are wanted, `member` hold (core/limit.h).
 *   JSN_ERR_DATA         damaged, hostile names, encrypted, beyond a limit
 *   JSN_ERR_UNSUPPORTED  this build has no libarchive
 * and whatever the visitor returns. */
JSN_MUST_CHECK jsn_status jsni_archive_walk(const char *path,
                                            const jsni_archive_visitor *visitor);

#endif /* JSNI_DATA_ARCHIVE_H */
