/* store/record_epoch.h - jsn_epoch (jensen/event.h) by one table of fields: as a row of
 * metrics.jsonl and metrics.csv, as scalars of TensorBoard, and by name. */
#ifndef JSNI_STORE_RECORD_EPOCH_H
#define JSNI_STORE_RECORD_EPOCH_H

#include <stdbool.h>
#include <stddef.h>

#include "core/json.h"
#include "core/text.h"
#include "jensen/event.h"
#include "jensen/status.h"

/* A record in which nothing was measured. */
jsn_epoch jsni_epoch_none(void);

/* Adds the record to `lines` as a JSON object, and to `csv` as cells; with `names` the
 * names of the columns come first. Each ends its line; failures stick in the texts. */
void jsni_epoch_put_json(const jsn_epoch *epoch, jsni_text *lines);
void jsni_epoch_put_csv(const jsn_epoch *epoch, bool names, jsni_text *csv);

/* The record of a row. `epochs`, which rows do not have, is 0; keys that are not in the
 * table are passed over.
 *   JSN_ERR_DATA  a value is no number or out of its range */
JSN_MUST_CHECK jsn_status jsni_epoch_read(jsn_epoch *epoch, const jsni_json *row);

/* Calls `put` with every number that was measured, but for `epoch` and `time`. One of a
 * view is "name/view1", "name/view2", ... */
JSN_MUST_CHECK jsn_status jsni_epoch_walk(
    const jsn_epoch *epoch,
    jsn_status (*put)(void *user, const char *name, double value), void *user);

/* The number of that name, of the first view where each has one; NaN: not measured, or no
 * epoch has such a number. */
double jsni_epoch_number(const jsn_epoch *epoch, const char *name);

#endif /* JSNI_STORE_RECORD_EPOCH_H */
