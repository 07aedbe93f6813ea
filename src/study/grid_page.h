/* study/grid_page.h - a grid (study/grid.h) in the formats of tables: cells, then ours
 * beside what is published, and how both rank. */
#ifndef JSNI_STUDY_GRID_PAGE_H
#define JSNI_STUDY_GRID_PAGE_H

#include "study/grid.h"

typedef struct jsni_grid_page {
    const char *title; /* of a page */
    const char *caption, *note;
    const char *figure;      /* of a page: SVG, or NULL */
    const char *figure_note; /* below it, or NULL */
} jsni_grid_page;

/* Appends the grid. "html" is a whole page; "csv" is the comparison alone, since a file has
 * one table, and that one has everything. JSN_ERR_UNKNOWN_NAME: no such format. */
JSN_MUST_CHECK jsn_status jsni_grid_write(const jsni_grid *grid,
                                          const jsni_grid_page *page,
                                          const char *format, jsni_text *out);

#endif /* JSNI_STUDY_GRID_PAGE_H */
