/* cli/cli_cell.c - see cli_cell.h. */
#include "cli/cli_cell.h"

#include <stdbool.h>
#include <stdio.h>

/* Bytes of the character at `text`: a first byte and the continuations that it asks for. */
static size_t character(const char *text)
{
    const unsigned char first = (unsigned char)text[0];
    const size_t wanted = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
    size_t length = 1;
    while (length < wanted && ((unsigned char)text[length] & 0xc0) == 0x80)
        length++;
    return length;
}

size_t cli_cell_width(const char *text)
{
    size_t width = 0;
    for (; *text != '\0'; text += character(text))
        width++;
    return width;
}

static void put_cut(const char *text, size_t width)
{
    const bool cut = cli_cell_width(text) > width;
    for (size_t i = 0; *text != '\0' && i + (cut ? 1 : 0) < width; i++) {
        const size_t length = character(text);
        const unsigned char c = (unsigned char)*text;
        if (c < 32 || c == 127)
            (void)fputc('?', stdout);
        else
            (void)fwrite(text, 1, length, stdout);
        text += length;
    }
    if (cut)
        (void)fputs("\xe2\x80\xa6", stdout);
}

static void put_spaces(const char *text, size_t width)
{
    for (size_t i = cli_cell_width(text); i < width; i++)
        (void)fputc(' ', stdout);
}

void cli_put_left(const char *text, size_t width)
{
    put_cut(text, width);
    put_spaces(text, width);
}

void cli_put_right(const char *text, size_t width)
{
    put_spaces(text, width);
    put_cut(text, width);
}
