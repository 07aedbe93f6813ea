/* format/tfevents.c - see tfevents.h. */
#include "format/tfevents.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "format/proto.h"

enum { MAX_TAG = 1000, FRAME = 16 };
enum { VARINT = 0, FIXED64 = 1 }; /* kinds of fields, as step_of() reads them */
#define MAX_FILE ((size_t)1 << 30)

struct jsni_tfevents {
    char *folder, *name; /* owned, as in core/file.h; folder may be NULL */
};

/* Event: 1 wall_time (double), 2 step (int64), 3 file_version, 5 summary. */
static void put_event_head(jsni_proto *event, double wall_time, int64_t step)
{
    jsni_proto_double(event, 1, wall_time);
    if (step != 0)
        jsni_proto_int(event, 2, step);
}

/* Summary: 1 value, repeated; Value: 1 tag, 2 simple_value (float). */
static void put_scalar(jsni_proto *event, const char *tag, float value)
{
    jsni_proto summary = {0}, entry = {0};
    jsni_proto_text(&entry, 1, tag);
    jsni_proto_float(&entry, 2, value);
    jsni_proto_take(&summary, 1, &entry);
    jsni_proto_take(event, 5, &summary);
}

/* TFRecord stores a rotated CRC, since a CRC of data that holds its own CRC is weak. */
static uint32_t masked(const void *data, size_t length)
{
    const uint32_t crc = jsni_crc32c(data, length);
    return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

static void put_fixed(uint8_t *to, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

/* Frames an event, releases it and appends the record to the file. */
static jsn_status append(jsni_tfevents *f, jsni_proto *event)
{
    uint8_t head[12], tail[4];
    jsni_proto record = {0};
    put_fixed(head, event->length, 8);
    put_fixed(head + 8, masked(head, 8), 4);
    put_fixed(tail, masked(event->data, event->length), 4);
    jsni_proto_add(&record, head, sizeof head);
    jsni_proto_add(&record, event->data, event->length);
    jsni_proto_add(&record, tail, sizeof tail);
    jsn_status status = event->status != JSN_OK ? event->status : record.status;
    if (status == JSN_OK)
        status = jsni_file_append(f->folder, f->name, record.data, record.length);
    jsni_proto_release(event);
    jsni_proto_release(&record);
    return status;
}

static uint64_t get_fixed(const uint8_t *at, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

/* The step of an event: field 2 behind field 1, as put_event_head() and TensorFlow
 * write them; 0 when it is absent. */
static int64_t step_of(const uint8_t *at, size_t length)
{
    uint64_t step = 0;
    if (length < 11 || at[0] != (1 << 3 | FIXED64) || at[9] != (2 << 3 | VARINT))
        return 0;
    for (size_t i = 10, shift = 0; i < length && shift < 64; i++, shift += 7) {
        step |= (uint64_t)(at[i] & 0x7f) << shift;
        if ((at[i] & 0x80) == 0)
            break;
    }
    return (int64_t)step;
}

/* The size of the whole record at the start of `length` bytes, 0: there is none. */
static size_t record_at(const uint8_t *data, size_t length, int64_t *step)
{
    if (length < FRAME || get_fixed(data + 8, 4) != masked(data, 8))
        return 0;
    const uint64_t size = get_fixed(data, 8);
    const uint8_t *event = data + 12;
    if (size > length - FRAME ||
        get_fixed(event + size, 4) != masked(event, (size_t)size))
        return 0;
    *step = step_of(event, (size_t)size);
    return (size_t)size + FRAME;
}

size_t jsni_tfevents_keep(uint8_t *data, size_t length, int64_t last_step)
{
    size_t kept = 0, whole = 0;
    int64_t step = 0;
    for (size_t at = 0; (whole = record_at(data + at, length - at, &step)) > 0;
         at += whole)
        if (step <= last_step) {
            memmove(data + kept, data + at, whole);
            kept += whole;
        }
    return kept;
}

jsn_status jsni_tfevents_check(const char *folder, const char *name, int64_t *last)
{
    char *data = NULL;
    size_t length = 0, at = 0, whole = 0;
    int64_t step = 0;
    *last = 0;
    JSNI_TRY(jsni_file_read_in(folder, name, MAX_FILE, &data, &length));
    while ((whole = record_at((const uint8_t *)data + at, length - at, &step)) > 0) {
        *last = step > *last ? step : *last;
        at += whole;
    }
    jsni_free(data);
    return at == length
               ? JSN_OK
               : jsni_fail(JSN_ERR_DATA, "damaged at byte %zu of %zu", at, length);
}

static jsn_status not_events(const char *folder, const char *name)
{
    char *path = jsni_file_path(folder, name);
    JSNI_TRY_ALLOC(path);
    const jsn_status status = jsni_fail(JSN_ERR_DATA, "%s: not an event file", path);
    jsni_free(path);
    return status;
}

static jsn_status recover(const char *folder, const char *name, int64_t last_step,
                          bool *fresh)
{
    char *data = NULL;
    size_t length = 0;
    bool there = false;
    JSNI_TRY(jsni_file_find(folder, name, &there));
    *fresh = !there;
    if (*fresh)
        return JSN_OK;
    JSNI_TRY(jsni_file_read_in(folder, name, MAX_FILE, &data, &length));
    const size_t kept = jsni_tfevents_keep((uint8_t *)data, length, last_step);
    jsn_status status = JSN_OK;
    *fresh = kept == 0;
    /* A crash can leave a part of the first record; anything longer is not ours. */
    if (kept == 0 && length >= 64)
        status = not_events(folder, name);
    else if (kept != length)
        status = jsni_file_write_in(folder, name, data, kept);
    jsni_free(data);
    return status;
}

jsn_status jsni_tfevents_open(jsni_tfevents **out, const char *folder, const char *name,
                              int64_t last_step, double wall_time)
{
    bool fresh = false;
    *out = NULL;
    JSNI_TRY(recover(folder, name, last_step, &fresh));
    jsni_tfevents *f = jsni_alloc_zero(1, sizeof *f);
    JSNI_TRY_ALLOC(f);
    f->folder = folder == NULL ? NULL : jsni_text_copy(folder);
    f->name = jsni_text_copy(name);
    jsn_status status = JSN_OK;
    if (f->name == NULL || (folder != NULL && f->folder == NULL)) {
        status = JSN_ERR_MEMORY;
    } else if (fresh) {
        jsni_proto m = {0};
        put_event_head(&m, wall_time, 0);
        jsni_proto_text(&m, 3, "brain.Event:2");
        status = append(f, &m);
    }
    if (status != JSN_OK)
        return jsni_tfevents_close(f, status);
    *out = f;
    return JSN_OK;
}

jsn_status jsni_tfevents_add(jsni_tfevents *file, const char *tag, int64_t step,
                             double wall_time, float value)
{
    jsni_proto m = {0};
    if (strlen(tag) > MAX_TAG)
        return jsni_fail(JSN_ERR_ARGUMENT, "a tag of %zu bytes, more than %d",
                         strlen(tag), MAX_TAG);
    if (step < 0)
        return jsni_fail(JSN_ERR_ARGUMENT, "step %lld is negative", (long long)step);
    put_event_head(&m, wall_time, step);
    put_scalar(&m, tag, value);
    return append(file, &m);
}

jsn_status jsni_tfevents_close(jsni_tfevents *file, jsn_status status)
{
    if (file == NULL)
        return status;
    jsni_free(file->folder);
    jsni_free(file->name);
    jsni_free(file);
    return status;
}
