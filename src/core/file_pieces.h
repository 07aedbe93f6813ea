/* core/file_pieces.h - a file of any size from its start to its end, for checksums. */
#ifndef JSNI_CORE_FILE_PIECES_H
#define JSNI_CORE_FILE_PIECES_H

#include <stddef.h>

#include "jensen/status.h"

typedef void jsni_piece_fn(void *user, const void *bytes, size_t count);

/* Hands over all bytes of a file, which is named as in core/file.h. What was handed over counts
 * for nothing unless the answer is JSN_OK.
 *   JSN_ERR_DATA  there is none, or it is no regular file
 *   JSN_ERR_IO    it cannot be read now
 *   JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_file_pieces(const char *folder, const char *name,
                                           jsni_piece_fn *take, void *user);

#endif /* JSNI_CORE_FILE_PIECES_H */
