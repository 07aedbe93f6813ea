/* report/plot_list.h - the analytic plots. To add one, write report/plot_<id>.c, which
 * defines jsni_plot_<id>, and add its row here. */
#ifndef JSNI_REPORT_PLOT_LIST_H
#define JSNI_REPORT_PLOT_LIST_H

#define JSNI_PLOT_LIST(X) X(js_ce_mae) X(gjs_simplex) X(js_gce_gradient) X(loss_curve)

#endif /* JSNI_REPORT_PLOT_LIST_H */
