/* report/run_page.h - the page of jsn_report_write() as a text. */
#ifndef JSNI_REPORT_RUN_PAGE_H
#define JSNI_REPORT_RUN_PAGE_H

#include "jensen/report.h"

/* One run, finished or not: its page with curves, confusion, doubtful labels, settings.
 * Several: a comparison. `title` may be NULL. *html is the caller's
 * (jsn_text_release()); on failure it is untouched.
 *   JSN_ERR_DATA      no run folder, or a damaged file in it
 *   JSN_ERR_ARGUMENT  no run at all
 *   JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_report_render(const char *const *runs, size_t count,
                                             const char *title, char **html);

#endif /* JSNI_REPORT_RUN_PAGE_H */
