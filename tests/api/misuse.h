/* tests/api/misuse.h - the table of wrong calls of the public functions, one file a group of
 * headers (misuse_<group>.c), and the things that a call needs besides its fault.
 *
 * A row is one call. test_api_misuse.c makes each in a process of its own, so that a crash is a
 * row of the report. REFUSED must fail with a sentence, TAKEN may also succeed (NULL for what
 * is optional), GIVES and DOES have no status: they must only come back. check_headers.sh
 * names the public functions without a row. */
#ifndef TESTS_API_MISUSE_H
#define TESTS_API_MISUSE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/json.h"
#include "jensen/jensen.h"

/* The rows are walked like a list: `chosen` is the one to call, -1: only counts. */
typedef struct misuse {
    long chosen, at;
    int report; /* where the text of the chosen call goes, and what is wrong */
    bool failed;
} misuse;

bool misuse_is_next(misuse *m, const char *call);
void misuse_answered(misuse *m, jsn_status status, bool may_succeed);

#define REFUSED(call)                          \
    do {                                       \
        if (misuse_is_next(m, #call))          \
            misuse_answered(m, (call), false); \
    } while (0)
#define TAKEN(call)                           \
    do {                                      \
        if (misuse_is_next(m, #call))         \
            misuse_answered(m, (call), true); \
    } while (0)
#define DOES(call)                    \
    do {                              \
        if (misuse_is_next(m, #call)) \
            call;                     \
    } while (0)
#define GIVES(call)                   \
    do {                              \
        if (misuse_is_next(m, #call)) \
            (void)(call);             \
    } while (0)

void misuse_values(misuse *m);
void misuse_learning(misuse *m);
void misuse_data(misuse *m);
void misuse_runs(misuse *m);

/* Things in good order, made when first asked for. */
const jsn_array *thing_array(void);
const jsn_image *thing_image(void);
const jsn_augment *thing_augment(void);
jsn_augment_scratch *thing_scratch(void);
jsn_loss *thing_loss(void);                  /* "ce" of two classes */
const jsn_loss_batch *thing_batch(void);     /* of two samples */
const jsn_theory_bounds *thing_bounds(void); /* of two classes */
const jsn_noise *thing_noise(void);
const jsn_noise_input *thing_noise_input(void);
const jsn_noise_result *thing_noisy(void);
const jsn_dataset *thing_dataset(void);
const jsn_network *thing_network(void);
const jsn_model_options *thing_building(void);
jsn_model *thing_model(void);
const jsn_model_batch *thing_model_batch(void);
const jsn_model_step *thing_step(void);
jsn_classifier *thing_classifier(void);
jsn_train_config *thing_config(void); /* nothing set */
const jsn_recipe *thing_recipe(void);
jsn_sweep_plan *thing_plan(void);
jsn_sweep *thing_sweep(void); /* with one trial */
const jsn_sweep_trial *thing_trial(void);
/* A new path in the test's folder, where there is nothing. */
const char *place(void);

#endif /* TESTS_API_MISUSE_H */
