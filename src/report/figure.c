/* report/figure.c - see figure.h: reads back the SVG that svg.h, chart.c and ternary.c
 * write. This is no reader of SVG: what they do not write is not understood. */
#include "report/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/hd.h"
#include "core/number.h"
#include "report/escape.h"
#include "report/figure_list.h"
#include "report/svg.h"

#define DECLARE(id) extern const jsni_figure_format jsni_figure_##id;
JSNI_FIGURE_LIST(DECLARE)
#undef DECLARE

#define ENTRY(id) &jsni_figure_##id,
static const jsni_figure_format *const formats[] = {JSNI_FIGURE_LIST(ENTRY)};
#undef ENTRY

enum { DEPTH = 16, VALUE = 64 };

/* What an element hands down to those in it. */
typedef struct scope {
    double dx, dy;
    bool clip;      /* ends a window */
    bool halo, ink; /* texts are the bright edge of others, or those */
    bool over;      /* texts stand on colour */
} scope;

typedef struct reader {
    const jsni_figure_format *format;
    jsni_text *out;
    scope scopes[DEPTH];
    size_t depth;
    double width, height;
} reader;

/* One tag: "<name attributes>". */
typedef struct tag {
    const char *name, *end; /* behind the '<'; the '>' */
} tag;

static bool is_named(const tag *t, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(t->name, name, length) == 0 &&
           strchr(" >/", t->name[length]) != NULL;
}

/* The value of an attribute, or NULL; *length of it. */
static const char *find(const tag *t, const char *name, size_t *length)
{
    const size_t n = strlen(name);
    for (const char *at = t->name; at + n + 2 < t->end; at++)
        if (*at == ' ' && strncmp(at + 1, name, n) == 0 &&
            strncmp(at + 1 + n, "=\"", 2) == 0) {
            const char *value = at + n + 3;
            *length = strcspn(value, "\"");
            return value;
        }
    return NULL;
}

static double number(const tag *t, const char *name)
{
    size_t length = 0;
    double value = 0.0;
    const char *text = find(t, name, &length);
    return text != NULL && jsni_number_real(text, length, &value) ? value : 0.0;
}

/* A short attribute as a text, "" when it is not there. */
static void word(const tag *t, const char *name, char out[VALUE])
{
    size_t length = 0;
    const char *text = find(t, name, &length);
    jsni_text to = jsni_text_in(out, VALUE);
    out[0] = '\0';
    if (text != NULL)
        jsni_text_add_n(&to, text, length);
}

static bool has_class(const tag *t, const char *name)
{
    char list[VALUE];
    const size_t length = strlen(name);
    word(t, "class", list);
    for (const char *at = list; (at = strstr(at, name)) != NULL; at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == '\0' || at[length] == ' '))
            return true;
    return false;
}

/* "#1f2328", "#fff". */
static bool colour_of(const tag *t, const char *name, unsigned *out)
{
    char text[VALUE];
    word(t, name, text);
    if (text[0] != '#')
        return false;
    unsigned value = (unsigned)strtoul(text + 1, NULL, 16);
    if (strlen(text) == 4)
        value = (value >> 8 & 15) * 0x110000 + (value >> 4 & 15) * 0x1100 +
                (value & 15) * 0x11;
    *out = value;
    return true;
}

