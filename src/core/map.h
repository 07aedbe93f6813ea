/* core/map.h - a file's content as memory, without reading it first. */
#ifndef JSNI_CORE_MAP_H
#define JSNI_CORE_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "jensen/status.h"

typedef struct jsni_map {
    const uint8_t *data; /* read only; NULL when nothing is mapped */
    size_t length;
} jsni_map;

/* Maps a regular file. An empty one is refused. The file must not be shortened while it
 * is mapped: files that jensen replaces are renamed over, never cut.
 *   JSN_ERR_DATA  there is none, not a regular file, empty
 *   JSN_ERR_IO    it cannot be opened or mapped now */
JSN_MUST_CHECK jsn_status jsni_file_map(jsni_map *out, const char *path);
void jsni_file_unmap(jsni_map *map); /* a zeroed one is fine */

#endif /* JSNI_CORE_MAP_H */
