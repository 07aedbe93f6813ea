/* store/run_rows.h - metrics.jsonl and metrics.csv: one row an epoch. A row is added to the
 * end of the files and synced before the checkpoint that counts on it; what a crash leaves
 * of a row is dropped by the next reader. */
#ifndef JSNI_STORE_RUN_ROWS_H
#define JSNI_STORE_RUN_ROWS_H

#include <stddef.h>

#include "jensen/event.h"
#include "jensen/status.h"

/* Keeps the files of event->run (jensen/event.h): `opened` leaves the rows that the
 * checkpoint knows of, `epoch` adds one. `user` is not used. */
jsn_event_fn jsni_run_rows_hear;

/* The rows of a run folder, [*count], owned by the caller (jsni_free); none when there is
 * no such file. A last line that was cut off is left out.
 *   JSN_ERR_DATA  a row cannot be read; the sentence names the line */
JSN_MUST_CHECK jsn_status jsni_run_rows_read(const char *folder, jsn_epoch **out,
                                             size_t *count);

/* Waits until the rows are on the disk. */
JSN_MUST_CHECK jsn_status jsni_run_rows_sync(const char *folder);

#endif /* JSNI_STORE_RUN_ROWS_H */
