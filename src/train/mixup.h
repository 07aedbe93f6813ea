/* train/mixup.h - mixup (--mixup ALPHA): the images of a batch and their targets are mixed
 * in pairs, after Zhang et al., "mixup: Beyond Empirical Risk Minimization", ICLR 2018.
 *
 *     x_i' = s x_i + (1-s) x_j,   t_i' = s t_i + (1-s) t_j,   j = partner[i]
 *
 * s, of the distribution Beta(ALPHA, ALPHA), and the partners, a permutation of the batch,
 * are drawn from a stream named by seed, epoch and number of the batch. All views of a
 * sample are mixed alike, each with the same view of its partner. */
#ifndef JSNI_TRAIN_MIXUP_H
#define JSNI_TRAIN_MIXUP_H

#include <stddef.h>
#include <stdint.h>

#include "jensen/train.h"

/* Whether a run mixes at all. */
bool jsni_mixup_on(const jsn_train_config *config);

/* Options, all of them chosen, that it cannot work with: JSN_ERR_ARGUMENT. */
JSN_MUST_CHECK jsn_status jsni_mixup_check(const jsn_train_config *config);

/* The share s and the partners [samples] of a batch. */
float jsni_mixup_draw(double alpha, uint64_t seed, uint32_t epoch, size_t batch,
                      size_t samples, uint32_t *partner);

/* Mixes `samples` rows of `floats` in place; `room` holds one row. */
void jsni_mixup_rows(float *rows, size_t floats, size_t samples, float share,
                     const uint32_t *partner, float *room);

/* The partners as a walk along the cycles of their permutation, [samples], as
 * jsni_resident_member has it. */
void jsni_mixup_walk(const uint32_t *partner, size_t samples, uint32_t *walk);

#endif /* JSNI_TRAIN_MIXUP_H */
