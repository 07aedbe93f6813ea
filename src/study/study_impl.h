/* study/study_impl.h - the two kinds of tables of a study. */
#ifndef JSNI_STUDY_STUDY_IMPL_H
#define JSNI_STUDY_STUDY_IMPL_H

#include "core/text.h"
#include "jensen/study.h"

/* All trials; "html" is a page, which links the runs by paths relative to `folder` (NULL:
 * the working folder). */
JSN_MUST_CHECK jsn_status jsni_study_table(jsn_sweep *sweep, const char *format,
                                           const char *folder, jsni_text *out);

/* "ROW:COLUMN" or JSN_STUDY_WINNERS. */
JSN_MUST_CHECK jsn_status jsni_study_pivot(jsn_sweep *sweep, const char *pivot,
                                           const char *format, jsni_text *out);

#endif /* JSNI_STUDY_STUDY_IMPL_H */
