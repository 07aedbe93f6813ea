/* format/tfevents.c - see tfevents.h. The five fields of `Event` that scalars need are
 * encoded here by hand; a protocol-buffer library would be the larger part. */
#include "format/tfevents.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"

enum { MAX_TAG = 1000, MAX_RECORD = MAX_TAG + 100, FRAME = 16 };
#define MAX_FILE ((size_t)1 << 30)

struct jsni_tfevents {
    char *folder, *name; /* owned, as in core/file.h; folder may be NULL */
};

typedef struct message {
    uint8_t bytes[MAX_RECORD];
    size_t length;
} message;

static void put_bytes(message *m, const void *data, size_t length)
{
    memcpy(m->bytes + m->length, data, length);
    m->length += length;
}

static void put_fixed(message *m, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        m->bytes[m->length++] = (uint8_t)(value >> (8 * i));
}

static void put_varint(message *m, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        m->bytes[m->length++] = (uint8_t)(value | 0x80);
    m->bytes[m->length++] = (uint8_t)value;
}

enum { VARINT = 0, FIXED64 = 1, DELIMITED = 2, FIXED32 = 5 };

static void put_key(message *m, unsigned field, unsigned type)
{
    put_varint(m, field << 3 | type);
}

static void put_delimited(message *m, unsigned field, const void *data, size_t length)
{
    put_key(m, field, DELIMITED);
    put_varint(m, length);
    put_bytes(m, data, length);
}

/* Event: 1 wall_time (double), 2 step (int64), 3 file_version, 5 summary. */
static void put_event_head(message *m, double wall_time, int64_t step)
{
    uint64_t bits = 0;
    memcpy(&bits, &wall_time, sizeof bits);
    put_key(m, 1, FIXED64);
    put_fixed(m, bits, 8);
    if (step != 0) {
        put_key(m, 2, VARINT);
        put_varint(m, (uint64_t)step);
    }
}

/* Summary: 1 value, repeated; Value: 1 tag, 2 simple_value (float). */
static void put_scalar(message *m, const char *tag, float value)
{
    message summary = {.length = 0}, entry = {.length = 0};
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    put_delimited(&entry, 1, tag, strlen(tag));
    put_key(&entry, 2, FIXED32);
    put_fixed(&entry, bits, 4);
    put_delimited(&summary, 1, entry.bytes, entry.length);
    put_delimited(m, 5, summary.bytes, summary.length);
}

/* TFRecord stores a rotated CRC, since a CRC of data that holds its own CRC is weak. */
static uint32_t masked(const void *data, size_t length)
{
    const uint32_t crc = jsni_crc32c(data, length);
    return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

static void frame(const message *m, message *out)
{
    out->length = 0;
    put_fixed(out, m->length, 8);
    put_fixed(out, masked(out->bytes, 8), 4);
    put_bytes(out, m->bytes, m->length);
    put_fixed(out, masked(m->bytes, m->length), 4);
}

static jsn_status append(jsni_tfevents *f, const message *m)
{
    message record;
    frame(m, &record);
    return jsni_file_append(f->folder, f->name, record.bytes, record.length);
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

size_t jsni_tfevents_keep(uint8_t *data, size_t length, int64_t last_step)
{
    size_t kept = 0;
    for (size_t at = 0; length - at >= FRAME;) {
        const uint64_t size = get_fixed(data + at, 8);
        if (get_fixed(data + at + 8, 4) != masked(data + at, 8) ||
            size > length - at - FRAME)
            break;
        const uint8_t *event = data + at + 12;
        if (get_fixed(event + size, 4) != masked(event, (size_t)size))
            break;
        const size_t whole = (size_t)size + FRAME;
        if (step_of(event, (size_t)size) <= last_step) {
            memmove(data + kept, data + at, whole);
            kept += whole;
        }
        at += whole;
    }
    return kept;
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
        message m = {.length = 0};
        put_event_head(&m, wall_time, 0);
        put_delimited(&m, 3, "brain.Event:2", 13);
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
    message m = {.length = 0};
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
