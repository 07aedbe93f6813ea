/* loss/loss_js_clamped.c - what evaluates js:clamp=1; see loss/mixture_clamped.h. */
#include "loss/mixture_clamped.h"

JSNI_ROW static inline jsni_real js_clamped_row(const jsni_row *row, jsni_grad *grad)
{
    return jsni_mixture_clamped(row, 1, grad);
}

JSNI_LOSS_DEFINE(js_clamped, "js:clamp", "js with probabilities cut at 1e-7",
                 JSNI_ONE_VIEW | JSNI_HIDDEN, NULL, 0, NULL);
