/* store/study_sql.h - what the study files share: numbers as texts, names of states. */
#ifndef JSNI_STORE_STUDY_SQL_H
#define JSNI_STORE_STUDY_SQL_H

#include <stdint.h>

#include "store/study.h"

enum { JSNI_SQL_INT = 24 };

void jsni_sql_int(char out[JSNI_SQL_INT], int64_t value);
int64_t jsni_sql_to_int(const char *text); /* 0 when it is none */

const char *jsni_trial_state_name(jsni_trial_state state);
jsni_trial_state jsni_trial_state_of(const char *name);

#endif /* JSNI_STORE_STUDY_SQL_H */
