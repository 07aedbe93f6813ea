/* cli/cli_cell.c - see cli_cell.h. */
#include "cli/cli_cell.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the character at `text`: a first byte and the continuations that it asks for;
 * *point is its number, or that of '?' where it cannot be shown. */
static size_t character(const char *text, unsigned *point)
{
    const unsigned char first = (unsigned char)text[0];
    const size_t wanted = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
    size_t length = 1;
    *point = wanted == 1 ? first : first & (0x7fu >> wanted);
    while (length < wanted && ((unsigned char)text[length] & 0xc0) == 0x80)
        *point = *point << 6 | ((unsigned char)text[length++] & 0x3fu);
    const bool broken = length < wanted || (wanted == 1 && first >= 0x80);
    const bool turning = (*point >= 0x202a && *point <= 0x202e) ||
                         (*point >= 0x2066 && *point <= 0x2069);
    if (broken || turning || *point < 32 || (*point >= 127 && *point < 160))
        *point = '?';
    return length;
}

/* First and last characters of a script. */
typedef struct range {
    unsigned first, last;
} range;

static bool is_in(const range *ranges, size_t count, unsigned point)
{
    for (size_t i = 0; i < count; i++)
        if (point >= ranges[i].first && point <= ranges[i].last)
            return true;
    return false;
}

/* Columns of a terminal: none for marks on the character before, two for those of East
 * Asia and pictures. A rare mark that is missing here counts as one: a line becomes too
 * short by it, never too long. */
static size_t columns_of(unsigned point)
{
    static const range none[] = {{0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},
                                 {0x64b, 0x65f},   {0x93c, 0x93c},   {0x941, 0x948},
                                 {0xe34, 0xe3a},   {0xe47, 0xe4e},   {0x1ab0, 0x1aff},
                                 {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x20d0, 0x20ff},
                                 {0x3099, 0x309a}, {0xfe20, 0xfe2f}};
    static const range wide[] = {
        {0x1100, 0x115f},  {0x231a, 0x231b}, {0x23e9, 0x23f3},   {0x25fd, 0x25fe},
        {0x2614, 0x2615},  {0x2648, 0x27bf}, {0x2b1b, 0x2b55},   {0x2e80, 0xa4cf},
        {0xa960, 0xa97f},  {0xac00, 0xd7a3}, {0xf900, 0xfaff},   {0xfe0f, 0xfe6f},
        {0xff00, 0xff60},  {0xffe0, 0xffe6}, {0x16fe0, 0x1b2ff}, {0x1f000, 0x1faff},
        {0x20000, 0x3fffd}};
    if (is_in(none, sizeof none / sizeof none[0], point))
        return 0;
    return is_in(wide, sizeof wide / sizeof wide[0], point) ? 2 : 1;
}

size_t cli_cell_width(const char *text)
{
    size_t width = 0;
    unsigned point = 0;
    for (; *text != '\0';) {
        text += character(text, &point);
        width += columns_of(point);
    }
    return width;
}

void cli_cell_cut(const char *text, size_t width, char *out, size_t room)
{
    static const char ellipsis[] = "\xe2\x80\xa6";
    const bool cut = cli_cell_width(text) > width;
    const size_t most = cut && width > 0 ? width - 1 : width;
    size_t used = 0, length = 0;
    unsigned point = 0;
    for (size_t columns = 0; *text != '\0'; text += length) {
        length = character(text, &point);
        columns += columns_of(point);
        if (columns > most || used + length + sizeof ellipsis > room)
            break;
        if (point == '?')
            out[used++] = '?';
        else
            for (size_t i = 0; i < length; i++)
                out[used++] = text[i];
    }
    out[used] = '\0';
    if (cut && width > 0 && used + sizeof ellipsis <= room)
        memcpy(out + used, ellipsis, sizeof ellipsis);
}

static void put(cli_record *r, const char *text, size_t width, bool right)
{
    char cell[4 * CLI_CELL_MOST + 8];
    cli_cell_cut(text, width < CLI_CELL_MOST ? width : CLI_CELL_MOST, cell,
                 sizeof cell);
    const size_t used = cli_cell_width(cell);
    const int space = width > used ? (int)(width - used) : 0;
    cli_words(r, "%*s%s%*s", right ? space : 0, "", cell, right ? 0 : space, "");
}

void cli_cell_left(cli_record *r, const char *text, size_t width)
{
    put(r, text, width, false);
}

void cli_cell_right(cli_record *r, const char *text, size_t width)
{
    put(r, text, width, true);
}
