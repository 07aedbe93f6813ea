/* report/svg.c - see report/svg.h. The eight colours follow Okabe and Ito's set, with
 * its yellow and black replaced, as they vanish on one of the two backgrounds. */
#include "report/svg.h"

#include <math.h>
#include <string.h>

#include "core/hd.h"
#include "core/text.h"
#include "report/escape.h"

typedef struct shade {
    unsigned light, dark; /* on light and on dark pages */
} shade;

static const shade shades[JSNI_COLOUR_COUNT] = {
    {0x0072B2, 0x58AEEA}, {0xD55E00, 0xFF8B4A}, {0x009E73, 0x35C69A},
    {0xC05A94, 0xE39CC4}, {0xD08A00, 0xF2B636}, {0x3FA2DC, 0x8FD3FA},
    {0x5E4FA2, 0xAF9FEE}, {0x2B2F36, 0xDDE2E8}, {0x440154, 0x8A6FC0},
    {0x443983, 0x6F8FD0}, {0x31688E, 0x4FA9C9}, {0x21918C, 0x35B7A0},
    {0x35A86B, 0x5FCB7A}, {0x7CB83A, 0xA5DB36}, {0xC2B000, 0xF0E442},
    {0x1F2328, 0xE6EAEF},
};

void jsni_svg_number(jsni_text *out, double value)
{
    char text[48];
    if (!isfinite(value))
        value = 0.0;
    value = fmin(fmax(value, -1e9), 1e9); /* far outside of any figure */
    (void)jsni_format(text, sizeof text, "%.2f", value);
    size_t length = strlen(text);
    while (text[length - 1] == '0')
        length--;
    if (text[length - 1] == '.')
        length--;
    if (length == 2 && text[0] == '-' && text[1] == '0')
        jsni_text_add(out, "0");
    else
        jsni_text_add_n(out, text, length);
}

static void add_attribute(jsni_text *out, const char *name, double value)
{
    jsni_text_format(out, " %s=\"", name);
    jsni_svg_number(out, value);
    jsni_text_add(out, "\"");
}

/* Colours that are no series': of the page, of what stands on it. */
static const shade page = {0xffffff, 0x15181c}, ink = {0x1f2328, 0xe6eaef},
                   muted = {0x59616b, 0xa8b0ba}, grid = {0xe4e7eb, 0x2d333a};

static const struct {
    const char *class_name, *what;
    const shade *colour;
} classes[] = {
    {"j-page", "fill", &page},    {"j-text", "fill", &ink},
    {"j-muted", "fill", &muted},  {"j-grid", "stroke", &grid},
    {"j-axis", "stroke", &muted}, {"j-halo", "stroke", &page},
};

unsigned jsni_svg_colour(int number)
{
    return shades[number >= 0 && number < JSNI_COLOUR_COUNT ? number : 0].light;
}

unsigned jsni_svg_class(const char *name)
{
    for (size_t i = 0; i < JSNI_COUNT_OF(classes); i++)
        if (strcmp(classes[i].class_name, name) == 0)
            return classes[i].colour->light;
    return ink.light;
}

/* One set of rules; `dark` picks the column. */
static void add_rules(jsni_text *out, bool dark)
{
    for (size_t i = 0; i < JSNI_COUNT_OF(classes); i++)
        jsni_text_format(out, ".%s{%s:#%06x}", classes[i].class_name, classes[i].what,
                         dark ? classes[i].colour->dark : classes[i].colour->light);
    jsni_text_format(out, ".j-over text{fill:#%06x}", dark ? page.dark : page.light);
    for (int i = 0; i < JSNI_COLOUR_COUNT; i++) {
        const unsigned rgb = dark ? shades[i].dark : shades[i].light;
        jsni_text_format(out, ".j-s%d{stroke:#%06x}.j-f%d{fill:#%06x}", i, rgb, i, rgb);
    }
}

static void add_style(jsni_text *out, bool plain)
{
    jsni_text_add(out,
                  ".j-figure{font-family:Helvetica,Arial,'Liberation Sans',"
                  "'DejaVu Sans',sans-serif}.j-grid,.j-axis{stroke-width:1}"
                  ".j-line{fill:none;stroke-width:2;stroke-linejoin:round;"
                  "stroke-linecap:round}.j-band{opacity:.18}.j-edge text{fill:#fff}"
                  ".j-ink text{fill:#111}");
    add_rules(out, false);
    if (plain)
        return;
    jsni_text_add(out, "@media screen and (prefers-color-scheme:dark){");
    add_rules(out, true);
    jsni_text_add(out, "}");
}

