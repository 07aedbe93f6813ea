/* train/model_card.c - see model_card.h. */
#include "train/model_card.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "jensen/augment.h"
#include "train/init_kept.h"
#include "train/init_weights.h"
#include "weights/weight_preset.h"

/* The transform that evaluates what the run trains. Images of another size than the
 * network's are brought to it, unless the pipeline does so itself. */
static jsn_status find_evaluation(jsni_model_card *card, const jsni_problem *p)
{
    const jsn_dataset *const sets[] = {p->data, p->val_data, p->test_data};
    const size_t size = card->image_size;
    char *found = NULL;
    bool fit = false;
    JSNI_TRY(jsn_augment_evaluation(card->augment, &found));
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        const jsn_dataset_traits *traits =
            sets[i] == NULL ? NULL : jsn_dataset_about(sets[i]);
        fit = fit ||
              (traits != NULL && (traits->width != size || traits->height != size));
    }
    fit = fit && strcmp(found, "none") == 0;
    card->evaluation = jsni_text_copy(fit ? "fit" : found);
    jsn_text_release(found);
    return card->evaluation == NULL ? JSN_ERR_MEMORY : JSN_OK;
}

static void take_normalisation(jsni_model_card *card, const float *mean,
                               const float *deviation)
{
    memcpy(card->mean, mean, sizeof card->mean);
    memcpy(card->deviation, deviation, sizeof card->deviation);
}

/* Of a run that goes on, *there: what its own card says of the weights that it began with. */
static jsn_status take_own(jsni_model_card *card, const char *folder, bool *there)
{
    jsni_model_card own = {0};
    JSNI_TRY(jsni_model_card_find(&own, folder, there));
    if (*there) {
        card->init = own.init;
        card->init_sha256 = own.init_sha256;
        own.init = own.init_sha256 = NULL;
        take_normalisation(card, own.mean, own.deviation);
    }
    jsni_model_card_release(&own);
    return JSN_OK;
}

/* What --init led to when the run began; *own: the normalisation, too. */
static jsn_status find_init(jsni_model_card *card, const jsn_train_config *config,
                            const char *folder, bool *own)
{
    char sum[JSNI_SHA256_HEX];
    bool kept = false;
    *own = false;
    if (config->init == NULL)
        return JSN_OK;
    JSNI_TRY(jsni_init_kept(folder, config, &kept));
    if (kept)
        return take_own(card, folder, own);
    JSNI_TRY(jsni_init_sum(config->init, sum));
    JSNI_TRY_ALLOC(card->init = jsni_text_copy(config->init));
    JSNI_TRY_ALLOC(card->init_sha256 = jsni_text_copy(sum));
    return JSN_OK;
}

/* Mean and deviation of the images: what the weights that are fine-tuned were trained with,
 * as their card says, or their network where they are a file; else those of the data. */
static jsn_status find_normalisation(jsni_model_card *card,
                                     const jsn_train_config *config,
                                     const jsni_problem *p)
{
    const jsn_dataset_traits *traits = jsn_dataset_about(p->data);
    const jsni_weight_preset *preset = jsni_weight_preset_of(config->network);
    const float *mean = traits->mean, *deviation = traits->deviation;
    jsni_model_card init = {0};
    bool there = false;
    if (config->finetune != NULL && config->init != NULL) {
        JSNI_TRY(jsni_init_card(config->init, &init, &there));
        mean = there ? init.mean : preset->mean;
        deviation = there ? init.deviation : preset->deviation;
    }
    take_normalisation(card, mean, deviation);
    jsni_model_card_release(&init);
    return JSN_OK;
}

static jsn_status fill(jsni_model_card *card, const jsn_train_config *config,
                       const jsni_problem *p, const char *folder)
{
    bool own = false;
    card->image_size = (size_t)config->image_size;
    card->members = (size_t)config->members;
    card->seed = (uint64_t)config->seed;
    JSNI_TRY(find_init(card, config, folder, &own));
    if (!own)
        JSNI_TRY(find_normalisation(card, config, p));
    JSNI_TRY_ALLOC(card->network = jsni_text_copy(config->network));
    JSNI_TRY_ALLOC(card->augment = jsni_text_copy(config->augment));
    JSNI_TRY_ALLOC(card->names = jsni_alloc_zero(p->classes, sizeof *card->names));
    card->classes = p->classes;
    for (size_t k = 0; k < p->classes; k++)
        JSNI_TRY_ALLOC(card->names[k] = jsni_text_copy(jsn_dataset_class(p->data, k)));
    return find_evaluation(card, p);
}

jsn_status jsni_model_card_make(jsni_model_card *card, const jsn_train_config *config,
                                const jsni_problem *problem, const char *folder)
{
    *card = (jsni_model_card){0};
    const jsn_status status = fill(card, config, problem, folder);
    if (status != JSN_OK)
        jsni_model_card_release(card);
    return status;
}

jsn_status jsni_model_card_write(const jsni_model_card *card,
                                 const jsni_run_folder *folder)
{
    char *text = NULL;
    JSNI_TRY(jsni_model_card_text(card, &text));
    const jsn_status status = jsni_run_write(folder, JSNI_RUN_CARD, text, strlen(text));
    jsn_text_release(text);
    return status;
}
