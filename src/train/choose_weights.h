/* train/choose_weights.h - which weights a run starts from, and what of them is trained. */
#ifndef JSNI_TRAIN_CHOOSE_WEIGHTS_H
#define JSNI_TRAIN_CHOOSE_WEIGHTS_H

#include "train/choose_look.h"

/* Weights that photographs start from: the name that imports give them, which is that of
 * their network, and what of it is trained. */
typedef struct jsni_suitable {
    const char *name, *finetune;
} jsni_suitable;

/* Those for a GPU or a CPU, the best ones first; NULL behind the last. */
const jsni_suitable *jsni_weights_suitable(bool gpu, size_t index);

/* How this command began a run before. */
typedef enum jsni_begun {
    JSNI_BEGUN_NOT,
    JSNI_BEGUN_WITH,   /* certain weights */
    JSNI_BEGUN_WITHOUT /* any */
} jsni_begun;

/* Whether the choice is open, and the images are photographs. */
bool jsni_weights_wanted(const jsn_train_config *config, const jsni_look *seen);

/* Whether --finetune is left to the program. */
bool jsni_finetune_open(const jsn_train_config *config);

/* Chooses these weights, which the cache need not have. */
JSN_MUST_CHECK jsn_status jsni_choose_these(jsn_train_config *config, jsni_look *seen,
                                            const jsni_suitable *weights);

/* Settles --init and --finetune. "none" becomes no weights. What is left open is decided for
 * photographs: the best suitable weights of the cache are taken, or those that the run was
 * begun `with`, and said; without any it is said how to get them. Fills what `seen` has of
 * the weights.
 *   JSN_ERR_ARGUMENT  --finetune without weights
 *   JSN_ERR_DATA      --init names none */
JSN_MUST_CHECK jsn_status jsni_choose_weights(jsn_train_config *config, jsni_look *seen,
                                              jsni_begun begun,
                                              const jsni_suitable *with,
                                              const jsn_logger *logger);

#endif /* JSNI_TRAIN_CHOOSE_WEIGHTS_H */
