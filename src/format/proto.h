/* format/proto.h - messages of protocol buffers, written field by field.
 *
 * The first failure sticks, so a writer puts fields without checks and asks once at the
 * end:
 *
 *     jsni_proto attribute = {0};
 *     jsni_proto_text(&attribute, 1, "axis");
 *     jsni_proto_int(&attribute, 3, 1);
 *     jsni_proto_take(&node, 5, &attribute);   // the field 5 of `node`
 */
#ifndef JSNI_FORMAT_PROTO_H
#define JSNI_FORMAT_PROTO_H

#include <stddef.h>
#include <stdint.h>

#include "jensen/status.h"

typedef struct jsni_proto {
    uint8_t *data; /* owned */
    size_t length, room;
    jsn_status status; /* JSN_OK or JSN_ERR_MEMORY */
} jsni_proto;          /* zero-initialise */

void jsni_proto_int(jsni_proto *p, unsigned field, int64_t value);
void jsni_proto_float(jsni_proto *p, unsigned field, float value);
void jsni_proto_double(jsni_proto *p, unsigned field, double value);
void jsni_proto_text(jsni_proto *p, unsigned field, const char *text);
void jsni_proto_bytes(jsni_proto *p, unsigned field, const void *data, size_t length);

/* Only the key and the length of a field of bytes, which jsni_proto_add() then follows. */
void jsni_proto_head(jsni_proto *p, unsigned field, size_t length);
void jsni_proto_add(jsni_proto *p, const void *data, size_t length);

/* Puts a message into a field and releases it; its failure becomes that of `p`. */
void jsni_proto_take(jsni_proto *p, unsigned field, jsni_proto *message);

void jsni_proto_release(jsni_proto *p); /* and zeroes it */

#endif /* JSNI_FORMAT_PROTO_H */
