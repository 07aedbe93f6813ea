/* train/choose_weights.c - see choose_weights.h. */
#include "train/choose_weights.h"

#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/hd.h"
#include "core/progress.h"
#include "core/text.h"
#include "train/init_weights.h"
#include "weights/weight_cache.h"
#include "weights/weight_preset.h"

/* A GPU trains the whole of a large network in the time in which a CPU computes the features
 * of a small one. */
static const jsni_suitable for_cpu[] = {{"efficientnet-lite0", "head"}};
static const jsni_suitable for_gpu[] = {
    {"resnet50", "all"}, {"resnet101", "all"},   {"resnet34", "all"},
    {"resnet18", "all"}, {"mobilenetv2", "all"}, {"efficientnet-lite0", "all"}};

enum { SMALL = 100 }; /* pixels; smaller images are no photographs */

const jsni_suitable *jsni_weights_suitable(bool gpu, size_t index)
{
    if (gpu)
        return index < JSNI_COUNT_OF(for_gpu) ? &for_gpu[index] : NULL;
    return index < JSNI_COUNT_OF(for_cpu) ? &for_cpu[index] : NULL;
}

bool jsni_weights_wanted(const jsn_train_config *c, const jsni_look *seen)
{
    return c->init == NULL && c->network == NULL && c->recipe == NULL &&
           c->image_size == JSN_OPTION_INT_UNSET && c->augment == NULL &&
           c->members <= 1 && seen->side > SMALL;
}

bool jsni_finetune_open(const jsn_train_config *c)
{
    return c->finetune == NULL || strcmp(c->finetune, "auto") == 0;
}

jsn_status jsni_choose_these(jsn_train_config *c, jsni_look *seen,
                             const jsni_suitable *weights)
{
    (void)snprintf(seen->init_network, sizeof seen->init_network, "%s", weights->name);
    seen->init_size = jsni_weight_preset_of(weights->name)->image_size;
    JSNI_TRY(jsn_train_config_set(c, "init", weights->name));
    return jsni_finetune_open(c)
               ? jsn_train_config_set(c, "finetune", weights->finetune)
               : JSN_OK;
}

/* The best that the cache has; NULL: none of them. */
static jsn_status find_suitable(bool gpu, const jsni_suitable **out)
{
    const jsni_suitable *weights = NULL;
    *out = NULL;
    for (size_t i = 0; (weights = jsni_weights_suitable(gpu, i)) != NULL; i++) {
        char *folder = NULL;
        JSNI_TRY(jsni_weights_folder(weights->name, &folder));
        const bool there = folder != NULL;
        jsni_free(folder);
        if (there) {
            *out = weights;
            return JSN_OK;
        }
    }
    return JSN_OK;
}

/* Takes the weights that the run began with, else the best of the cache, if there are any. */
static jsn_status take_suitable(jsn_train_config *c, jsni_look *seen, jsni_begun begun,
                                const jsni_suitable *with, const jsn_logger *logger)
{
    char text[200];
    if (begun == JSNI_BEGUN_NOT)
        JSNI_TRY(find_suitable(seen->gpu, &with));
    if (begun == JSNI_BEGUN_WITHOUT) {
        /* The run needs no cache, so a fault of it is none of the run's. */
        if (find_suitable(seen->gpu, &with) == JSN_OK && with != NULL)
            jsni_say(logger, JSN_LOG_INFO,
                     "init: none, as this run began; the cache has weights (%s) now, "
                     "and a new folder starts with them",
                     with->name);
        return JSN_OK;
    }
    if (with == NULL) {
        jsni_say(logger, JSN_LOG_INFO,
                 "no pretrained weights in the cache; they would give a much better "
                 "model, and 'make weights' or 'jensen weights import' brings them");
        return JSN_OK;
    }
    JSNI_TRY(jsni_choose_these(c, seen, with));
    (void)snprintf(text, sizeof text,
                   "init: %s, finetune: %s (%s; --init none starts without)",
                   with->name, c->finetune,
                   begun == JSNI_BEGUN_WITH ? "as this run began"
                                            : "photographs, and the cache has weights");
    jsni_say(logger, JSN_LOG_INFO, "%s", text);
    return JSN_OK;
}

/* What of the network is trained: weights of the cache bring a body that is worth keeping. */
static jsn_status settle_finetune(jsn_train_config *c, const jsni_look *seen,
                                  const jsn_logger *logger)
{
    char *folder = NULL;
    if (c->init == NULL)
        return c->finetune == NULL ? JSN_OK
                                   : jsni_fail(JSN_ERR_ARGUMENT,
                                               "--finetune needs weights to start from "
                                               "(--init)");
    if (!jsni_finetune_open(c))
        return JSN_OK;
    JSNI_TRY(jsni_weights_folder(c->init, &folder));
    const bool kept = folder != NULL;
    const bool head = kept && !seen->gpu && seen->side > SMALL;
    jsni_free(folder);
    if (!head)
        return c->finetune == NULL && !kept
                   ? JSN_OK
                   : jsn_train_config_set(c, "finetune", "all");
    jsni_say(logger, JSN_LOG_INFO,
             "finetune: head (the classifier learns from the features of the rest, "
             "which takes seconds; --finetune all trains the whole network)");
    return jsn_train_config_set(c, "finetune", "head");
}

jsn_status jsni_choose_weights(jsn_train_config *c, jsni_look *seen, jsni_begun begun,
                               const jsni_suitable *with, const jsn_logger *logger)
{
    const bool none = c->init != NULL && strcmp(c->init, "none") == 0;
    if (none) {
        jsni_free(c->init);
        c->init = NULL;
    }
    if (!none && jsni_weights_wanted(c, seen))
        JSNI_TRY(take_suitable(c, seen, begun, with, logger));
    JSNI_TRY(settle_finetune(c, seen, logger));
    if (c->init == NULL || c->network != NULL || seen->init_network[0] != '\0')
        return JSN_OK;
    const char *note = NULL;
    JSNI_TRY(jsni_init_look(c->init, seen->init_network, sizeof seen->init_network,
                            &seen->init_size, &note));
    if (note != NULL)
        jsni_say(logger, JSN_LOG_INFO, "%s", note);
    return JSN_OK;
}
