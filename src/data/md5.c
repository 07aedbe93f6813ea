/* data/md5.c - see data/md5.h. */
#include "core/text.h"
#include "data/md5.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void jsni_md5_init(jsni_md5 *md5)
{
    *md5 = (jsni_md5){{0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u}, 0, {0}};
}

static void mix(jsni_md5 *md5, const uint8_t *block)
{
    static const unsigned turns[4][4] = {
        {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    uint32_t a = md5->state[0], b = md5->state[1], c = md5->state[2], d = md5->state[3];
    for (unsigned i = 0; i < 64; i++) {
        uint32_t f = 0;
        unsigned g = 0;
        switch (i / 16) {
        case 0:
            f = (b & c) | (~b & d);
            g = i;
            break;
        case 1:
            f = (d & b) | (~d & c);
            g = (5 * i + 1) % 16;
            break;
        case 2:
            f = b ^ c ^ d;
            g = (3 * i + 5) % 16;
            break;
        default:
            f = c ^ (b | ~d);
            g = 7 * i % 16;
            break;
        }
        const uint8_t *p = block + 4 * g;
        const uint32_t word =
            p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        /* The standard defines its constants by the sine. */
        const uint32_t constant = (uint32_t)(4294967296.0 * fabs(sin((double)i + 1.0)));
        const uint32_t sum = a + f + constant + word;
        const unsigned turn = turns[i / 16][i % 4];
        a = d;
        d = c;
        c = b;
        b += sum << turn | sum >> (32 - turn);
    }
    md5->state[0] += a;
    md5->state[1] += b;
    md5->state[2] += c;
    md5->state[3] += d;
}

void jsni_md5_add(jsni_md5 *md5, const void *data, size_t bytes)
{
    const uint8_t *p = data;
    size_t used = (size_t)(md5->length % 64);
    md5->length += bytes;
    while (bytes > 0) {
        const size_t part = bytes < 64 - used ? bytes : 64 - used;
        memcpy(md5->block + used, p, part);
        used += part;
        p += part;
        bytes -= part;
        if (used == 64) {
            mix(md5, md5->block);
            used = 0;
        }
    }
}

void jsni_md5_hex(jsni_md5 *md5, char out[JSNI_MD5_HEX])
{
    const uint64_t bits = md5->length * 8;
    uint8_t length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (uint8_t)(bits >> 8 * i);
    jsni_md5_add(md5, "\x80", 1);
    while (md5->length % 64 != 56)
        jsni_md5_add(md5, "", 1);
    jsni_md5_add(md5, length, 8);
    jsni_text hex = jsni_text_in(out, JSNI_MD5_HEX);
    for (int i = 0; i < 16; i++)
        jsni_text_format(&hex, "%02x",
                         (unsigned)(md5->state[i / 4] >> 8 * (i % 4) & 255));
}
