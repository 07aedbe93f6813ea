/* data/download_none.c - see data/download.h; what a build without libcurl says. */
#include "core/fail.h"
#include "data/download.h"

jsn_status jsni_download(const char *url, const char *path, uint64_t limit,
                         const jsn_logger *logger)
{
    (void)limit;
    (void)logger;
    return jsni_fail(
        JSN_ERR_UNSUPPORTED,
        "this build cannot download (it has no libcurl); fetch %s yourself, "
        "to %s",
        url, path);
}
