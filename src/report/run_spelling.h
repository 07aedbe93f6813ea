/* report/run_spelling.h - one loss has many spellings; runs side by side share one. */
#ifndef JSNI_REPORT_RUN_SPELLING_H
#define JSNI_REPORT_RUN_SPELLING_H

#include "store/run_record.h"

/* Gives the losses of the runs that are one loss, such as "gjs" and "gjs:pi1=0.5", the
 * longest of their spellings: it says most. JSN_ERR_MEMORY. */
JSN_MUST_CHECK jsn_status jsni_run_spell_losses(jsni_run_record *runs, size_t count);

#endif /* JSNI_REPORT_RUN_SPELLING_H */
