/* train/choose_device.c - see choose_device.h. */
#include "train/choose_device.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/progress.h"
#include "train/stages.h"

/* The average is kept on the host, after each step: a GPU that trains by whole epochs
 * would have to wait for it. */
static jsn_status check_average(const jsn_train_config *c, bool gpu)
{
    if (!isnan(c->ema) && gpu)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "--ema %g works only on the CPU so far (--device cpu)",
                         c->ema);
    return JSN_OK;
}

jsn_status jsni_choose_device(jsn_train_config *c, jsn_device_info *out,
                              const jsn_logger *logger)
{
    const bool open = strcmp(c->device, "auto") == 0;
    JSNI_TRY(jsn_device_describe(c->device, out));
    if (open && out->gpu && (!isnan(c->ema) || jsni_stages_two(c))) {
        JSNI_TRY(jsn_device_describe("cpu", out));
        jsni_say(logger, JSN_LOG_INFO,
                 "the CPU is taken, since %s works only there so far",
                 !isnan(c->ema) ? "--ema" : "fine-tuning in two stages");
    }
    JSNI_TRY(check_average(c, out->gpu));
    /* The number of a GPU stays; the CPU has one device. */
    return !out->gpu || open ? jsn_train_config_set(c, "device", out->backend) : JSN_OK;
}
