/* jensen/fetch.h - downloads published data sets and checks what came. */
#ifndef JENSEN_FETCH_H
#define JENSEN_FETCH_H

#include <stddef.h>
#include <stdint.h>

#include "jensen/log.h"
#include "jensen/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What can be downloaded. The records are static. */
typedef struct jsn_fetch_info {
    const char *name; /* "cifar10", also the data set's name in specs */
    const char *url;
    uint64_t bytes;     /* of the archive */
    const char *md5;    /* as the publisher states it */
    const char *sha256; /* of the same file */
    const char *folder; /* that it unpacks to */
    const char *proof;  /* a file in that folder, there only when it is whole */
} jsn_fetch_info;

/* The one at `index` of the data sets that can be fetched. */
JSN_API const jsn_fetch_info *
jsn_fetch_describe(size_t index); /* NULL beyond the end */

typedef struct jsn_fetch_options {
    const char *folder; /* to unpack into; NULL: the working folder */
    const char *url;    /* another place for the same archive; NULL: the publisher's */
    const char *sha256; /* expect this sum instead of the known ones; NULL: those */
    const jsn_logger *logger; /* NULL: silent */
} jsn_fetch_options;

/* Downloads, checks and unpacks data set `name`; does nothing when it is there. A
 * download that breaks off stays as <archive>.part and is continued by the next call;
 * one whose sum is wrong is removed. Only https is spoken, and http with this machine
 * itself; nothing is written outside the folder. `options` may be NULL.
 *   JSN_ERR_UNKNOWN_NAME  no such data set
 *   JSN_ERR_ARGUMENT      a URL that is not https
 *   JSN_ERR_NETWORK       the download failed, or is larger than it should be
 *   JSN_ERR_DATA          the sum is wrong, the archive damaged or hostile
 *   JSN_ERR_UNSUPPORTED   this build lacks libcurl or libarchive
 *   JSN_ERR_IO, JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_fetch(const char *name,
                                            const jsn_fetch_options *options);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_FETCH_H */
