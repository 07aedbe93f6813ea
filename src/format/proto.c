/* format/proto.c - see proto.h. The library's own, as the two formats that need it, events
 * of TensorBoard and ONNX, use a dozen fields. */
#include "format/proto.h"

#include <string.h>

#include "core/alloc.h"

enum { VARINT = 0, FIXED64 = 1, DELIMITED = 2, FIXED32 = 5 };

void jsni_proto_add(jsni_proto *p, const void *data, size_t length)
{
    if (p->status != JSN_OK || length == 0)
        return;
    if (p->room - p->length < length) {
        const size_t wanted = p->length + length + p->room / 2 + 64;
        uint8_t *larger = jsni_realloc(p->data, wanted, 1);
        if (larger == NULL) {
            p->status = JSN_ERR_MEMORY;
            return;
        }
        p->data = larger;
        p->room = wanted;
    }
    memcpy(p->data + p->length, data, length);
    p->length += length;
}

static void put_varint(jsni_proto *p, uint64_t value)
{
    uint8_t bytes[10];
    size_t n = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[n++] = (uint8_t)(value | 0x80);
    bytes[n++] = (uint8_t)value;
    jsni_proto_add(p, bytes, n);
}

static void put_fixed(jsni_proto *p, uint64_t value, size_t count)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    jsni_proto_add(p, bytes, count);
}

static void put_key(jsni_proto *p, unsigned field, unsigned type)
{
    put_varint(p, (uint64_t)field << 3 | type);
}

void jsni_proto_int(jsni_proto *p, unsigned field, int64_t value)
{
    put_key(p, field, VARINT);
    put_varint(p, (uint64_t)value);
}

void jsni_proto_float(jsni_proto *p, unsigned field, float value)
{
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    put_key(p, field, FIXED32);
    put_fixed(p, bits, sizeof bits);
}

void jsni_proto_double(jsni_proto *p, unsigned field, double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    put_key(p, field, FIXED64);
    put_fixed(p, bits, sizeof bits);
}

void jsni_proto_head(jsni_proto *p, unsigned field, size_t length)
{
    put_key(p, field, DELIMITED);
    put_varint(p, length);
}

void jsni_proto_bytes(jsni_proto *p, unsigned field, const void *data, size_t length)
{
    jsni_proto_head(p, field, length);
    jsni_proto_add(p, data, length);
}

void jsni_proto_text(jsni_proto *p, unsigned field, const char *text)
{
    jsni_proto_bytes(p, field, text, strlen(text));
}

void jsni_proto_take(jsni_proto *p, unsigned field, jsni_proto *message)
{
    if (p->status == JSN_OK)
        p->status = message->status;
    jsni_proto_bytes(p, field, message->data, message->length);
    jsni_proto_release(message);
}

void jsni_proto_release(jsni_proto *p)
{
    jsni_free(p->data);
    *p = (jsni_proto){0};
}
