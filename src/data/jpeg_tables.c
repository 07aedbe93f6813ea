/* data/jpeg_tables.c - see data/jpeg_tables.h. */
#include "data/jpeg_tables.h"

#include <string.h>

enum { TABLES = 4, MOST_COMPONENTS = 4 };

/* What the segments before the scan define; a bit a table. */
typedef struct seen {
    unsigned quantisers, dc, ac;
    unsigned components; /* 0: no frame yet */
    unsigned wanted;     /* quantisers of the components */
} seen;

/* A segment's content, behind its length. */
typedef struct segment {
    const uint8_t *body;
    size_t length;
} segment;

static bool see_quantisers(seen *s, segment g)
{
    for (size_t at = 0; at < g.length;) {
        const unsigned id = g.body[at] & 15u, wide = g.body[at] >> 4;
        const size_t size = 1 + (wide != 0 ? 128 : 64);
        if (id >= TABLES || size > g.length - at)
            return false;
        s->quantisers |= 1u << id;
        at += size;
    }
    return true;
}

static bool see_codes(seen *s, segment g)
{
    for (size_t at = 0; at < g.length;) {
        if (g.length - at < 17)
            return false;
        const unsigned id = g.body[at] & 15u, kind = g.body[at] >> 4;
        size_t size = 17;
        for (size_t i = 1; i <= 16; i++)
            size += g.body[at + i];
        if (id >= TABLES || kind > 1 || size > g.length - at)
            return false;
        *(kind == 0 ? &s->dc : &s->ac) |= 1u << id;
        at += size;
    }
    return true;
}

static bool see_frame(seen *s, segment g)
{
    if (s->components != 0 || g.length < 6 || g.body[5] == 0 ||
        g.body[5] > MOST_COMPONENTS || g.length != 6 + 3 * (size_t)g.body[5])
        return false;
    s->components = g.body[5];
    for (size_t i = 0; i < s->components; i++) {
        const unsigned id = g.body[8 + 3 * i];
        if (id >= TABLES)
            return false;
        s->wanted |= 1u << id;
    }
    return true;
}

/* Whether the scan is of all components and uses only what was seen. */
static bool is_complete(const seen *s, segment g)
{
    if (s->components == 0 || g.length != 4 + 2 * (size_t)s->components ||
        g.body[0] != s->components || (s->wanted & ~s->quantisers) != 0)
        return false;
    for (size_t i = 0; i < s->components; i++) {
        const unsigned dc = g.body[2 + 2 * i] >> 4, ac = g.body[2 + 2 * i] & 15u;
        if (dc >= TABLES || ac >= TABLES || (s->dc >> dc & 1u) == 0 ||
            (s->ac >> ac & 1u) == 0)
            return false;
    }
    return true;
}

static void keep(jsni_jpeg_start *last, const uint8_t *bytes, size_t length)
{
    if (length <= sizeof last->bytes) {
        memcpy(last->bytes, bytes, length);
        last->length = length;
    }
}

bool jsni_jpeg_has_tables(const uint8_t *bytes, size_t length, jsni_jpeg_start *last)
{
    enum { SOF0 = 0xc0, SOF1, DHT = 0xc4, SOS = 0xda, DQT, DRI = 0xdd, APP0 = 0xe0 };
    seen s = {0};
    if (last->length > 0 && last->length <= length &&
        memcmp(bytes, last->bytes, last->length) == 0)
        return true;
    for (size_t at = 2; at + 4 <= length && bytes[at] == 0xff;) {
        const unsigned marker = bytes[at + 1];
        const size_t size = (size_t)bytes[at + 2] << 8 | bytes[at + 3];
        if (marker == 0xff) { /* a fill byte */
            at++;
            continue;
        }
        if (size < 2 || size > length - at - 2)
            return false;
        const segment g = {bytes + at + 4, size - 2};
        bool fine = marker >= APP0 || marker == DRI;
        if (marker == SOS && is_complete(&s, g)) {
            keep(last, bytes, at + 2 + size);
            return true;
        }
        if (marker == SOS)
            return false;
        if (marker == SOF0 || marker == SOF1)
            fine = see_frame(&s, g);
        else if (marker == DHT)
            fine = see_codes(&s, g);
        else if (marker == DQT)
            fine = see_quantisers(&s, g);
        if (!fine)
            return false;
        at += 2 + size;
    }
    return false;
}
