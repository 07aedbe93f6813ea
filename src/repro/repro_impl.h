/* repro/repro_impl.h - a table or figure of the paper as cells: which runs fill each, and
 * what the paper prints there. */
#ifndef JSNI_REPRO_REPRO_IMPL_H
#define JSNI_REPRO_REPRO_IMPL_H

#include <stdbool.h>
#include <stddef.h>

#include "core/text.h"
#include "jensen/repro.h"
#include "report/table.h"
#include "study/grid_figure.h"

/* A number that a run gives. */
typedef struct jsni_repro_measure {
    const char *column; /* its column; NULL: the result's */
    const char *metric; /* field of a run's result: "test_acc" */
    int guesses;        /* classes that count as right; 0: there is no chance level */
    const char *test; /* another test set than the runs', by its title; NULL: theirs */
} jsni_repro_measure;

enum { JSNI_REPRO_MEASURES = 4 };

/* What `jensen repro` knows by name. Labels are templates: "{method}", "{noise}",
 * "{rate}", ... stand for fields of the recipe, "{epochs}" and the like for its options. */
typedef struct jsni_repro_info {
    const char *name, *title; /* "table1" */
    const char *recipes;      /* result of its recipes; NULL: its own */
    /* Nothing to run: writes a table, or is an analytic plot of this spec. */
    void (*define)(jsni_table *out);
    const char *plot;
    /* Its figure. */
    const char *bars;              /* over noises: what they show; NULL: none */
    const jsni_grid_panel *curves; /* over the epochs, the last without y; or NULL */
    const char *lines;             /* against M: what they show; NULL: none */
    const char *dataset;           /* when none is asked for */
    size_t paper_runs; /* n behind the paper's deviations; 0: it prints no numbers */
    const char *note;  /* NULL, or what a reader must know */
    jsni_repro_measure
        measures[JSNI_REPRO_MEASURES]; /* the first unused without metric */
    struct {
        const char *row, *group, *column;
    } label;              /* templates; NULL: "" */
    const char *compares; /* option beside loss, noise and views that tells rows or
                                columns apart; NULL: none */
    bool any_cifar;       /* an ablation: any CIFAR data set will do */
    bool unranked;        /* its rows do not compete: none is bold */
} jsni_repro_info;

bool jsni_repro_has_runs(const jsni_repro_info *info);

/* The result whose recipes a result has. */
const char *jsni_repro_recipes(const jsni_repro_info *info);

/* JSN_ERR_UNKNOWN_NAME with the names there are. */
JSN_MUST_CHECK jsn_status jsni_repro_find(const char *name,
                                          const jsni_repro_info **out);

/* Whether the result can be had in `format` (NULL: in any). JSN_ERR_ARGUMENT lists those
 * there are. */
JSN_MUST_CHECK jsn_status jsni_repro_check_format(const jsni_repro_info *info,
                                                  const char *format);

/* A data set of the paper. */
typedef struct jsni_repro_dataset {
    const char *name, *title; /* "cifar10", "CIFAR-10" */
    size_t images, classes;   /* of training and test together */
} jsni_repro_dataset;

/* In the paper's order. */
enum { JSNI_REPRO_DATASETS = 5 };
extern const jsni_repro_dataset jsni_repro_datasets[JSNI_REPRO_DATASETS];

/* By the first `length` bytes of `name`; NULL: the paper has none of that name. */
const jsni_repro_dataset *jsni_repro_dataset_find(const char *name, size_t length);

/* The data set whose runs and printed numbers a result is about: what is asked for, else
 * what the kind of the data says ("cifar100:PATH"), else the paper's. `asked` and `data`
 * may be NULL. JSN_ERR_ARGUMENT: the two contradict each other. */
JSN_MUST_CHECK jsn_status jsni_repro_choose_dataset(const jsni_repro_info *info,
                                                    const char *asked, const char *data,
                                                    const char **out);

