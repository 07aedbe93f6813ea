/* loss/loss_gjs_clamped.c - what evaluates gjs:clamp=1; see loss/mixture_clamped.h. */
#include "loss/mixture_clamped.h"

JSNI_ROW static inline jsni_real gjs_clamped_row(const jsni_row *row, jsni_grad *grad)
{
    return row->views == 2 ? jsni_mixture_clamped(row, 2, grad)
                           : jsni_mixture_clamped(row, row->views, grad);
}

JSNI_LOSS_DEFINE(gjs_clamped, "gjs:clamp", "gjs with probabilities cut at 1e-7",
                 JSNI_JOINT | JSNI_HIDDEN, NULL, 0, NULL);
