/* store/run_repeat.h - runs that are the same experiment with the same seed. Only one of
 * them counts where means and deviations over seeds are formed: the same number twice
 * would make a deviation too small. */
#ifndef JSNI_STORE_RUN_REPEAT_H
#define JSNI_STORE_RUN_REPEAT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct jsni_run_identity {
    size_t group;     /* the same for runs that differ in their seed alone */
    const char *seed; /* borrowed; NULL: not known, repeats nothing */
    bool complete;
    double time; /* of its end, or anything else that grows */
} jsni_run_identity;

/* counted[i] becomes the index of the run that counts for run i: i itself, or the one
 * that it repeats. Of the same seed and group the latest complete run counts; without a
 * complete one the latest; of equal times the last in the list. */
void jsni_run_repeats(const jsni_run_identity *runs, size_t count, size_t *counted);

#endif /* JSNI_STORE_RUN_REPEAT_H */
