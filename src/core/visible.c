/* core/visible.c - UTF-8, and texts made safe to show; see jensen/log.h and core/text.h. */
#include <stdio.h>

#include "core/text.h"
#include "core/words.h"

size_t jsni_utf8_length(const char *at, const char *end)
{
    const unsigned char *b = (const unsigned char *)at;
    const size_t room = (size_t)(end - at);
    if (b[0] < 0x80)
        return 1;
    const size_t length = b[0] >= 0xc2 && b[0] <= 0xdf   ? 2
                          : b[0] >= 0xe0 && b[0] <= 0xef ? 3
                          : b[0] >= 0xf0 && b[0] <= 0xf4 ? 4
                                                         : 0;
    if (length == 0 || length > room)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((b[i] & 0xc0) != 0x80)
            return 0;
    if ((b[0] == 0xe0 && b[1] < 0xa0) || (b[0] == 0xed && b[1] > 0x9f) ||
        (b[0] == 0xf0 && b[1] < 0x90) || (b[0] == 0xf4 && b[1] > 0x8f))
        return 0;
    return length;
}

/* The number of the character of `length` bytes at `at`, which is UTF-8. */
static unsigned point_of(const char *at, size_t length)
{
    const unsigned char *b = (const unsigned char *)at;
    unsigned point = length == 1 ? b[0] : b[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++)
        point = point << 6 | (b[i] & 0x3fu);
    return point;
}

static bool is_obeyed(unsigned point, bool lines)
{
    if (point == '\t' || (lines && point == '\n'))
        return false;
    return point < 0x20 || (point >= 0x7f && point <= 0x9f) ||
           (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
}

void jsni_text_visible(const char *text, size_t length, bool lines,
                       void (*put)(void *user, const char *piece, size_t length),
                       void *user)
{
    if (text == NULL || put == NULL)
        return;
    const char *end = text + length, *plain = text; /* not handed over yet */
    while (text < end) {
        char shown[16];
        const size_t bytes = jsni_utf8_length(text, end);
        const unsigned point = bytes == 0 ? 0 : point_of(text, bytes);
        if (bytes > 0 && !is_obeyed(point, lines)) {
            text += bytes;
            continue;
        }
        if (text > plain)
            put(user, plain, (size_t)(text - plain));
        const int used =
            bytes > 0 ? snprintf(shown, sizeof shown, "\\u%04x", point)
                      : snprintf(shown, sizeof shown, "\\x%02x", (unsigned char)*text);
        put(user, shown, (size_t)used);
        text += bytes > 0 ? bytes : 1;
        plain = text;
    }
    if (text > plain)
        put(user, plain, (size_t)(text - plain));
}
