/* train/run_losses.h - the losses that a run minimises. */
#ifndef JSNI_TRAIN_RUN_LOSSES_H
#define JSNI_TRAIN_RUN_LOSSES_H

#include "jensen/array.h"
#include "jensen/loss.h"
#include "jensen/train.h"

typedef struct jsni_run_losses {
    jsn_loss *main; /* owned */
    jsn_loss
        *noisy; /* owned: of samples whose label is known to be wrong; NULL: main */
    jsn_array matrix; /* of main, empty: none; run_matrix.h */
} jsni_run_losses;    /* zero-initialise */

/* Of a complete configuration. What was made is released also after a failure.
 *   JSN_ERR_ARGUMENT  the device cannot do one of them */
JSN_MUST_CHECK jsn_status jsni_run_losses_open(jsni_run_losses *losses,
                                               const jsn_train_config *config,
                                               size_t classes);
void jsni_run_losses_release(jsni_run_losses *losses);

#endif /* JSNI_TRAIN_RUN_LOSSES_H */
