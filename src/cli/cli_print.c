/* cli/cli_print.c - see cli_print.h. Formats are walked piece by piece, so that the texts
 * among the arguments can be told from the format, which is the program's own. */
#include "cli/cli_print.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/words.h"

/* A line is gathered and goes out in one piece: those of two processes do not mix. */
typedef struct sink {
    FILE *to;
    bool shown; /* on one of the two streams */
    size_t used;
    char line[2048];
} sink;

static void begin(sink *s, FILE *to)
{
    s->to = to;
    s->shown = to == stdout || to == stderr;
    s->used = 0;
}

static void flush(sink *s)
{
    (void)fwrite(s->line, 1, s->used, s->to);
    s->used = 0;
}

static void put(void *to, const char *piece, size_t length)
{
    sink *s = to;
    if (length > sizeof s->line - s->used)
        flush(s);
    if (length > sizeof s->line) {
        (void)fwrite(piece, 1, length, s->to);
        return;
    }
    memcpy(s->line + s->used, piece, length);
    s->used += length;
}

static void count(void *sum, const char *piece, size_t length)
{
    (void)piece;
    *(size_t *)sum += length;
}

/* A conversion of a format: "%-*.3lld" is flags, width, precision, size, kind. */
typedef struct conversion {
    char flags[8];
    int width, precision; /* -1: none */
    char size[3];         /* "", "l", "ll", "z", "j", "t", "h", "hh" */
    char kind;
} conversion;

/* Reads digits or, for a star, the next argument. */
static int read_number(const char **at, va_list *args)
{
    if (**at == '*') {
        ++*at;
        return va_arg(*args, int);
    }
    char *end = NULL;
    const long value = strtol(*at, &end, 10);
    *at = end;
    return (int)value;
}

static void take_span(const char **at, const char *characters, char *out, size_t room)
{
    const size_t length = strspn(*at, characters);
    (void)snprintf(out, room, "%.*s", (int)length, *at);
    *at += length;
}

/* `*at` stands behind the percent sign, and then behind the conversion. */
static conversion read_conversion(const char **at, va_list *args)
{
    conversion c = {.width = -1, .precision = -1};
    take_span(at, "-+ #0", c.flags, sizeof c.flags);
    if (**at == '*' || (**at >= '1' && **at <= '9'))
        c.width = read_number(at, args);
    if (c.width < 0 && c.width != -1) { /* a negative star */
        (void)snprintf(c.flags, sizeof c.flags, "-");
        c.width = -c.width;
    }
    if (**at == '.') {
        ++*at;
        c.precision = read_number(at, args);
    }
    take_span(at, "lhzjt", c.size, sizeof c.size);
    c.kind = **at;
    *at += c.kind != '\0';
    return c;
}

static void put_spaces(sink *to, size_t spaces)
{
    for (; spaces > 0; spaces--)
        put(to, " ", 1);
}

static void print_text(sink *to, const conversion *c, const char *text)
{
    const size_t most = c->precision < 0 ? SIZE_MAX : (size_t)c->precision;
    size_t length = 0, used = 0;
    while (length < most && text[length] != '\0')
        length++;
    if (to->shown)
        jsni_text_visible(text, length, false, count, &used);
    else
        used = length;
    const size_t width = c->width < 0 ? 0 : (size_t)c->width;
    const size_t spaces = width > used ? width - used : 0;
    const bool left = strchr(c->flags, '-') != NULL;
    put_spaces(to, left ? 0 : spaces);
    if (to->shown)
        jsni_text_visible(text, length, false, put, to);
    else
        put(to, text, length);
    put_spaces(to, left ? spaces : 0);
}

static long long signed_argument(const char *size, va_list *args)
{
    if (strcmp(size, "ll") == 0)
        return va_arg(*args, long long);
    if (strcmp(size, "l") == 0)
        return va_arg(*args, long);
    if (strcmp(size, "z") == 0 || strcmp(size, "t") == 0)
        return va_arg(*args, ptrdiff_t);
    return strcmp(size, "j") == 0 ? (long long)va_arg(*args, intmax_t)
                                  : va_arg(*args, int);
}

