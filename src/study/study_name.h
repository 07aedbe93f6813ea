/* study/study_name.h - studies that are named by what their runs share, so that the same
 * request finds its study again: a prefix and digits of a hash of the options. */
#ifndef JSNI_STUDY_STUDY_NAME_H
#define JSNI_STUDY_STUDY_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "core/text.h"
#include "jensen/sweep.h"

/* The option of `config` from number *at on that is set and changes results; NULL: no
 * further one. */
const jsn_option_info *jsni_study_next_option(const jsn_train_config *config,
                                              size_t *at);
/* Whether an option says where data is. */
bool jsni_study_names_data(const char *option);
/* All of them but the device, "name=text" each; without `data` those that say where data
 * is have no text. */
JSN_MUST_CHECK jsn_status jsni_study_options(const jsn_train_config *config,
                                             const char *between, bool data,
                                             jsni_text *out);

/* Adds "PREFIX1a2b3c4d". `more`: what else makes it another study; or NULL. */
JSN_MUST_CHECK jsn_status jsni_study_name(const char *prefix,
                                          const jsn_train_config *config,
                                          const jsn_sweep_pair *more, jsni_text *name);

/* Of the studies in the store of `beside` that are named so, and whose options are those
 * of `config` apart from where data is: the one with the most finished runs (the newest of
 * several), opened to be read. NULL: none has a finished run. */
JSN_MUST_CHECK jsn_status jsni_study_choose(jsn_sweep **out, const jsn_sweep *beside,
                                            const char *prefix,
                                            const jsn_train_config *config);

#endif /* JSNI_STUDY_STUDY_NAME_H */
