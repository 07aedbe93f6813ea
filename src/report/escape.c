/* report/escape.c - see report/escape.h. */
#include "report/escape.h"

#include <string.h>

size_t jsni_utf8_next(const char *piece, unsigned *point)
{
    const unsigned char *b = (const unsigned char *)piece;
    if (b[0] < 0x80) {
        *point = b[0];
        return 1;
    }
    const size_t length = b[0] >= 0xF0 ? 4 : b[0] >= 0xE0 ? 3 : 2;
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (b[0] < 0xC2 || b[0] > 0xF4)
        return 0;
    unsigned value = b[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((b[i] & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (b[i] & 0x3Fu);
    }
    if (value < least[length] || value > 0x10FFFF ||
        (value >= 0xD800 && value < 0xE000))
        return 0;
    *point = value;
    return length;
}

static const char *entity(unsigned point)
{
    switch (point) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case 0xFFFE:
    case 0xFFFF:
    case 0x7F:
        return "\xEF\xBF\xBD";
    default:
        return point < 0x20 && point != '\t' && point != '\n' ? "\xEF\xBF\xBD" : NULL;
    }
}

void jsni_escape_xml(jsni_text *text, const char *piece)
{
    while (*piece != '\0') {
        unsigned point = 0;
        size_t length = jsni_utf8_next(piece, &point);
        const char *replaced = length == 0 ? "\xEF\xBF\xBD" : entity(point);
        if (length == 0)
            length = 1;
        if (replaced != NULL)
            jsni_text_add(text, replaced);
        else
            jsni_text_add_n(text, piece, length);
        piece += length;
    }
}

bool jsni_address_is_harmless(const char *address)
{
    if (strncmp(address, "http://", 7) == 0 || strncmp(address, "https://", 8) == 0)
        return true;
    /* A scheme is what stands before a colon that comes before any slash; browsers
     * skip control characters there, so these are refused, too. */
    for (; *address != '\0' && *address != '/' && *address != '#' && *address != '?';
         address++)
        if (*address == ':' || (unsigned char)*address < 0x21)
            return false;
    return true;
}

/* What LaTeX reads as something else, in order of first character. */
static const char *latex_for(unsigned point)
{
    switch (point) {
    case '\\':
        return "\\textbackslash{}";
    case '{':
        return "\\{";
    case '}':
        return "\\}";
    case '$':
        return "\\$";
    case '&':
        return "\\&";
    case '#':
        return "\\#";
    case '%':
        return "\\%";
    case '_':
        return "\\_";
    case '^':
        return "\\textasciicircum{}";
    case '~':
        return "\\textasciitilde{}";
    case '<':
        return "\\textless{}";
    case '>':
        return "\\textgreater{}";
    case '|':
        return "\\textbar{}";
    case '"':
        return "{\\char34}"; /* \textquotedbl fails with LaTeX's usual fonts (OT1) */
    case 0xB1:
        return "$\\pm$";
    case 0x3C0:
        return "$\\pi$";
    case 0x2212:
        return "$-$";
    case '\n':
    case '\r':
    case '\t':
        return " ";
    default:
        return point < 0x20 || point == 0x7F ? "" : NULL;
    }
}

void jsni_escape_latex(jsni_text *out, const char *text)
{
    while (*text != '\0') {
        unsigned point = 0;
        const size_t length = jsni_utf8_next(text, &point);
        const char *other = length == 0 ? "?" : latex_for(point);
        if (other != NULL)
            jsni_text_add(out, other);
        else
            jsni_text_add_n(out, text, length);
        text += length == 0 ? 1 : length;
    }
}
