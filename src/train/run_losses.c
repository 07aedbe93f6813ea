/* train/run_losses.c - see run_losses.h. */
#include "train/run_losses.h"

#include "core/fail.h"
#include "loss/loss_mode.h"

jsn_status jsni_run_losses_open(jsni_run_losses *l, const jsn_train_config *c,
                                size_t classes)
{
    const size_t views = (size_t)c->views;
    size_t wants = 0;
    JSNI_TRY(jsni_loss_create_method(&l->main, c->loss, c->method, classes, views));
    if (c->loss_noisy == NULL)
        return JSN_OK;
    JSNI_TRY(jsn_loss_create(&l->noisy, c->loss_noisy, classes, views));
    /* In a mixed batch all views are forwarded; a one-view loss reads the first. */
    JSNI_TRY(jsn_loss_check(c->loss, &wants));
    jsni_loss_first_view_only(l->main, wants == 1);
    JSNI_TRY(jsn_loss_check(c->loss_noisy, &wants));
    jsni_loss_first_view_only(l->noisy, wants == 1);
    return JSN_OK;
}

void jsni_run_losses_release(jsni_run_losses *l)
{
    jsn_array_release(&l->matrix);
    jsn_loss_destroy(l->noisy);
    jsn_loss_destroy(l->main);
    *l = (jsni_run_losses){0};
}
