/* data/archive_none.c - see data/archive.h; what a build without libarchive says. */
#include "core/fail.h"
#include "data/archive.h"

jsn_status jsni_archive_walk(const char *path, const jsni_archive_visitor *visitor)
{
    (void)visitor;
    return jsni_fail(JSN_ERR_UNSUPPORTED,
                     "%s: this build cannot read archives (it has no libarchive); "
                     "unpack it and name the folder",
                     path);
}