static jsni_figure_paint paint_of(const tag *t)
{
    jsni_figure_paint p = {.width = 1.0, .opacity = 1.0, .dash = ""};
    char text[VALUE], name[VALUE];
    for (int i = 0; i < JSNI_COLOUR_COUNT; i++) {
        (void)jsni_format(name, sizeof name, "j-s%d", i);
        if (has_class(t, name)) {
            p.stroked = true;
            p.stroke = jsni_svg_colour(i);
        }
        (void)jsni_format(name, sizeof name, "j-f%d", i);
        if (has_class(t, name)) {
            p.filled = true;
            p.fill = jsni_svg_colour(i);
        }
    }
    static const struct {
        const char *name;
        bool line;
    } classes[] = {
        {"j-page", false}, {"j-grid", true}, {"j-axis", true}, {"j-halo", true}};
    for (size_t i = 0; i < JSNI_COUNT_OF(classes); i++)
        if (has_class(t, classes[i].name)) {
            *(classes[i].line ? &p.stroked : &p.filled) = true;
            *(classes[i].line ? &p.stroke : &p.fill) = jsni_svg_class(classes[i].name);
        }
    p.filled = colour_of(t, "fill", &p.fill) || p.filled;
    p.stroked = colour_of(t, "stroke", &p.stroke) || p.stroked;
    if (has_class(t, "j-line")) {
        p.width = 2.0;
        p.round = true;
    }
    if (has_class(t, "j-band"))
        p.opacity = 0.18;
    word(t, "stroke-width", text);
    if (text[0] != '\0')
        p.width = number(t, "stroke-width");
    word(t, "stroke-dasharray", text);
    for (int i = 1; i < JSNI_DASHES; i++)
        if (strcmp(text, jsni_svg_dash(i)) == 0)
            p.dash = jsni_svg_dash(i);
    return p;
}

/* Half a circle from a to b, counted as SVG does; by two curves. */
static void add_half_circle(reader *r, const double a[2], const double b[2], bool sweep)
{
    const double k = 0.5522847498307936; /* of a quarter */
    const double cx = (a[0] + b[0]) / 2, cy = (a[1] + b[1]) / 2;
    const double ux = a[0] - cx, uy = a[1] - cy;
    const double vx = sweep ? -uy : uy, vy = sweep ? ux : -ux;
    const double first[6] = {cx + ux + k * vx, cy + uy + k * vy, cx + vx + k * ux,
                             cy + vy + k * uy, cx + vx,          cy + vy};
    const double second[6] = {cx + vx - k * ux, cy + vy - k * uy, cx - ux + k * vx,
                              cy - uy + k * vy, cx - ux,          cy - uy};
    r->format->curve(r->out, first);
    r->format->curve(r->out, second);
}

/* `count` numbers of a path from *at on. */
static void take(const char **at, double *out, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        while (**at == ' ' || **at == ',')
            ++*at;
        size_t length = **at == '-' ? 1 : 0;
        length += strspn(*at + length, "0123456789.");
        if (!jsni_number_real(*at, length, &out[i]))
            out[i] = 0.0;
        *at += length;
    }
}

/* Moves and lines, both absolute and not, half circles, ends. */
static void add_path(reader *r, const char *at, const char *end)
{
    const scope *s = &r->scopes[r->depth];
    double here[2] = {s->dx, s->dy}, start[2] = {s->dx, s->dy}, v[7];
    char command = 'M';
    while (at < end) {
        if (strchr("MmLlHhVvaZz", *at) != NULL)
            command = *at++;
        const bool absolute = command >= 'A' && command <= 'Z';
        const double x0 = absolute ? s->dx : here[0], y0 = absolute ? s->dy : here[1];
        const double from[2] = {here[0], here[1]};
        switch (command) {
        case 'Z':
        case 'z':
            r->format->close(r->out);
            memcpy(here, start, sizeof here);
            continue;
        case 'H':
        case 'h':
            take(&at, v, 1);
            here[0] = x0 + v[0];
            break;
        case 'V':
        case 'v':
            take(&at, v, 1);
            here[1] = y0 + v[0];
            break;
        case 'a':
            take(&at, v, 7);
            here[0] = x0 + v[5];
            here[1] = y0 + v[6];
            add_half_circle(r, from, here, v[4] != 0.0);
            continue;
        default:
            take(&at, v, 2);
            here[0] = x0 + v[0];
            here[1] = y0 + v[1];
        }
        if (command == 'M' || command == 'm') {
            memcpy(start, here, sizeof here);
            r->format->move(r->out, here[0], here[1]);
            /* "M x y m dx dy": the marker's shapes follow their place. */
            command = command == 'M' ? 'L' : 'l';
        } else {
            r->format->line(r->out, here[0], here[1]);
        }
        while (at < end && (*at == ' ' || *at == ','))
            at++;
    }
}

