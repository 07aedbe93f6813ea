/* report/ternary.c - see report/ternary.h.
 *
 * The simplex is cut into small triangles on which the function is taken to be linear.
 * For each of LEVELS thresholds, from low to high, the region above it is painted over
 * the ones before. In a strip of triangles that region is written as long runs and a
 * few cut triangles, so the file stays small; a thin stroke in the same colour closes
 * the seams that anti-aliasing would leave between neighbours.
 */
#include "report/ternary.h"

#include <math.h>
#include <stdio.h>

#include "core/alloc.h"
#include "report/axis.h"
#include "report/svg.h"

enum { STRIPS = 48, LEVELS = 24, TOP = 56, SIDE = 220, BAR = 12 };

typedef struct spot {
    double x, y, value;
} spot;

static const double half_root3 = 0.8660254037844386;

static spot place(const double p[3], double value)
{
    const double left = (JSNI_TERNARY_WIDTH - SIDE) / 2.0;
    return (spot){left + SIDE * (p[2] + 0.5 * p[0]),
                  TOP + SIDE * half_root3 * (1 - p[0]), value};
}

/* Node (row, column): row 0 is the top corner, row r has r+1 nodes. */
static size_t node(size_t row, size_t column)
{
    return row * (row + 1) / 2 + column;
}

static spot *sample(const jsni_ternary *map, double *low, double *high)
{
    spot *nodes = jsni_alloc(node(STRIPS + 1, 0), sizeof *nodes);
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t r = 0; nodes != NULL && r <= STRIPS; r++)
        for (size_t c = 0; c <= r; c++) {
            const double p[3] = {(double)(STRIPS - r) / STRIPS,
                                 (double)(r - c) / STRIPS, (double)c / STRIPS};
            const double value = map->fn(map->user, p);
            nodes[node(r, c)] = place(p, value);
            *low = value < *low ? value : *low;
            *high = value > *high ? value : *high;
        }
    return nodes;
}

static void add_point(jsni_text *out, char command, double x, double y)
{
    jsni_text_format(out, "%c%.1f %.1f", command, x, y);
}

static void add_polygon(jsni_text *out, const spot *corners, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add_point(out, i == 0 ? 'M' : 'L', corners[i].x, corners[i].y);
    if (count > 0)
        jsni_text_add(out, "z");
}

/* The part of a triangle where the value is at least `level`; at most 4 corners. */
static size_t cut(const spot *const t[3], double level, spot *corners)
{
    size_t count = 0;
    for (size_t i = 0; i < 3; i++) {
        const spot *a = t[i], *b = t[(i + 1) % 3];
        if (a->value >= level)
            corners[count++] = *a;
        if ((a->value >= level) != (b->value >= level)) {
            const double f = (level - a->value) / (b->value - a->value);
            corners[count++] =
                (spot){a->x + f * (b->x - a->x), a->y + f * (b->y - a->y), level};
        }
    }
    return count;
}

/* Triangle `index` of strip `row`: even ones point up, odd ones down. */
static void triangle(const spot *nodes, size_t row, size_t index, const spot *t[3])
{
    const size_t c = index / 2;
    if (index % 2 == 0) {
        t[0] = &nodes[node(row, c)];
        t[1] = &nodes[node(row + 1, c)];
        t[2] = &nodes[node(row + 1, c + 1)];
    } else {
        t[0] = &nodes[node(row, c)];
        t[1] = &nodes[node(row + 1, c + 1)];
        t[2] = &nodes[node(row, c + 1)];
    }
}

static bool whole(const spot *nodes, size_t row, size_t index, double level)
{
    const spot *t[3];
    triangle(nodes, row, index, t);
    return t[0]->value >= level && t[1]->value >= level && t[2]->value >= level;
}

/* A run of whole triangles first..last of a strip, as one polygon. */
static void add_run(jsni_text *out, const spot *nodes, size_t row, size_t first,
                    size_t last)
{
    spot corners[4];
    size_t count = 0;
    corners[count++] = nodes[node(row, first / 2)];
    if (first % 2 == 0)
        corners[count++] = nodes[node(row + 1, first / 2)];
    else
        corners[count++] = nodes[node(row + 1, first / 2 + 1)];
    if (last != first || first % 2 == 0)
        corners[count++] = nodes[node(row + 1, last / 2 + 1)];
    if (last % 2 == 1)
        corners[count++] = nodes[node(row, last / 2 + 1)];
    else if (last / 2 != first / 2)
        corners[count++] = nodes[node(row, last / 2)];
    add_polygon(out, corners, count);
}

static void add_region(jsni_text *out, const spot *nodes, double level)
{
    for (size_t row = 0; row < STRIPS; row++)
        for (size_t i = 0; i <= 2 * row; i++) {
            if (whole(nodes, row, i, level)) {
                const size_t first = i;
                while (i < 2 * row && whole(nodes, row, i + 1, level))
                    i++;
                add_run(out, nodes, row, first, i);
                continue;
            }
            const spot *t[3];
            spot corners[4];
            triangle(nodes, row, i, t);
            add_polygon(out, corners, cut(t, level, corners));
        }
}

