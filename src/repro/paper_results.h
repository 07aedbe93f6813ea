/* repro/paper_results.h - every number that the paper's result tables print. */
#ifndef JSNI_REPRO_PAPER_RESULTS_H
#define JSNI_REPRO_PAPER_RESULTS_H

#include <stddef.h>

typedef struct jsni_paper_result {
    const char *table;   /* "table1_cifar", "consistency", ... */
    const char *dataset; /* "CIFAR-10", ... */
    const char *method;  /* "GJS", "GCE[noCutout]", ... */
    const char *noise; /* "none", "symmetric", "asymmetric", "instance_type1", "real" */
    double rate;       /* NaN: none is stated */
    const char *metric; /* "test_acc_top1", ... */
    double mean;        /* percent */
    double deviation;   /* percent; NaN: none is printed */
    int bold;
} jsni_paper_result;

extern const jsni_paper_result jsni_paper_results[];
extern const size_t jsni_paper_result_count;

#endif /* JSNI_REPRO_PAPER_RESULTS_H */
