/* store/record_card.h - model.json as a struct, the model card: what one must know to use
 * the weights of a run. */
#ifndef JSNI_STORE_RECORD_CARD_H
#define JSNI_STORE_RECORD_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jensen/status.h"

typedef struct jsni_model_card {
    char *network, *augment, *evaluation; /* owned: specs */
    /* Of a run that began with weights: what --init named, and their SHA-256. Owned; NULL: none,
     * or not known. */
    char *init, *init_sha256;
    size_t classes, image_size, members;
    char **names; /* [classes], owned */
    float mean[3], deviation[3];
    uint64_t seed;
} jsni_model_card;

/* *found: the file is there; *card is filled only then. */
JSN_MUST_CHECK jsn_status jsni_model_card_find(jsni_model_card *card,
                                               const char *folder, bool *found);
/* JSN_ERR_DATA also when `folder` is no run folder. */
JSN_MUST_CHECK jsn_status jsni_model_card_read(jsni_model_card *card,
                                               const char *folder);
/* The card as JSON; jsn_text_release() it. */
JSN_MUST_CHECK jsn_status jsni_model_card_text(const jsni_model_card *card, char **out);
void jsni_model_card_release(jsni_model_card *card); /* and zeroes it */

#endif /* JSNI_STORE_RECORD_CARD_H */