static void draw_regions(jsni_text *out, const spot *nodes, double low, double high)
{
    for (int n = 0; n < LEVELS; n++) {
        const unsigned rgb = jsni_svg_map((n + 0.5) / LEVELS);
        if (n > 0 && !(high > low))
            break;
        jsni_text_format(out,
                         "<path fill=\"#%06x\" stroke=\"#%06x\" stroke-width=\".6\" "
                         "stroke-linejoin=\"round\" d=\"",
                         rgb, rgb);
        if (n == 0) {
            const spot corners[3] = {nodes[0], nodes[node(STRIPS, 0)],
                                     nodes[node(STRIPS, STRIPS)]};
            add_polygon(out, corners, 3);
        } else {
            add_region(out, nodes, low + (high - low) * n / LEVELS);
        }
        jsni_text_add(out, "\"/>\n");
    }
}

static void draw_bar(jsni_text *out, const jsni_ternary *map, double low, double high)
{
    const double left = (JSNI_TERNARY_WIDTH - SIDE) / 2.0;
    const double top = TOP + SIDE * half_root3 + 34;
    for (int n = 0; n < LEVELS; n++) {
        jsni_text_format(out, "<rect fill=\"#%06x\" x=\"",
                         jsni_svg_map((n + 0.5) / LEVELS));
        jsni_svg_number(out, left + SIDE * (double)n / LEVELS);
        jsni_text_format(out, "\" y=\"%.2f\" width=\"%.2f\" height=\"%d\"/>\n", top,
                         (double)SIDE / LEVELS + (n + 1 < LEVELS ? 0.5 : 0.0), BAR);
    }
    jsni_tick ticks[JSNI_TICKS];
    if (!(high > low))
        jsni_axis_range(&low, &high, false, 0.0);
    const size_t count = jsni_axis_ticks(low, high, false, 5, ticks);
    const jsni_svg_label label = {
        .anchor = JSNI_CENTRE, .size = JSNI_FONT_SMALL, .muted = true, .markup = true};
    for (size_t i = 0; i < count; i++) {
        const double x =
            left + SIDE * jsni_axis_place(ticks[i].value, low, high, false);
        jsni_svg_line(out, x, top + BAR, x, top + BAR + 4, "j-axis");
        jsni_svg_text(out, x, top + BAR + 5 + JSNI_FONT_SMALL, &label, ticks[i].text);
    }
    const jsni_svg_label name = {.anchor = JSNI_CENTRE, .markup = map->markup};
    if (map->scale != NULL)
        jsni_svg_text(out, left + SIDE / 2.0, top + BAR + 36, &name, map->scale);
}

static void draw_labels(jsni_text *out, const jsni_ternary *map)
{
    const double bottom = TOP + SIDE * half_root3;
    const double left = (JSNI_TERNARY_WIDTH - SIDE) / 2.0;
    jsni_svg_label label = {.anchor = JSNI_CENTRE, .markup = map->markup};
    if (map->corners[0] != NULL)
        jsni_svg_text(out, JSNI_TERNARY_WIDTH / 2.0, TOP - 7, &label, map->corners[0]);
    if (map->corners[1] != NULL)
        jsni_svg_text(out, left, bottom + 18, &label, map->corners[1]);
    if (map->corners[2] != NULL)
        jsni_svg_text(out, left + SIDE, bottom + 18, &label, map->corners[2]);
    label.bold = true;
    label.size = JSNI_FONT_TITLE;
    if (map->title != NULL)
        jsni_svg_text(out, JSNI_TERNARY_WIDTH / 2.0, 22, &label, map->title);
}

static void draw_point(jsni_text *out, const jsni_ternary *map)
{
    const spot at = place(map->point, 0.0);
    jsni_text_format(out,
                     "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"4.5\" fill=\"#fff\" "
                     "stroke=\"#111\" stroke-width=\"1.6\"/>\n",
                     at.x, at.y);
    if (map->point_name == NULL)
        return;
    /* A white edge below the letters keeps them readable on every colour. */
    for (int pass = 0; pass < 2; pass++) {
        jsni_text_add(out, pass == 0 ? "<g stroke=\"#fff\" stroke-width=\"3\" "
                                       "stroke-linejoin=\"round\" class=\"j-edge\">"
                                     : "<g class=\"j-ink\">");
        const jsni_svg_label label = {.anchor = JSNI_LEFT, .markup = map->markup};
        jsni_svg_text(out, at.x + 8, at.y + 4, &label, map->point_name);
        jsni_svg_group_end(out);
    }
}

void jsni_ternary_draw(jsni_text *out, const jsni_ternary *map, double x, double y)
{
    double low = 0.0, high = 0.0;
    spot *nodes = sample(map, &low, &high);
    if (nodes == NULL) {
        out->status = JSN_ERR_MEMORY;
        return;
    }
    jsni_svg_group(out, x, y);
    draw_regions(out, nodes, low, high);
    draw_bar(out, map, low, high);
    draw_labels(out, map);
    if (map->point != NULL)
        draw_point(out, map);
    jsni_svg_group_end(out);
    jsni_free(nodes);
}
