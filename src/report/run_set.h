/* report/run_set.h - several runs side by side: read, named by what tells them apart,
 * and grouped where nothing but the seed does. Of several runs with the same settings
 * and seed one counts in its group; all are shown. */
#ifndef JSNI_REPORT_RUN_SET_H
#define JSNI_REPORT_RUN_SET_H

#include "store/run_record.h"

typedef struct jsni_run_set {
    jsni_run_record *runs; /* [count], owned */
    char **labels;         /* [count], owned: what tells the run's group from others */
    size_t *group;         /* [count], owned: number of the run's group, from 0 */
    size_t *counted;       /* [count], owned: the run itself, or the one it repeats */
    char **data;           /* [count], owned: the data as the run names it */
    char *repeats;         /* owned: names the runs that repeat others, NULL: none */
    size_t count, groups;
} jsni_run_set;

/* On failure nothing is held. */
JSN_MUST_CHECK jsn_status jsni_run_set_read(jsni_run_set *set, const char *const *runs,
                                            size_t count);
void jsni_run_set_release(jsni_run_set *set);

/* Whether any two runs differ in a setting; what says how a run was carried out makes no
 * difference. */
int jsni_run_set_differs(const jsni_run_set *set, const char *setting);

/* Whether two runs were tested on the same images with the same true classes, as far as
 * they tell. What they trained on may differ. */
bool jsni_run_set_same_test(const jsni_run_set *set, size_t i, size_t j);

/* "epoch 12 of 30, unfinished"; "" for a finished run. Returns whether it is unfinished. */
bool jsni_run_unfinished(const jsni_run_record *run, char *out, size_t room);

/* Whether run `i` counts in its group, alone of those with its settings and seed. */
static inline bool jsni_run_set_counts(const jsni_run_set *set, size_t i)
{
    return set->counted[i] == i;
}

/* How many runs that count are unfinished: of a group, or of all with group >=
 * set->groups. */
size_t jsni_run_set_unfinished(const jsni_run_set *set, size_t group);

/* The first run of a group, and its number. */
const jsni_run_record *jsni_run_set_first(const jsni_run_set *set, size_t group);
size_t jsni_run_set_first_number(const jsni_run_set *set, size_t group);

#endif /* JSNI_REPORT_RUN_SET_H */
