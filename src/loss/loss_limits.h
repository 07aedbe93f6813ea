/* loss/loss_limits.h - sizes that everybody agrees in who evaluates a loss: the library, the
 * kernels of a device and plugins. */
#ifndef JSNI_LOSS_LOSS_LIMITS_H
#define JSNI_LOSS_LOSS_LIMITS_H

#include "jensen/loss.h"

enum { JSNI_LOSS_MAX_PARAMS = 5, JSNI_LOSS_CONSTANTS = 8 + JSN_LOSS_MAX_VIEWS };

#endif /* JSNI_LOSS_LOSS_LIMITS_H */
