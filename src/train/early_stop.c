/* train/early_stop.c - see early_stop.h. */
#include "train/early_stop.h"

#include <stdio.h>

#include "train/stages.h"

bool jsni_early_stop_over(const jsn_train_config *config, int64_t epoch, int64_t best)
{
    const bool judged = best > 0 || jsni_stages_two(config);
    const bool stopped = config->early_stop != JSN_OPTION_INT_UNSET && judged &&
                         epoch - best >= config->early_stop;
    return stopped || epoch >= config->epochs;
}

void jsni_early_stop_reason(const jsn_train_config *config, int64_t epochs, char *out,
                            size_t room)
{
    out[0] = '\0';
    if (epochs < config->epochs && config->early_stop != JSN_OPTION_INT_UNSET)
        (void)snprintf(out, room,
                       "after epoch %lld of %lld: no better validation accuracy since "
                       "epoch %lld (--early-stop %lld)",
                       (long long)epochs, (long long)config->epochs,
                       (long long)(epochs - config->early_stop),
                       (long long)config->early_stop);
}
