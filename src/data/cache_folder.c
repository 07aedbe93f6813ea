/* data/cache_folder.c - see cache_folder.h. */
#include "data/cache_folder.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/file.h"

jsn_status jsni_cache_folder(const char *asked, char **out)
{
    *out = NULL;
    const char *from = asked != NULL ? asked : getenv("JENSEN_CACHE");
    if (from != NULL) {
        if (from[0] == '\0' || strcmp(from, "off") == 0 || strcmp(from, "0") == 0)
            return JSN_OK;
        *out = jsni_text_copy(from);
        return *out == NULL ? JSN_ERR_MEMORY : JSN_OK;
    }
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (xdg != NULL && xdg[0] == '/')
        *out = jsni_path_join(xdg, "jensen");
    else if (home != NULL && home[0] == '/')
        *out = jsni_path_join(home, ".cache/jensen");
    else
        return JSN_OK;
    return *out == NULL ? JSN_ERR_MEMORY : JSN_OK;
}
