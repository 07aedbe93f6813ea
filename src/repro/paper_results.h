/* repro/paper_results.h - every number that the paper's result tables print.
 *
 *     for (jsni_paper_result p = {0}; jsni_paper_next(&p);)
 *         ... p.table, p.mean ...
 */
#ifndef JSNI_REPRO_PAPER_RESULTS_H
#define JSNI_REPRO_PAPER_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct jsni_paper_result {
    size_t number;       /* counts from 1 */
    const char *table;   /* "table1_cifar", "consistency", ... */
    const char *dataset; /* "CIFAR-10", ... */
    char method[48];     /* "GJS", "GCE[noCutout]", ... */
    const char *noise; /* "none", "symmetric", "asymmetric", "instance_type1", "real" */
    double rate;       /* NaN: none is stated */
    const char *metric; /* "test_acc_top1", ... */
    double mean;        /* percent */
    double deviation;   /* percent; NaN: none is printed */
    bool bold;
    size_t at_row, at_column; /* where the walk is */
} jsni_paper_result;

/* The next of them; false behind the last. The first for a zeroed struct. */
bool jsni_paper_next(jsni_paper_result *p);

#endif /* JSNI_REPRO_PAPER_RESULTS_H */
