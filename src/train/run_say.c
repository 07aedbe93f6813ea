/* train/run_say.c - a run in sentences, for its log and the caller's: hears its events; see
 * run.h. The sentences are for people. Nothing reads them. */
#include <math.h>
#include <stdio.h>

#include "core/fail.h"
#include "core/text.h"
#include "core/words.h"
#include "train/run.h"

static void say(jsni_run *run, const char *text)
{
    run->logger.message(run, JSN_LOG_INFO, text);
}

static void say_opened(jsni_run *run, const jsn_opened *o)
{
    char text[96];
    if (o->epoch == 0 && o->step == 0)
        return;
    if (o->step == 0)
        (void)snprintf(text, sizeof text, "continuing after epoch %lld",
                       (long long)o->epoch);
    else
        (void)snprintf(text, sizeof text, "continuing in epoch %lld, batch %llu",
                       (long long)o->epoch + 1, (unsigned long long)o->step);
    say(run, text);
}

static void show_step(jsni_run *run, const jsn_step *s)
{
    char loss[32], accuracy[32], rate[32];
    (void)jsni_format(loss, sizeof loss, "loss %.4f", s->loss);
    (void)jsni_format(accuracy, sizeof accuracy, "acc %.1f%%", 100.0 * s->train_acc);
    (void)jsni_format(rate, sizeof rate, "%.*f images/s",
                      s->images_per_second < 10.0 ? 1 : 0, s->images_per_second);
    const char *const parts[] = {loss, accuracy, rate};
    const jsn_progress p = {.size = sizeof p,
                            .what = "",
                            .done = s->step,
                            .total = s->steps,
                            .left = NAN,
                            .parts = parts,
                            .part_count = isnan(s->images_per_second) ? 2 : 3};
    run->logger.progress(run, &p);
}

void jsn_epoch_text(const jsn_epoch *e, char *out, size_t room)
{
    if (out == NULL || room == 0)
        return;
    jsni_text text = jsni_text_in(out, room);
    if (e == NULL)
        return;
    jsni_text_format(&text, "epoch %lld/%lld: loss %.4f, train %.2f%%",
                     (long long)e->epoch, (long long)e->epochs, e->loss,
                     100.0 * e->train_acc_all[0]);
    const struct {
        const char *name;
        double value;
    } parts[] = {
        {"val", e->val_acc}, {"test", e->test_acc}, {"consistency", e->consistency}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (!isnan(parts[i].value))
            jsni_text_format(&text, ", %s %.2f%%", parts[i].name,
                             100.0 * parts[i].value);
    if (!isnan(e->images_per_second))
        jsni_text_format(&text, ", %.*f images/s", e->images_per_second < 10.0 ? 1 : 0,
                         e->images_per_second);
}

jsn_status jsni_run_say_hear(void *user, const jsn_event *event)
{
    char text[256];
    switch (event->kind) {
    case JSN_EVENT_OPENED:
        say_opened(user, event->opened);
        break;
    case JSN_EVENT_STEP:
        show_step(user, event->step);
        break;
    case JSN_EVENT_EPOCH:
        jsn_epoch_text(event->epoch, text, sizeof text);
        say(user, text);
        break;
    default:
        break;
    }
    return JSN_OK;
}

/* Images that could not be read, of all loaders. */
static jsn_status say_bad(jsni_run *run)
{
    char text[700];
    const jsni_loader *loaders[] = {run->feed.train, run->feed.passes[JSNI_PASS_VAL],
                                    run->feed.passes[JSNI_PASS_TEST]};
    const char *reason = NULL;
    size_t bad = 0;
    for (size_t l = 0; l < sizeof loaders / sizeof loaders[0]; l++) {
        const size_t count = loaders[l] == NULL ? 0 : jsni_loader_bad_count(loaders[l]);
        uint32_t position = 0;
        if (count > 0 && reason == NULL)
            jsni_loader_bad(loaders[l], 0, &position, &reason);
        bad += count;
    }
    if (bad == 0)
        return JSN_OK;
    (void)snprintf(
        text, sizeof text, "%zu %s cannot be read and %s left out, such as %s", bad,
        jsni_noun(bad, "image", "images"), jsni_noun(bad, "is", "are"), reason);
    run->logger.message(run, JSN_LOG_WARNING, text);
    return jsni_bad_images_check_classes(run);
}

jsn_status jsni_run_say_first(jsni_run *run)
{
    char text[64];
    JSNI_TRY(say_bad(run));
    const double left = jsni_run_seconds_left(run);
    if (!(left >= 60.0))
        return JSN_OK;
    if (left < 5400.0)
        (void)snprintf(text, sizeof text, "about %.0f minutes to go", left / 60.0);
    else
        (void)jsni_format(text, sizeof text, "about %.1f hours to go", left / 3600.0);
    say(run, text);
    return JSN_OK;
}
