/* jensen/report.h - pages and tables of runs, and analytic plots as SVG.
 *
 * A report is one self-contained HTML file made from run folders alone:
 *
 *     const char *runs[] = {"runs/ce", "runs/gjs"};
 *     if (jsn_report_write(runs, 2, NULL, "report.html") != JSN_OK)
 *         fprintf(stderr, "jensen: %s\n", jsn_last_error());
 *
 * A plot is named by a spec, "name" or "name:key=value,...", from a table of what
 * exists:
 *
 *     if (jsn_plot_write("js-ce-mae:pi=0.1/0.5/0.9", NULL, false, "f.svg") != JSN_OK)
 *         fprintf(stderr, "jensen: %s\n", jsn_last_error());
 *
 * The same request gives the same bytes. No function keeps state; all may be called
 * from any thread.
 */
#ifndef JENSEN_REPORT_H
#define JENSEN_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "jensen/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Draws into *svg, a NUL-terminated SVG document that the caller frees with
 * jsn_text_release(). `loss` is a loss spec for plots that want one, else NULL. The
 * figure follows the reader's light or dark setting; with `plain` it has one look, for
 * print. On failure *svg is untouched.
 *   JSN_ERR_UNKNOWN_NAME  no such plot or parameter
 *   JSN_ERR_ARGUMENT      malformed spec; a loss missing or not wanted
 *   JSN_ERR_RANGE         a parameter outside its bounds
 *   JSN_ERR_MEMORY        and what the loss library returns */
JSN_API JSN_MUST_CHECK jsn_status jsn_plot_render(const char *spec, const char *loss,
                                                  bool plain, char **svg);

/* The same into FILE.svg, FILE.pdf or FILE.pgf (for LaTeX), replaced in one piece. Also
 * JSN_ERR_IO; JSN_ERR_ARGUMENT for a file that is called otherwise. */
JSN_API JSN_MUST_CHECK jsn_status jsn_plot_write(const char *spec, const char *loss,
                                                 bool plain, const char *path);

/* A page into a file, replaced in one piece. One run, finished or not: curves, confusion,
 * doubtful labels, settings. Several: a comparison; pages of the single runs that lie below
 * the file's folder are linked. `title` may be NULL.
 *   JSN_ERR_DATA      no run folder, or a damaged file in it
 *   JSN_ERR_ARGUMENT  no run at all
 *   JSN_ERR_IO, JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_report_write(const char *const *runs,
                                                   size_t count, const char *title,
                                                   const char *path);

/* The curves alone, as a file of the same kinds: accuracy, true class found, consistency, loss, rate.
 *   as jsn_report_write(); JSN_ERR_DATA also when no run has ended an epoch */
JSN_API JSN_MUST_CHECK jsn_status jsn_report_curves(const char *const *runs,
                                                    size_t count, const char *path);

/* Writes report.html into a run folder, and into those of an ensemble's members. With
 * `only_missing` a page that is there is left alone. */
JSN_API JSN_MUST_CHECK jsn_status jsn_report_run(const char *run, bool only_missing);

/* A table of means and deviations: runs that differ in nothing but their seed form one
 * line. Of runs with the same settings and seed the latest complete one counts; a note
 * names the others (none in CSV). `format` is "markdown", "csv", "latex" or "html".
 * *text is the caller's.
 *
 * With a `pivot`, "ROW:COLUMN" ("loss:noise"), one setting against another. A cell has mean
 * and deviation of the test accuracy over seeds; runs that differ in more than row, column
 * and seed have lines of their own. Bold goes by the same test, among runs with the same
 * data, labels and noise.
 *   as jsn_report_write(), and JSN_ERR_UNKNOWN_NAME for the format and for a setting;
 *   JSN_ERR_ARGUMENT also for a pivot that is not two settings, and when no run has a test
 *   accuracy */
JSN_API JSN_MUST_CHECK jsn_status jsn_report_table(const char *const *runs,
                                                   size_t count, const char *pivot,
                                                   const char *format, char **text);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_REPORT_H */
