/* data/download.h - one file over https. */
#ifndef JSNI_DATA_DOWNLOAD_H
#define JSNI_DATA_DOWNLOAD_H

#include <stdint.h>

#include "jensen/log.h"
#include "jensen/status.h"

/* Downloads `url` to `path`, behind what `path` holds already; refuses more than `limit`
 * bytes in all. Only https, or http where the host is this machine.
 *   JSN_ERR_ARGUMENT     another kind of URL
 *   JSN_ERR_NETWORK      failed or too large; what came stays in `path`
 *   JSN_ERR_IO           `path` cannot be written
 *   JSN_ERR_UNSUPPORTED  this build has no libcurl */
JSN_MUST_CHECK jsn_status jsni_download(const char *url, const char *path,
                                        uint64_t limit, const jsn_logger *logger);

#endif /* JSNI_DATA_DOWNLOAD_H */
