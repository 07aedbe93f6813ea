/* jensen/study.h - the trials of a study as a table or a page.
 *
 *     char *text = NULL;
 *     if (jsn_study_export(sweep, "loss:noise", "markdown", NULL, &text) == JSN_OK)
 *         fputs(text, stdout);
 *     jsn_text_release(text);
 */
#ifndef JENSEN_STUDY_H
#define JENSEN_STUDY_H

#include "jensen/status.h"
#include "jensen/sweep.h"

#ifdef __cplusplus
extern "C" {
#endif

#define JSN_STUDY_WINNERS "winners"

/* A study as "csv", "markdown", "latex" or "html". What is shown is said by `pivot`:
 *   NULL               all trials; in "html" a page that links the runs
 *   "ROW:COLUMN"       one option of the complete trials against another ("loss:noise"), as
 *                      jsn_report_table() of their runs; the store alone is read
 *   JSN_STUDY_WINNERS  what the winners of a search came to on all images, losses against
 *                      noises, in the same way
 * It goes into the file `path`, replaced in one piece, with links as seen from there, and
 * `out` may be NULL. Without a path *out is the text, with links as seen from the working
 * folder: jsn_text_release().
 *   JSN_ERR_ARGUMENT      a pivot without a complete trial, or of not two options
 *   JSN_ERR_UNKNOWN_NAME  no such format or option
 *   JSN_ERR_DATA, JSN_ERR_IO, JSN_ERR_NETWORK, JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_study_export(jsn_sweep *sweep, const char *pivot,
                                                   const char *format, const char *path,
                                                   char **out);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_STUDY_H */
