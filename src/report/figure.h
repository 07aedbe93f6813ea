/* report/figure.h - figures in other vector formats than SVG: PDF, and PGF for LaTeX. They
 * are made from the SVG that svg.h writes, so that a figure is drawn once; figure.c reads
 * it back, and a format file gets its lines, areas and texts one by one.
 *
 * A new format is figure_<id>.c with jsni_figure_<id>, and a row in figure_list.h.
 */
#ifndef JSNI_REPORT_FIGURE_H
#define JSNI_REPORT_FIGURE_H

#include <stdbool.h>

#include "core/text.h"

/* How an outline is painted; colours are 0xRRGGBB. */
typedef struct jsni_figure_paint {
    bool filled, stroked;
    unsigned fill, stroke;
    double width, opacity;
    bool round;       /* joints and ends of lines */
    const char *dash; /* lengths, "7 4"; "" for a solid line */
} jsni_figure_paint;

/* A piece of a text: what follows it stands behind it. */
typedef struct jsni_figure_piece {
    char words[256]; /* UTF-8 */
    double size;     /* pixels */
    double drop;     /* below the baseline of the text */
    bool italic;
} jsni_figure_piece;

enum { JSNI_FIGURE_PIECES = 32 };

typedef struct jsni_figure_text {
    double x, y;   /* baseline at the anchor */
    double anchor; /* 0: the text begins there, 0.5: its middle, 1: it ends there */
    double turn;   /* degrees, clockwise */
    unsigned fill;
    bool bold;
    bool edge; /* the bright edge of a text that follows: 3 pixels of white around it */
    jsni_figure_piece pieces[JSNI_FIGURE_PIECES];
    size_t count;
} jsni_figure_text;

/* What a format does; coordinates are pixels from the upper left corner. An outline is
 * style, then move, line, curve and close in their order, and then paint. */
typedef struct jsni_figure_format {
    const char *extension; /* of files, with the dot */
    void (*begin)(jsni_text *out, double height);
    void (*style)(jsni_text *out, const jsni_figure_paint *paint);
    void (*move)(jsni_text *out, double x, double y);
    void (*line)(jsni_text *out, double x, double y);
    void (*curve)(jsni_text *out, const double at[6]);
    void (*close)(jsni_text *out);
    void (*paint)(jsni_text *out, const jsni_figure_paint *paint);
    void (*clip)(jsni_text *out, double x, double y, double width, double height);
    void (*clip_end)(jsni_text *out);
    void (*text)(jsni_text *out, const jsni_figure_text *text);
    /* Wraps what was written into a whole file. */
    void (*end)(jsni_text *file, const jsni_text *body, double width, double height);
} jsni_figure_format;

/* Pixels are of 1/96 inch, points of 1/72. */
#define JSNI_FIGURE_POINTS 0.75

/* Writes one of our own SVG figures to a file, as its name ends: .svg, .pdf, .pgf.
 *   JSN_ERR_ARGUMENT  it ends otherwise;  JSN_ERR_IO, JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_figure_write(const char *svg, const char *path);

/* Whether the name of a file ends as that of a figure that can be written. */
bool jsni_figure_named(const char *path);

#endif /* JSNI_REPORT_FIGURE_H */
