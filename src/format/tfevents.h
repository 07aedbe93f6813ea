/* format/tfevents.h - TensorBoard's event files, scalars only.
 *
 * A file is a sequence of records, each: length (8 bytes), masked CRC-32C of those,
 * the bytes of a protocol-buffer message `Event`, masked CRC-32C of them.
 */
#ifndef JSNI_FORMAT_TFEVENTS_H
#define JSNI_FORMAT_TFEVENTS_H

#include <stddef.h>
#include <stdint.h>

#include "jensen/status.h"

typedef struct jsni_tfevents jsni_tfevents;

/* Opens a file, named as in core/file.h, for appending. Of one that is there, the records up to the first
 * damaged one are kept (a crash may have cut the last one short), and of those the ones
 * with a step of at most `last_step`: a run that goes on from an earlier checkpoint
 * writes the later ones again. A new file starts with the version record, stamped with
 * `wall_time` (seconds since 1970).
 *   JSN_ERR_DATA    the file is there and is none of these
 *   JSN_ERR_IO, JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_tfevents_open(jsni_tfevents **out, const char *folder,
                                             const char *name, int64_t last_step,
                                             double wall_time);

/* What opening keeps of the bytes of a file, moved together to their start; returns the
 * length of that. */
size_t jsni_tfevents_keep(uint8_t *data, size_t length, int64_t last_step);

/* Whether a file is whole to its last byte. *last becomes the largest step in it, 0: none.
 *   JSN_ERR_DATA  a record is damaged or cut off; the sentence does not name the file
 *   JSN_ERR_IO, JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_tfevents_check(const char *folder, const char *name,
                                              int64_t *last);

/* One scalar, handed to the operating system before the call returns. */
JSN_MUST_CHECK jsn_status jsni_tfevents_add(jsni_tfevents *file, const char *tag,
                                            int64_t step, double wall_time,
                                            float value);

/* Closes; keeps an earlier failure. Accepts NULL. */
JSN_MUST_CHECK jsn_status jsni_tfevents_close(jsni_tfevents *file, jsn_status status);

/* CRC-32C (Castagnoli) of bytes. */
uint32_t jsni_crc32c(const void *data, size_t length);

#endif /* JSNI_FORMAT_TFEVENTS_H */
