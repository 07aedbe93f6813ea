/* train/run_name.h - what identifies a run: the options that matter. */
#ifndef JSNI_TRAIN_RUN_NAME_H
#define JSNI_TRAIN_RUN_NAME_H

#include "core/text.h"
#include "jensen/train.h"

enum { JSNI_FINGERPRINT = 65 };

#define JSNI_RUNS "runs" /* the folder of runs without --out */

/* Whether runs that differ in this option are different runs. How many broken images are
 * borne says when to give up, and changes nothing else. */
bool jsni_run_option_identifies(const jsn_option_info *row);

/* SHA-256 over the names and values of all options that matter; those that identify no run
 * count with their default. */
JSN_MUST_CHECK jsn_status jsni_run_fingerprint(const jsn_train_config *config,
                                               char out[JSNI_FINGERPRINT]);

/* The folder that a complete configuration leads to: --out, or
 * "runs/<data>-<loss>-<noise>-s<seed>-<8 hex>"; owned by the
 * caller. JSN_ERR_ARGUMENT for an empty --out. */
JSN_MUST_CHECK jsn_status jsni_run_folder_name(const jsn_train_config *config,
                                               char **out);

/* The text of config.yaml. */
JSN_MUST_CHECK jsn_status jsni_run_config_text(const jsn_train_config *config,
                                               jsni_text *out);

#endif /* JSNI_TRAIN_RUN_NAME_H */