static void add_shape(reader *r, const tag *t)
{
    const scope *s = &r->scopes[r->depth];
    const jsni_figure_format *f = r->format;
    const jsni_figure_paint paint = paint_of(t);
    size_t length = 0;
    const char *d = find(t, "d", &length);
    const double x = s->dx + number(t, "x"), y = s->dy + number(t, "y");
    f->style(r->out, &paint);
    if (is_named(t, "line")) {
        f->move(r->out, s->dx + number(t, "x1"), s->dy + number(t, "y1"));
        f->line(r->out, s->dx + number(t, "x2"), s->dy + number(t, "y2"));
    } else if (is_named(t, "rect")) {
        f->move(r->out, x, y);
        f->line(r->out, x + number(t, "width"), y);
        f->line(r->out, x + number(t, "width"), y + number(t, "height"));
        f->line(r->out, x, y + number(t, "height"));
        f->close(r->out);
    } else if (is_named(t, "circle")) {
        const double radius = number(t, "r"), cy = s->dy + number(t, "cy");
        const double left[2] = {s->dx + number(t, "cx") - radius, cy};
        const double right[2] = {left[0] + 2 * radius, cy};
        f->move(r->out, left[0], cy);
        add_half_circle(r, left, right, true);
        add_half_circle(r, right, left, true);
        f->close(r->out);
    } else if (d != NULL) {
        add_path(r, d, d + length);
    }
    f->paint(r->out, &paint);
}

/* One character of the text at *at, with what XML writes for it. */
static void add_character(jsni_text *to, const char **at)
{
    static const struct {
        const char *written, *meant;
    } names[] = {
        {"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&quot;", "\""}, {"&#39;", "'"}};
    for (size_t i = 0; i < JSNI_COUNT_OF(names); i++)
        if (strncmp(*at, names[i].written, strlen(names[i].written)) == 0) {
            jsni_text_add(to, names[i].meant);
            *at += strlen(names[i].written);
            return;
        }
    unsigned point = 0;
    const size_t length = jsni_utf8_next(*at, &point);
    jsni_text_add_n(to, *at, length == 0 ? 1 : length);
    *at += length == 0 ? 1 : length;
}

/* The pieces of a text, up to its end, which is returned. */
static const char *read_pieces(jsni_figure_text *text, double size, const char *at)
{
    double sizes[4] = {size}, drop = 0.0;
    bool italic[4] = {false};
    size_t level = 0;
    while (*at != '\0' && strncmp(at, "</text>", 7) != 0) {
        if (*at == '<') {
            const tag t = {at + 1, strchr(at, '>')};
            if (t.end == NULL)
                return at + strlen(at);
            if (t.name[0] == '/') {
                level -= level > 0;
            } else if (level < 3) {
                char style[VALUE];
                word(&t, "font-style", style);
                level++;
                sizes[level] = number(&t, "font-size") > 0.0 ? number(&t, "font-size")
                                                             : sizes[level - 1];
                italic[level] = italic[level - 1] || strcmp(style, "italic") == 0;
                drop += number(&t, "dy");
            }
            at = t.end + 1;
            continue;
        }
        if (text->count == JSNI_FIGURE_PIECES)
            return at + strcspn(at, "<");
        jsni_figure_piece *piece = &text->pieces[text->count++];
        jsni_text words = jsni_text_in(piece->words, sizeof piece->words);
        piece->size = sizes[level];
        piece->drop = drop;
        piece->italic = italic[level];
        while (*at != '<' && *at != '\0')
            add_character(&words, &at);
    }
    return at;
}

