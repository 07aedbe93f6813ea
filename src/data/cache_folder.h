/* data/cache_folder.h - where the program keeps what it can make or get again. */
#ifndef JSNI_DATA_CACHE_FOLDER_H
#define JSNI_DATA_CACHE_FOLDER_H

#include "jensen/status.h"

/* The folder, as an owned text: `asked`, else JENSEN_CACHE, else jensen below
 * XDG_CACHE_HOME or ~/.cache. *out is NULL when caching is off ("off", "0", "") or there is
 * no home. JSN_ERR_MEMORY. */
JSN_MUST_CHECK jsn_status jsni_cache_folder(const char *asked, char **out);

#endif /* JSNI_DATA_CACHE_FOLDER_H */
