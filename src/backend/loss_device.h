/* backend/loss_device.h - a batch of a loss as the output of a plan. */
#ifndef JSNI_BACKEND_LOSS_DEVICE_H
#define JSNI_BACKEND_LOSS_DEVICE_H

#include "backend/backend_impl.h"
#include "jensen/loss.h"

/* Puts logits and labels where the plan's loss finds them. The network of the plan hands
 * its input on. */
JSN_MUST_CHECK jsn_status jsni_loss_place(jsni_plan *plan, const jsn_loss *loss,
                                          const jsn_loss_batch *batch);

/* How long a loss takes on a device. */
typedef struct jsni_loss_times {
    double *seconds; /* [room], the caller's: of a call, the mean of several in a row */
    size_t room;     /* at least 1 */
    size_t count;    /* out: how many were measured */
    double copy;     /* out: seconds of a copy on the device of the logits to where the
                        gradient is, the best of several, in turn with the loss */
    double mean;     /* out: the loss */
} jsni_loss_times;

/* Times value and gradient of a batch that lies on the device, for about `seconds`, by
 * the kernels that a training step there uses. On a CPU device the loss has the threads
 * of jsn_loss_set_threads(), the copy one. The statuses of jsn_loss_eval_on(). */
JSN_MUST_CHECK jsn_status jsni_loss_time_on(const char *device, jsn_loss *loss,
                                            const jsn_loss_batch *batch, double seconds,
                                            jsni_loss_times *out);

#endif /* JSNI_BACKEND_LOSS_DEVICE_H */