static unsigned long long unsigned_argument(const char *size, va_list *args)
{
    if (strcmp(size, "ll") == 0)
        return va_arg(*args, unsigned long long);
    if (strcmp(size, "l") == 0)
        return va_arg(*args, unsigned long);
    if (strcmp(size, "z") == 0 || strcmp(size, "t") == 0)
        return va_arg(*args, size_t);
    return strcmp(size, "j") == 0 ? (unsigned long long)va_arg(*args, uintmax_t)
                                  : va_arg(*args, unsigned);
}

/* Numbers and single characters, by printf() itself. */
static void print_number(sink *to, const conversion *c, va_list *args)
{
    const bool whole = strchr("diuxXo", c->kind) != NULL;
    char width[16] = "", precision[16] = "", format[64];
    if (c->width >= 0)
        (void)snprintf(width, sizeof width, "%d", c->width);
    if (c->precision >= 0)
        (void)snprintf(precision, sizeof precision, ".%d", c->precision);
    (void)snprintf(format, sizeof format, "%%%s%s%s%s%c", c->flags, width, precision,
                   whole ? "ll" : "", c->kind);
    char text[400]; /* the longest number has 309 digits before its point */
    int length = 0;
    if (c->kind == 'd' || c->kind == 'i')
        length = snprintf(text, sizeof text, format, signed_argument(c->size, args));
    else if (whole)
        length = snprintf(text, sizeof text, format, unsigned_argument(c->size, args));
    else if (c->kind == 'c')
        length = snprintf(text, sizeof text, format, va_arg(*args, int));
    else
        length = snprintf(text, sizeof text, format, va_arg(*args, double));
    put(to, text, length < (int)sizeof text ? (size_t)length : sizeof text - 1);
}

static void print_list(FILE *file, const char *format, va_list *args)
{
    sink to;
    begin(&to, file);
    while (*format != '\0') {
        const size_t plain = strcspn(format, "%");
        put(&to, format, plain);
        format += plain;
        if (*format == '\0')
            break;
        format++;
        const conversion c = read_conversion(&format, args);
        if (c.kind == 's')
            print_text(&to, &c, va_arg(*args, const char *));
        else if (c.kind == '%')
            put(&to, "%", 1);
        else if (c.kind != '\0')
            print_number(&to, &c, args);
    }
    flush(&to);
}

void cli_print(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_list(stdout, format, &args);
    va_end(args);
}

void cli_print_list(const char *format, va_list *args)
{
    print_list(stdout, format, args);
}

void cli_say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_list(stderr, format, &args);
    va_end(args);
}

void cli_print_to(FILE *to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_list(to, format, &args);
    va_end(args);
}

void cli_print_quoted(FILE *to, const char *text)
{
    cli_print_to(to, "\"");
    for (size_t plain; *text != '\0'; text += plain) {
        plain = strcspn(text, "\"");
        const bool quote = text[plain] == '"';
        cli_print_to(to, "%.*s%s", (int)plain, text, quote ? "\"\"" : "");
        plain += quote;
    }
    cli_print_to(to, "\"");
}

/* What a shell takes as it stands; bytes above 127 are letters of some language. */
static bool is_plain(const char *text)
{
    for (const char *c = text; *c != '\0'; c++)
        if (isalnum((unsigned char)*c) == 0 && (unsigned char)*c < 128 &&
            strchr("_-./:=+,@%", *c) == NULL)
            return false;
    return text[0] != '\0';
}

void cli_print_word(const char *text)
{
    if (is_plain(text)) {
        cli_print("%s", text);
        return;
    }
    cli_print("'");
    for (size_t plain; *text != '\0'; text += plain) {
        plain = strcspn(text, "'");
        const bool quote = text[plain] == '\'';
        cli_print("%.*s%s", (int)plain, text, quote ? "'\\''" : "");
        plain += quote;
    }
    cli_print("'");
}

void cli_write(const char *text)
{
    sink to;
    begin(&to, stdout);
    jsni_text_visible(text, strlen(text), true, put, &to);
    flush(&to);
}
