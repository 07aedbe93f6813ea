/* data/glyph.h - the shapes and glyphs of the built-in data set as distances. */
#ifndef JSNI_DATA_GLYPH_H
#define JSNI_DATA_GLYPH_H

#include <stddef.h>

enum { JSNI_GLYPHS = 10 };

extern const char *const jsni_glyph_names[JSNI_GLYPHS];

/* Signed distance from (x, y) to the edge of glyph `kind`, negative inside. Glyphs fill
 * about [-1, 1] x [-1, 1], y pointing down. Areas are drawn filled, or with `hollow` > 0
 * as an outline of that half width; letters are strokes of half width `pen`. */
double jsni_glyph_distance(size_t kind, double x, double y, double pen, double hollow);

#endif /* JSNI_DATA_GLYPH_H */
