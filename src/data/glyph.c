/* data/glyph.c - see data/glyph.h.
 *
 * Areas are polygons (distance to the nearest edge, sign from the winding of a ray) or
 * circles; letters are polylines with a round pen. Distances are exact, so that edges
 * can be smoothed at any scale.
 */
#include "data/glyph.h"

#include <math.h>
#include <stdbool.h>

const char *const jsni_glyph_names[JSNI_GLYPHS] = {
    "disc",  "square",   "triangle", "star",     "crescent",
    "cross", "letter_a", "letter_e", "letter_s", "digit_4"};

enum { MOST_POINTS = 20 };

/* A break in a line, or the end. */
#define LIFT \
    {        \
        9, 9 \
    }

typedef struct outline {
    bool area;
    size_t count;
    double point[MOST_POINTS][2];
} outline;

static const outline outlines[JSNI_GLYPHS] = {
    {true, 0, {{0, 0}}}, /* disc: a circle, see below */
    {true, 4, {{-0.8, -0.8}, {0.8, -0.8}, {0.8, 0.8}, {-0.8, 0.8}}},
    {true, 3, {{0, -1}, {0.95, 0.75}, {-0.95, 0.75}}},
    {true,
     10,
     {{0, -1.05},
      {0.26, -0.36},
      {1.0, -0.32},
      {0.43, 0.14},
      {0.62, 0.85},
      {0, 0.45},
      {-0.62, 0.85},
      {-0.43, 0.14},
      {-1.0, -0.32},
      {-0.26, -0.36}}},
    {true, 0, {{0, 0}}}, /* crescent: two circles, see below */
    {true,
     12,
     {{-0.32, -1},
      {0.32, -1},
      {0.32, -0.32},
      {1, -0.32},
      {1, 0.32},
      {0.32, 0.32},
      {0.32, 1},
      {-0.32, 1},
      {-0.32, 0.32},
      {-1, 0.32},
      {-1, -0.32},
      {-0.32, -0.32}}},
    {false, 6, {{-0.7, 0.9}, {0, -0.9}, {0.7, 0.9}, LIFT, {-0.42, 0.25}, {0.42, 0.25}}},
    {false,
     7,
     {{0.6, -0.9}, {-0.6, -0.9}, {-0.6, 0.9}, {0.6, 0.9}, LIFT, {-0.6, 0}, {0.45, 0}}},
    {false,
     12,
     {{0.62, -0.62},
      {0.35, -0.88},
      {-0.3, -0.88},
      {-0.6, -0.6},
      {-0.55, -0.25},
      {-0.2, -0.05},
      {0.25, 0.08},
      {0.58, 0.32},
      {0.58, 0.65},
      {0.28, 0.9},
      {-0.35, 0.9},
      {-0.65, 0.62}}},
    {false, 4, {{0.3, 0.95}, {0.3, -0.9}, {-0.7, 0.4}, {0.75, 0.4}}},
};

static double segment_distance(const double *a, const double *b, double x, double y)
{
    const double dx = b[0] - a[0], dy = b[1] - a[1];
    const double px = x - a[0], py = y - a[1];
    double t = (px * dx + py * dy) / (dx * dx + dy * dy);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    const double ex = px - t * dx, ey = py - t * dy;
    return ex * ex + ey * ey;
}

static double stroke_distance(const outline *line, double x, double y)
{
    double nearest = 1e9;
    for (size_t i = 0; i + 1 < line->count; i++) {
        const double *a = line->point[i], *b = line->point[i + 1];
        if (a[0] > 8 || b[0] > 8)
            continue;
        const double d = segment_distance(a, b, x, y);
        nearest = d < nearest ? d : nearest;
    }
    return sqrt(nearest);
}

static double polygon_distance(const outline *area, double x, double y)
{
    double nearest = 1e9;
    bool inside = false;
    for (size_t i = 0, j = area->count - 1; i < area->count; j = i++) {
        const double *a = area->point[i], *b = area->point[j];
        const double d = segment_distance(a, b, x, y);
        nearest = d < nearest ? d : nearest;
        if ((a[1] > y) != (b[1] > y) &&
            x < (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1]) + a[0])
            inside = !inside;
    }
    return inside ? -sqrt(nearest) : sqrt(nearest);
}

static double circle_distance(double x, double y, double radius)
{
    return sqrt(x * x + y * y) - radius;
}

double jsni_glyph_distance(size_t kind, double x, double y, double pen, double hollow)
{
    const outline *o = &outlines[kind];
    double d = 0.0;
    if (!o->area)
        return stroke_distance(o, x, y) - pen;
    if (o->count > 0) {
        d = polygon_distance(o, x, y);
    } else if (kind == 0) {
        d = circle_distance(x, y, 0.92);
    } else {
        const double bite = -circle_distance(x - 0.5, y, 0.78);
        d = circle_distance(x, y, 0.98);
        d = d > bite ? d : bite;
    }
    return hollow > 0 ? fabs(d + hollow) - hollow : d;
}
