/* loss/loss_mode.h - how a loss is evaluated beyond what jensen/loss.h says: with which
 * method, by which arithmetic, and of which views. For training, tests and
 * measurements. */
#ifndef JSNI_LOSS_MODE_H
#define JSNI_LOSS_MODE_H

#include <stdbool.h>

#include "jensen/loss.h"

/* As jsn_loss_create(), with a method of JSN_CATALOG_METHODS beside the loss: every
 * evaluation then needs `memory` in its batch. NULL: no method. Also
 *   JSN_ERR_ARGUMENT  the two cannot be combined */
JSN_MUST_CHECK jsn_status jsni_loss_create_method(jsn_loss **out, const char *spec,
                                                  const char *method, size_t classes,
                                                  size_t views);

/* Whether there is such a method with these parameters; statuses of jsn_loss_check(). */
JSN_MUST_CHECK jsn_status jsni_method_check(const char *spec);

/* What the memory of a loss with a method begins with: normal draws of this deviation. */
double jsni_loss_memory_spread(const jsn_loss *loss);

/* With `on`, the loss reads the first view alone: its value is that of view 0, and the
 * gradient of the other views is zero. For a loss that wants one view while the network
 * runs several, as when another loss shares the batch (see `other` below). */
void jsni_loss_first_view_only(jsn_loss *loss, bool on);

/* The arithmetic. float32 logits are evaluated in float by the widest instruction set
 * of the machine; float64 logits, and losses with pi1 outside [0.01, 0.99], whose value
 * would lose digits in float, in double. */
typedef enum jsni_loss_level {
    JSNI_LOSS_AUTO,
    JSNI_LOSS_DOUBLE, /* the definition */
    JSNI_LOSS_PLAIN,  /* float, the compiler's baseline instruction set */
    JSNI_LOSS_AVX2,   /* float, AVX2 and FMA */
    JSNI_LOSS_AVX512  /* float, AVX-512 F, BW, DQ, VL */
} jsni_loss_level;

/* "auto", "double", "plain", "avx2", "avx512". */
const char *jsni_loss_level_name(jsni_loss_level level);

/* Whether this machine and build have the level. */
bool jsni_loss_level_exists(jsni_loss_level level);

/* Fixes the level for float32 logits, for tests and measurements.
 *   JSN_ERR_UNSUPPORTED  this machine or build lacks it */
JSN_MUST_CHECK jsn_status jsni_loss_set_level(jsn_loss *loss, jsni_loss_level level);

/* The level that the latest jsn_loss_eval() ran; JSNI_LOSS_AUTO before the first. */
jsni_loss_level jsni_loss_level_used(const jsn_loss *loss);

#endif /* JSNI_LOSS_MODE_H */
