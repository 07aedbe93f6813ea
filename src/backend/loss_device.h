/* backend/loss_device.h - a batch of a loss as the output of a plan. */
#ifndef JSNI_BACKEND_LOSS_DEVICE_H
#define JSNI_BACKEND_LOSS_DEVICE_H

#include "backend/backend_impl.h"
#include "jensen/loss.h"

/* Puts logits and labels where the plan's loss finds them. The network of the plan hands
 * its input on. */
JSN_MUST_CHECK jsn_status jsni_loss_place(jsni_plan *plan, const jsn_loss *loss,
                                          const jsn_loss_batch *batch);

#endif /* JSNI_BACKEND_LOSS_DEVICE_H */