typedef struct jsni_repro_cells {
    const jsni_repro_info *info;
    const jsni_repro_dataset *data;
    jsni_grid grid;
} jsni_repro_cells; /* zero-initialise */

/* The cells of a result on a data set, in the paper's order. JSN_ERR_ARGUMENT: the paper
 * has no such runs. */
JSN_MUST_CHECK jsn_status jsni_repro_cells_make(jsni_repro_cells *out, const char *name,
                                                const char *dataset);
void jsni_repro_cells_release(jsni_repro_cells *cells);
/* Those on the data set that settings and data say, with the rows that are asked for. */
JSN_MUST_CHECK jsn_status jsni_repro_cells_for(jsni_repro_cells *out,
                                               const jsn_repro_settings *settings,
                                               const jsn_train_config *overrides);
/* Takes out the cells of another test set if none of them has a value. */
void jsni_repro_drop_unmeasured(jsni_repro_cells *cells);
/* Adds a row for each loss of a list, "gce:q=0.7,10*nce+0.1*rce", with the recipes of CE.
 * JSN_ERR_ARGUMENT: the result has no rows of losses; and what jsn_loss_check() says. */
JSN_MUST_CHECK jsn_status jsni_repro_cells_add(jsni_repro_cells *cells,
                                               const char *list);
/* Whether the noise of the runs comes from posteriors that somebody has to name. */
bool jsni_repro_needs_posteriors(const jsni_repro_cells *cells,
                                 const jsn_train_config *overrides);

/* Adds what a reader has to know of the runs. "The paper's scale" is said only where
 * images, classes, initial weights, epochs and the number of runs are the paper's, and no
 * other option is given. */
JSN_MUST_CHECK jsn_status jsni_repro_caption(const jsni_repro_cells *cells,
                                             const jsn_sweep_trial *trials,
                                             size_t count,
                                             const jsn_train_config *overrides,
                                             const char *noise_from, jsni_text *out);

/* Refuses options that would make what a result compares the same: a row of CE trained
 * with another loss. JSN_ERR_ARGUMENT */
JSN_MUST_CHECK jsn_status jsni_repro_check_overrides(const jsni_repro_cells *cells,
                                                     const jsn_train_config *overrides);
enum { JSNI_REPRO_PREFIX = 48 };
/* What the names of its studies begin with: "repro-table1-cifar10-". */
void jsni_repro_prefix(const jsni_repro_cells *cells, char out[JSNI_REPRO_PREFIX]);

/* A result on the other data sets that the paper has it on, in the paper's order. */
typedef struct jsni_repro_others {
    jsni_repro_cells items[JSNI_REPRO_DATASETS];
    size_t count;
    size_t before;   /* so many of them stand before the result's own data set */
    jsni_text note;  /* which studies they are; empty without any */
} jsni_repro_others; /* zero-initialise */

/* From the studies in the store of `sweep` whose options are `overrides` apart from the
 * data. Results that are not bars have no others. */
JSN_MUST_CHECK jsn_status jsni_repro_others_find(jsni_repro_others *out,
                                                 const jsn_sweep *sweep,
                                                 const jsni_repro_cells *cells,
                                                 const jsn_train_config *overrides);
void jsni_repro_others_release(jsni_repro_others *others);

/* What the paper prints in the table besides the cells: other people's methods, other
 * test sets. A sentence, or nothing. */
void jsni_repro_quoted(const jsni_repro_cells *cells, jsni_text *out);
/* Table 7, what the search found, and Table 11, the losses of the dissection. */
void jsni_repro_define_parameters(jsni_table *out);
void jsni_repro_define_divergences(jsni_table *out);

/* The figure of a result as SVG; nothing when there is none. Bars have a panel for each
 * of `others` as well, which may be NULL. */
JSN_MUST_CHECK jsn_status jsni_repro_figure(const jsni_repro_cells *cells,
                                            const jsni_repro_others *others,
                                            const jsn_sweep_trial *trials, size_t count,
                                            const char *caption, jsni_text *out);

#endif /* JSNI_REPRO_REPRO_IMPL_H */
