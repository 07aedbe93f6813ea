/* report/svg.h - drawing into SVG: the page of a figure, shapes, texts, colours.
 *
 * Everything appends to a jsni_text, whose first failure sticks. Output depends on the
 * arguments alone. Colours are CSS classes with one set of rules for light and one for
 * dark pages, so a figure follows its reader's colour scheme both as a file and inside
 * an HTML page; a plain figure has the light rules alone, for print. Clipping is done
 * with nested <svg> elements, so that several figures in one page share no ids.
 */
#ifndef JSNI_REPORT_SVG_H
#define JSNI_REPORT_SVG_H

#include <stdbool.h>

#include "core/text.h"

/* Colours by number. 0..7: told apart by readers of any colour vision. The ramp
 * 8..14 is for ordered families, from dark to light. */
enum {
    JSNI_COLOURS = 8,
    JSNI_COLOUR_RAMP = 8,
    JSNI_RAMP_STEPS = 7,
    JSNI_COLOUR_TEXT = 15, /* as the text */
    JSNI_COLOUR_COUNT = 16,
    JSNI_DASHES = 8
};

typedef enum jsni_anchor { JSNI_LEFT, JSNI_CENTRE, JSNI_RIGHT } jsni_anchor;

enum { JSNI_FONT = 12, JSNI_FONT_SMALL = 11, JSNI_FONT_TITLE = 14 }; /* pixels */

/* A figure of its own: <svg> with title and description for screen readers (either may
 * be NULL), the style rules and the background. */
void jsni_svg_begin(jsni_text *out, double width, double height, const char *title,
                    const char *description, bool plain);
void jsni_svg_end(jsni_text *out);

/* "<g>" shifted to x, y; and its end. */
void jsni_svg_group(jsni_text *out, double x, double y);
void jsni_svg_group_end(jsni_text *out);

/* A window: what is drawn until its end is cut at its border; the origin stays. */
void jsni_svg_clip(jsni_text *out, double x, double y, double width, double height);
void jsni_svg_clip_end(jsni_text *out);

void jsni_svg_line(jsni_text *out, double x1, double y1, double x2, double y2,
                   const char *class_name);
void jsni_svg_rect(jsni_text *out, double x, double y, double width, double height,
                   const char *class_name);

/* Text with its baseline at y. With `markup`, "_{...}" and "^{...}" lower and raise
 * what is in the braces, and a letter after a backslash is italic ("\p_{y}"). `turn` is
 * an angle in degrees about (x, y). */
typedef struct jsni_svg_label {
    jsni_anchor anchor;
    double size; /* 0: JSNI_FONT */
    double turn;
    bool markup;
    bool bold;
    bool muted;
} jsni_svg_label;

void jsni_svg_text(jsni_text *out, double x, double y, const jsni_svg_label *label,
                   const char *words);

/* How wide the text will be at most, in pixels: widths of a common sans-serif face with
 * an allowance for wider ones. */
double jsni_svg_width(const char *words, double size, bool markup);

/* The same in Helvetica itself, of words without markup. */
double jsni_svg_exact_width(const char *words, double size);

/* What the rules of light pages say, as 0xRRGGBB: of colour `number`, and of the classes
 * "j-page", "j-text", "j-muted", "j-grid", "j-axis" and "j-halo". */
unsigned jsni_svg_colour(int number);
unsigned jsni_svg_class(const char *name);

/* A colour of the continuous map that heat maps use (viridis), 0 <= x <= 1, as 0xRRGGBB:
 * even in lightness and the same order for all colour vision. */
unsigned jsni_svg_map(double x);

/* stroke-dasharray values by number, 0 = solid ("none"), below JSNI_DASHES. */
const char *jsni_svg_dash(int number);

/* One of eight marker shapes centred at x, y. */
void jsni_svg_marker(jsni_text *out, double x, double y, int colour);

/* A coordinate: two decimals without trailing zeros. */
void jsni_svg_number(jsni_text *out, double value);

#endif /* JSNI_REPORT_SVG_H */
