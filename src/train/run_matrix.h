/* train/run_matrix.h - the transition matrix of a run whose loss has one (matrix=FILE). The
 * run keeps a copy, so that it goes on without the file, and with no other. */
#ifndef JSNI_TRAIN_RUN_MATRIX_H
#define JSNI_TRAIN_RUN_MATRIX_H

#include "train/run_losses.h"

/* Gives the main loss its matrix: that of the run folder, which the file must equal
 * where it is still there, or of the file. Nothing where the loss has none.
 *   JSN_ERR_ARGUMENT  another matrix than the run began with, a loss-noisy with one
 *   JSN_ERR_DATA      a file that jsn_noise_read_matrix() refuses, or of other classes */
JSN_MUST_CHECK jsn_status jsni_run_matrix_open(jsni_run_losses *losses,
                                               const char *folder, size_t classes);

/* Writes the copy, with the first files of a run. */
JSN_MUST_CHECK jsn_status jsni_run_matrix_keep(const jsni_run_losses *losses,
                                               const char *folder);

#endif /* JSNI_TRAIN_RUN_MATRIX_H */
