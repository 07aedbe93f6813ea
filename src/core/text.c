/* core/text.c - see core/text.h. */
#define _POSIX_C_SOURCE 200809L
#include "core/text.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/words.h"

int jsni_format_list(char *out, size_t size, const char *format, va_list args)
{
    if (strcmp(localeconv()->decimal_point, ".") == 0)
        return vsnprintf(out, size, format, args);
    /* For this thread alone, and only as long as it takes. */
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const locale_t before = plain == (locale_t)0 ? plain : uselocale(plain);
    const int length = vsnprintf(out, size, format, args);
    if (plain != (locale_t)0) {
        (void)uselocale(before);
        freelocale(plain);
    }
    return length;
}

int jsni_format(char *out, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = jsni_format_list(out, size, format, args);
    va_end(args);
    return length;
}

jsni_text jsni_text_in(char *array, size_t size)
{
    array[0] = '\0';
    return (jsni_text){.data = array, .capacity = size, .bounded = true};
}

/* Ends a bounded text that something did not fit into: half a character at the end is
 * dropped, and the room for more with it. */
static void cut(jsni_text *text)
{
    size_t at = text->length, tail = 0;
    while (at > 0 && tail < 3 && ((unsigned char)text->data[at - 1] & 0xC0) == 0x80) {
        at--;
        tail++;
    }
    const unsigned char lead = at > 0 ? (unsigned char)text->data[at - 1] : 0;
    const size_t wanted = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
    if (wanted > tail)
        text->length = at - 1;
    text->data[text->length] = '\0';
    text->capacity = text->length + 1;
}

/* Room for `more` bytes and the terminator. */
static int reserve(jsni_text *text, size_t more)
{
    if (text->status != JSN_OK)
        return 0;
    if (text->capacity - text->length > more)
        return 1;
    if (text->bounded)
        return 0;
    size_t capacity = text->capacity < 256 ? 256 : text->capacity * 2;
    if (capacity - text->length <= more)
        capacity = text->length + more + 1;
    char *data = jsni_realloc(text->data, capacity, 1);
    if (data == NULL) {
        text->status = JSN_ERR_MEMORY;
        return 0;
    }
    text->data = data;
    text->capacity = capacity;
    return 1;
}

void jsni_text_add_n(jsni_text *text, const char *piece, size_t length)
{
    const bool fits = reserve(text, length);
    if (!fits && !text->bounded)
        return;
    const size_t room = text->capacity - text->length;
    const size_t added = fits ? length : room - 1;
    memcpy(text->data + text->length, piece, added);
    text->length += added;
    text->data[text->length] = '\0';
    if (!fits)
        cut(text);
}

void jsni_text_add(jsni_text *text, const char *piece)
{
    jsni_text_add_n(text, piece, strlen(piece));
}

void jsni_text_format(jsni_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = jsni_format_list(NULL, 0, format, args);
    va_end(args);
    if (length < 0)
        return;
    const bool fits = reserve(text, (size_t)length);
    if (!fits && !text->bounded)
        return;
    const size_t room = text->capacity - text->length;
    va_start(args, format);
    (void)jsni_format_list(text->data + text->length, room, format, args);
    va_end(args);
    text->length += fits ? (size_t)length : room - 1;
    if (!fits)
        cut(text);
}

void jsni_text_item(jsni_text *text, const char *item)
{
    jsni_text_format(text, "%s%s", text->length == 0 ? "" : ", ", item);
}

jsn_status jsni_text_take(jsni_text *text, char **out)
{
    jsni_text_add(text, "");
    const jsn_status status = text->status;
    if (status == JSN_OK) {
        *out = text->data;
        *text = (jsni_text){0};
    } else {
        jsni_text_release(text);
    }
    return status;
}

void jsni_text_release(jsni_text *text)
{
    jsni_free(text->data);
    *text = (jsni_text){0};
}

const char *jsni_noun(uint64_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

void jsni_time_left(double seconds, char *out, size_t room)
{
    if (out == NULL)
        return;
    if (!(seconds >= 0.0 && seconds < 1e9)) {
        (void)snprintf(out, room, "%s", "");
        return;
    }
    const long all = (long)(seconds + 0.5), minutes = all / 60, hours = minutes / 60;
    if (hours >= 100)
        (void)snprintf(out, room, "%ld days left", (hours + 12) / 24);
    else if (hours > 0)
        (void)snprintf(out, room, "%ld:%02ld:%02ld left", hours, minutes % 60,
                       all % 60);
    else
        (void)snprintf(out, room, "%ld:%02ld left", minutes, all % 60);
}
