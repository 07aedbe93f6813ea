/* train/init_kept.h - whether a run can go on without the weights that it began with, and
 * whether --init still leads to those. */
#ifndef JSNI_TRAIN_INIT_KEPT_H
#define JSNI_TRAIN_INIT_KEPT_H

#include <stdbool.h>

#include "core/sha256.h"
#include "jensen/train.h"

/* Whether a folder is that of a run with just these options, and has what it goes on from: a
 * checkpoint, the body of its network or the model, of its own, its stage 1 or a member. */
JSN_MUST_CHECK jsn_status jsni_init_kept(const char *folder,
                                         const jsn_train_config *config, bool *kept);

/* The SHA-256 of what --init leads to: of the file that was imported, the weights that a run
 * ended with, or the file. JSN_ERR_DATA: there is nothing; the sentence says how to get it. */
JSN_MUST_CHECK jsn_status jsni_init_sum(const char *init, char hex[JSNI_SHA256_HEX]);

typedef enum jsni_init_change {
    JSNI_INIT_SAME,   /* or not known to be others */
    JSNI_INIT_OTHERS, /* other weights than the run began with */
    JSNI_INIT_GONE
} jsni_init_change;

/* What has become of the weights that the run in a folder began with. Of others the sums then
 * and now, where they are not NULL. */
JSN_MUST_CHECK jsn_status jsni_init_compare(const char *folder, const char *init,
                                            jsni_init_change *change,
                                            char then[JSNI_SHA256_HEX],
                                            char now[JSNI_SHA256_HEX]);

/* Says what has become of them, of a run that keeps what it needs. An ensemble of which a
 * member has yet to begin needs those that the others began with.
 *   JSN_ERR_DATA  they are others */
JSN_MUST_CHECK jsn_status jsni_init_tell(const jsn_train_config *config,
                                         const char *folder, const jsn_logger *logger);

#endif /* JSNI_TRAIN_INIT_KEPT_H */
