/* report/run_set.h - several runs side by side: read, named by what tells them apart,
 * and grouped where nothing but the seed does. Of several runs with the same settings
 * and seed one counts in its group; all are shown. */
#ifndef JSNI_REPORT_RUN_SET_H
#define JSNI_REPORT_RUN_SET_H

#include "report/best.h"
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

/* On failure nothing is held. The second takes the records over, also on failure: runs
 * that are known from elsewhere than their folders. */
JSN_MUST_CHECK jsn_status jsni_run_set_read(jsni_run_set *set, const char *const *runs,
                                            size_t count);
JSN_MUST_CHECK jsn_status jsni_run_set_make(jsni_run_set *set, jsni_run_record *runs,
                                            size_t count);
void jsni_run_set_release(jsni_run_set *set);

/* Whether any two runs differ in a setting; what says how a run was carried out makes no
 * difference. */
int jsni_run_set_differs(const jsni_run_set *set, const char *setting);

/* Rivals (report/best.h) among the groups of a set, which is `user`. The first: they were
 * tested on the same images after the same noise was made, whatever labels somebody has
 * put right in between. The second: their training images had the same labels, too. */
bool jsni_run_set_same_problem(const void *set, size_t g, size_t h);
bool jsni_run_set_same_labels(const void *set, size_t g, size_t h);

/* Fills groups [set->groups] with result `key` times `scale` of the runs that count;
 * `values` has room for one a run. */
void jsni_run_set_contend(const jsni_run_set *set, const char *key, double scale,
                          jsni_contender *groups, double *values);

/* Whether a run has no part in the means of its group: it is unfinished, and others of
 * the group have ended. */
bool jsni_run_set_left_out(const jsni_run_set *set, size_t run);

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

/* The first run of a group. */
const jsni_run_record *jsni_run_set_first(const jsni_run_set *set, size_t group);

#endif /* JSNI_REPORT_RUN_SET_H */
