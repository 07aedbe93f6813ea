/* report/figure_list.h - the formats of figures beside SVG. To add one, write
 * report/figure_<id>.c, which defines jsni_figure_<id>, and add its row here. */
#ifndef JSNI_REPORT_FIGURE_LIST_H
#define JSNI_REPORT_FIGURE_LIST_H

#define JSNI_FIGURE_LIST(X) X(pdf) X(pgf)

#endif /* JSNI_REPORT_FIGURE_LIST_H */