static const char *add_text(reader *r, const tag *t)
{
    const scope *s = &r->scopes[r->depth];
    jsni_figure_text text = {.x = s->dx + number(t, "x"), .y = s->dy + number(t, "y")};
    char value[VALUE];
    word(t, "text-anchor", value);
    text.anchor = strcmp(value, "middle") == 0 ? 0.5
                  : strcmp(value, "end") == 0  ? 1.0
                                               : 0.0;
    word(t, "font-weight", value);
    text.bold = strcmp(value, "bold") == 0;
    word(t, "transform", value);
    if (strncmp(value, "rotate(", 7) == 0)
        (void)jsni_number_real(value + 7, strcspn(value + 7, " )"), &text.turn);
    text.fill = s->ink ? 0x111111
                : s->over
                    ? jsni_svg_class("j-page")
                    : jsni_svg_class(has_class(t, "j-muted") ? "j-muted" : "j-text");
    text.edge = s->halo;
    const char *end = read_pieces(&text, number(t, "font-size"), t->end + 1);
    r->format->text(r->out, &text);
    return end;
}

/* Begins a group or a window. */
static void enter(reader *r, const tag *t)
{
    if (r->depth + 1 == DEPTH)
        return;
    scope *s = &r->scopes[++r->depth];
    *s = r->scopes[r->depth - 1];
    s->clip = false;
    s->halo = s->halo || has_class(t, "j-edge");
    s->ink = s->ink || has_class(t, "j-ink");
    s->over = s->over || has_class(t, "j-over");
    char value[VALUE];
    word(t, "transform", value);
    if (strncmp(value, "translate(", 10) == 0) {
        const char *at = value + 10;
        double shift[2];
        take(&at, shift, 2);
        s->dx += shift[0];
        s->dy += shift[1];
    }
    if (is_named(t, "svg")) {
        s->clip = true;
        r->format->clip(r->out, s->dx + number(t, "x"), s->dy + number(t, "y"),
                        number(t, "width"), number(t, "height"));
    }
}

static void leave(reader *r)
{
    if (r->depth == 0)
        return;
    if (r->scopes[r->depth].clip)
        r->format->clip_end(r->out);
    r->depth--;
}

/* Goes through the elements; the first <svg> is the figure itself. */
static void read_all(reader *r, const char *svg)
{
    for (const char *at = svg; (at = strchr(at, '<')) != NULL;) {
        const tag t = {at + 1, strchr(at, '>')};
        if (t.end == NULL)
            return;
        at = t.end + 1;
        if (is_named(&t, "text"))
            at = add_text(r, &t);
        else if (t.name[0] == '/' &&
                 (strncmp(t.name, "/g>", 3) == 0 || strncmp(t.name, "/svg>", 5) == 0))
            leave(r);
        else if (is_named(&t, "svg") && r->width == 0.0) {
            r->width = number(&t, "width");
            r->height = number(&t, "height");
            r->format->begin(r->out, r->height);
        } else if (is_named(&t, "svg") || is_named(&t, "g"))
            enter(r, &t);
        else if (is_named(&t, "line") || is_named(&t, "rect") || is_named(&t, "path") ||
                 is_named(&t, "circle"))
            add_shape(r, &t);
    }
}

static const char *ending_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash == NULL ? path : slash, '.');
    return dot == NULL ? "" : dot;
}

static const jsni_figure_format *format_of(const char *path)
{
    for (size_t i = 0; i < JSNI_COUNT_OF(formats); i++)
        if (strcmp(formats[i]->extension, ending_of(path)) == 0)
            return formats[i];
    return NULL;
}

/* Without an ending it is SVG. */
static bool is_svg(const char *path)
{
    return ending_of(path)[0] == '\0' || strcmp(ending_of(path), ".svg") == 0;
}

bool jsni_figure_named(const char *path)
{
    return is_svg(path) || format_of(path) != NULL;
}

jsn_status jsni_figure_write(const char *svg, const char *path)
{
    jsni_text body = {0}, file = {0};
    reader r = {.format = format_of(path), .out = &body};
    if (is_svg(path))
        return jsni_file_write(path, svg, strlen(svg));
    if (r.format == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "'%s': a figure is written as FILE.svg, FILE.pdf or FILE.pgf",
                         path);
    read_all(&r, svg);
    r.format->end(&file, &body, r.width, r.height);
    jsn_status status = body.status != JSN_OK ? body.status : file.status;
    if (status == JSN_OK)
        status = jsni_file_write(path, file.data, file.length);
    jsni_text_release(&body);
    jsni_text_release(&file);
    return status;
}