void jsni_svg_begin(jsni_text *out, double width, double height, const char *title,
                    const char *description, bool plain)
{
    jsni_text_add(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"j-figure\"");
    add_attribute(out, "width", width);
    add_attribute(out, "height", height);
    jsni_text_add(out, " viewBox=\"0 0 ");
    jsni_svg_number(out, width);
    jsni_text_add(out, " ");
    jsni_svg_number(out, height);
    jsni_text_add(out, "\" role=\"img\">\n");
    if (title != NULL) {
        jsni_text_add(out, "<title>");
        jsni_escape_xml(out, title);
        jsni_text_add(out, "</title>\n");
    }
    if (description != NULL) {
        jsni_text_add(out, "<desc>");
        jsni_escape_xml(out, description);
        jsni_text_add(out, "</desc>\n");
    }
    jsni_text_add(out, "<style>");
    add_style(out, plain);
    jsni_text_add(out, "</style>\n");
    jsni_svg_rect(out, 0, 0, width, height, "j-page");
}

void jsni_svg_end(jsni_text *out)
{
    jsni_text_add(out, "</svg>\n");
}

void jsni_svg_group(jsni_text *out, double x, double y)
{
    jsni_text_add(out, "<g transform=\"translate(");
    jsni_svg_number(out, x);
    jsni_text_add(out, " ");
    jsni_svg_number(out, y);
    jsni_text_add(out, ")\">\n");
}

void jsni_svg_group_end(jsni_text *out)
{
    jsni_text_add(out, "</g>\n");
}

void jsni_svg_clip(jsni_text *out, double x, double y, double width, double height)
{
    jsni_text_add(out, "<svg");
    add_attribute(out, "x", x);
    add_attribute(out, "y", y);
    add_attribute(out, "width", width);
    add_attribute(out, "height", height);
    jsni_text_add(out, " viewBox=\"");
    const double box[4] = {x, y, width, height};
    for (int i = 0; i < 4; i++) {
        jsni_svg_number(out, box[i]);
        jsni_text_add(out, i < 3 ? " " : "\" overflow=\"hidden\">\n");
    }
}

void jsni_svg_clip_end(jsni_text *out)
{
    jsni_text_add(out, "</svg>\n");
}

void jsni_svg_line(jsni_text *out, double x1, double y1, double x2, double y2,
                   const char *class_name)
{
    jsni_text_format(out, "<line class=\"%s\"", class_name);
    add_attribute(out, "x1", x1);
    add_attribute(out, "y1", y1);
    add_attribute(out, "x2", x2);
    add_attribute(out, "y2", y2);
    jsni_text_add(out, "/>\n");
}

void jsni_svg_rect(jsni_text *out, double x, double y, double width, double height,
                   const char *class_name)
{
    jsni_text_format(out, "<rect class=\"%s\"", class_name);
    add_attribute(out, "x", x);
    add_attribute(out, "y", y);
    add_attribute(out, "width", width);
    add_attribute(out, "height", height);
    jsni_text_add(out, "/>\n");
}

unsigned jsni_svg_map(double x)
{
    static const unsigned char anchors[][3] = {
        {0x44, 0x01, 0x54}, {0x48, 0x28, 0x78}, {0x3E, 0x49, 0x89}, {0x31, 0x68, 0x8E},
        {0x26, 0x82, 0x8E}, {0x1F, 0x9E, 0x89}, {0x35, 0xB7, 0x79}, {0x6E, 0xCE, 0x58},
        {0xB5, 0xDE, 0x2B}, {0xFD, 0xE7, 0x25},
    };
    const double place = 9.0 * (x > 0.0 ? x < 1.0 ? x : 1.0 : 0.0);
    const int low = place >= 9.0 ? 8 : (int)place;
    unsigned rgb = 0;
    for (int c = 0; c < 3; c++) {
        const double a = anchors[low][c], b = anchors[low + 1][c];
        rgb = rgb << 8 | (unsigned)(a + (b - a) * (place - low) + 0.5);
    }
    return rgb;
}

const char *jsni_svg_dash(int number)
{
    static const char *const dashes[JSNI_DASHES] = {
        "none", "7 4", "2 4", "9 6 2 6", "13 7", "4 6", "1 7", "12 6 2 6 2 6"};
    return dashes[number >= 0 && number < JSNI_DASHES ? number : 0];
}

void jsni_svg_marker(jsni_text *out, double x, double y, int colour)
{
    static const char *const shapes[JSNI_COLOURS] = {
        "m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z",              /* disc */
        "m-3.2-3.2h6.4v6.4h-6.4z",                                   /* square */
        "m0-4.4l4.2 7.4h-8.4z",                                      /* triangle up */
        "m0-4.5l4.5 4.5l-4.5 4.5l-4.5-4.5z",                         /* diamond */
        "m0 4.4l4.2-7.4h-8.4z",                                      /* triangle down */
        "m-1.3-4h2.6v2.7h2.7v2.6h-2.7v2.7h-2.6v-2.7h-2.7v-2.6h2.7z", /* plus */
        "m-4.4 0l7.4-4.2v8.4z",                                      /* left */
        "m4.4 0l-7.4-4.2v8.4z",                                      /* right */
    };
    jsni_text_format(out, "<path class=\"j-f%d j-halo\" stroke-width=\".8\" d=\"M",
                     colour);
    jsni_svg_number(out, x);
    jsni_text_add(out, " ");
    jsni_svg_number(out, y);
    jsni_text_format(out, "%s\"/>\n", shapes[colour % JSNI_COLOURS]);
}
