/* jensen/repro.h - the paper's tables and figures by name: the runs they need, as a
 * study, and the result beside the printed one.
 *
 *     jsn_repro_settings settings = {.name = "table1", .dataset = "cifar10", .seeds = 2};
 *     jsn_sweep *sweep = NULL;
 *     jsn_repro_prepare(&sweep, JSN_SWEEP_STORE, &settings, &overrides);
 *     jsn_sweep_work(sweep, ...);                      // runs what is missing
 *     jsn_repro_render(sweep, &settings, "markdown", &text);
 *
 * `overrides` are training options that all runs share: the data at least; fewer epochs,
 * a subset or a smaller network scale the experiment down, and the result says so.
 */
#ifndef JENSEN_REPRO_H
#define JENSEN_REPRO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jensen/log.h"
#include "jensen/status.h"
#include "jensen/sweep.h"
#include "jensen/train.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What exists; the records are static. */
typedef struct jsn_repro_entry {
    const char *name;  /* "table1", "fig4" */
    const char *title; /* one line */
    bool runs;         /* needs training runs */
} jsn_repro_entry;

/* The table or figure at `index`; false behind the last. */
JSN_API bool jsn_repro_at(size_t index, jsn_repro_entry *out);
/* The one called `name`, which jsn_repro_render() must have in `format` (NULL: in any): to
 * ask before hours of runs.
 *   JSN_ERR_UNKNOWN_NAME  lists the names, JSN_ERR_ARGUMENT the formats that there are */
JSN_API JSN_MUST_CHECK jsn_status jsn_repro_lookup(const char *name, const char *format,
                                                   jsn_repro_entry *out);

typedef struct jsn_repro_settings {
    const char *name;
    const char
        *dataset;  /* NULL: that of the data ("cifar100:PATH"), else the paper's */
    int64_t seeds; /* runs of each cell, with the seeds 1, 2, ...; 0: what there is */
    const char *only; /* run only recipes with one of these words in their name, comma-
                            separated; NULL: all */
    const char
        *noise_from; /* of instance-dependent noise: "from=RUN", "posteriors=FILE",
                               "file:LABELS" or NULL */
    const char *also_test; /* data of the result's other test set; NULL: none */
    const char *add_loss;  /* rows beside the paper's, "gce:q=0.7,10*nce+0.1*rce", each
                            * with the recipe of CE; NULL: none */
} jsn_repro_settings;

/* Opens the study of a result, making it and adding what trials it lacks. Its name comes
 * from the result, the data set and the overrides, so the same request finds it again.
 * With 0 seeds it is opened to be read, nothing is written, and *out is NULL where there
 * is no such study.
 *   JSN_ERR_UNKNOWN_NAME  no such result
 *   JSN_ERR_ARGUMENT      the result has no runs on that data set, the data is of another
 *                         one, or noise_from is needed
 *   and the statuses of jsn_sweep_create() */
JSN_API JSN_MUST_CHECK jsn_status jsn_repro_prepare(jsn_sweep **out, const char *url,
                                                    const jsn_repro_settings *settings,
                                                    const jsn_train_config *overrides);

/* Evaluates the finished runs of a result on its other test set, `settings->also_test`,
 * as far as it has not been done; the study keeps the numbers. `device` and `threads` as
 * in jsn_classifier_open(); `logger` may be NULL.
 *   JSN_ERR_ARGUMENT  the result has no other test set
 *   and the statuses of jsni_classifier_evaluate() */
JSN_API JSN_MUST_CHECK jsn_status jsn_repro_evaluate(jsn_sweep *sweep,
                                                     const jsn_repro_settings *settings,
                                                     const char *device, size_t threads,
                                                     const jsn_logger *logger);

/* The result as "markdown", "csv", "latex" or "html" (a whole page with its figure);
 * analytic figures, which need no runs, as "svg". NULL: the first that it has. Our
 * means, deviations and numbers of runs, the paper's, differences, Welch's intervals;
 * bold by the two-sided t-test at 0.05 against the best; cells near chance are marked and
 * not ranked. `sweep` is NULL for results without runs,
 * and where none has been started. *out: jsn_text_release().
 *   JSN_ERR_ARGUMENT  the result has no such format */
JSN_API JSN_MUST_CHECK jsn_status jsn_repro_render(jsn_sweep *sweep,
                                                   const jsn_repro_settings *settings,
                                                   const jsn_train_config *overrides,
                                                   const char *format, char **out);

/* Everything into a folder: STEM.md, STEM.csv, STEM.tex, STEM.html, STEM.svg where there
 * is a figure, and STEM.study.html. STEM is the result's name, with the data set behind it
 * where there can be several ("table1-cifar10", but "table2"). A figure of bars has a panel for each data set of the
 * result whose study with the same options is in the store. */
JSN_API JSN_MUST_CHECK jsn_status jsn_repro_write(jsn_sweep *sweep,
                                                  const jsn_repro_settings *settings,
                                                  const jsn_train_config *overrides,
                                                  const char *folder);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_REPRO_H */
