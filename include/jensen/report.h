/* jensen/report.h - figures: analytic plots as SVG.
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

#include "jensen/param.h"
#include "jensen/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What exists. The records are static. */
typedef struct jsn_plot_info {
    const char *name;
    const char *summary; /* one line */
    const jsn_param_info *params;
    size_t param_count;
    bool wants_loss; /* draws the loss that the caller names */
} jsn_plot_info;

JSN_API size_t jsn_plot_count(void);

/* The record at `index`, or NULL when index >= jsn_plot_count(). */
JSN_API const jsn_plot_info *jsn_plot_describe(size_t index);

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

/* The same into a file, replaced in one piece. Also JSN_ERR_IO. */
JSN_API JSN_MUST_CHECK jsn_status jsn_plot_write(const char *spec, const char *loss,
                                                 bool plain, const char *path);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_REPORT_H */
