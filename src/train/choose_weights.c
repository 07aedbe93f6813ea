/* train/choose_weights.c - see choose_weights.h. */
#include "train/choose_weights.h"

#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/text.h"
#include "train/init_weights.h"
#include "weights/weight_cache.h"
#include "weights/weight_preset.h"

/* Weights that suit photographs, by the names that imports give them. */
const char jsni_weights_suitable[] = "efficientnet-lite0";

enum { SMALL = 100 }; /* pixels; smaller images are no photographs */

static void say(const jsn_logger *logger, const char *text)
{
    if (logger != NULL && logger->message != NULL)
        logger->message(logger->user, JSN_LOG_INFO, text);
}

bool jsni_weights_wanted(const jsn_train_config *c, const jsni_look *seen)
{
    return c->init == NULL && c->network == NULL && c->recipe == NULL &&
           c->finetune == NULL && c->image_size == JSN_OPTION_INT_UNSET &&
           c->augment == NULL && c->members <= 1 && seen->side > SMALL && !seen->gpu;
}

jsn_status jsni_choose_these(jsn_train_config *c, jsni_look *seen, const char *weights)
{
    (void)snprintf(seen->init_network, sizeof seen->init_network, "%s", weights);
    seen->init_size = jsni_weight_preset_of(weights)->image_size;
    JSNI_TRY(jsn_train_config_set(c, "init", weights));
    return jsn_train_config_set(c, "finetune", "head");
}

/* Takes the weights of the cache that suit, if there are some. */
static jsn_status take_suitable(jsn_train_config *c, jsni_look *seen, jsni_begun begun,
                                const jsn_logger *logger)
{
    char *folder = NULL, text[200];
    if (begun == JSNI_BEGUN_WITHOUT)
        return JSN_OK;
    JSNI_TRY(jsni_weights_folder(jsni_weights_suitable, &folder));
    const bool there = folder != NULL;
    jsni_free(folder);
    if (!there && begun == JSNI_BEGUN_NOT) {
        say(logger,
            "no pretrained weights in the cache, which would give a much better "
            "model: 'make weights' or 'jensen weights import' brings them");
        return JSN_OK;
    }
    (void)snprintf(text, sizeof text,
                   "init: %s, finetune: head (%s; --init none starts without)",
                   jsni_weights_suitable,
                   begun == JSNI_BEGUN_WITH ? "as this run began"
                                            : "photographs, and the cache has weights");
    say(logger, text);
    return jsni_choose_these(c, seen, jsni_weights_suitable);
}

/* What of the network is trained: weights of the cache bring a body that is worth keeping. */
static jsn_status settle_finetune(jsn_train_config *c, const jsni_look *seen,
                                  const jsn_logger *logger)
{
    char *folder = NULL;
    const bool open = c->finetune == NULL || strcmp(c->finetune, "auto") == 0;
    if (c->init == NULL)
        return c->finetune == NULL ? JSN_OK
                                   : jsni_fail(JSN_ERR_ARGUMENT,
                                               "--finetune needs weights to start from "
                                               "(--init)");
    if (!open)
        return JSN_OK;
    JSNI_TRY(jsni_weights_folder(c->init, &folder));
    const bool kept = folder != NULL;
    const bool head = kept && !seen->gpu && seen->side > SMALL;
    jsni_free(folder);
    if (!head)
        return c->finetune == NULL && !kept
                   ? JSN_OK
                   : jsn_train_config_set(c, "finetune", "all");
    say(logger, "finetune: head (the classifier learns from the features of the rest, "
                "which takes seconds; --finetune all trains the whole network)");
    return jsn_train_config_set(c, "finetune", "head");
}

jsn_status jsni_choose_weights(jsn_train_config *c, jsni_look *seen, jsni_begun begun,
                               const jsn_logger *logger)
{
    const bool none = c->init != NULL && strcmp(c->init, "none") == 0;
    if (none) {
        jsni_free(c->init);
        c->init = NULL;
    }
    if (!none && jsni_weights_wanted(c, seen))
        JSNI_TRY(take_suitable(c, seen, begun, logger));
    JSNI_TRY(settle_finetune(c, seen, logger));
    if (c->init == NULL || c->network != NULL || seen->init_network[0] != '\0')
        return JSN_OK;
    return jsni_init_look(c->init, seen->init_network, sizeof seen->init_network,
                          &seen->init_size);
}
