/* repro/repro_impl.h - a table or figure of the paper as cells: which runs fill each, and
 * what the paper prints there. */
#ifndef JSNI_REPRO_REPRO_IMPL_H
#define JSNI_REPRO_REPRO_IMPL_H

#include <stdbool.h>
#include <stddef.h>

#include "core/text.h"
#include "jensen/recipe.h"
#include "jensen/repro.h"
#include "report/table.h"
#include "study/grid_figure.h"

/* A number that a run gives. */
typedef struct jsni_repro_measure {
    const char *column; /* its column; NULL: the result's */
    const char *metric; /* field of a run's result: "test_acc" */
    int guesses;        /* classes that count as right; 0: there is no chance level */
} jsni_repro_measure;

/* Measures of a result. Those from the third on are of another test set than the runs'. */
enum { JSNI_REPRO_MEASURES = 4, JSNI_REPRO_OTHER = 2 };

/* What `jensen repro` knows by name. Labels are templates: "{method}", "{noise}",
 * "{rate}", ... stand for fields of the recipe, "{epochs}" and the like for its options;
 * "{Method}" is the method as tables print it. */
typedef struct jsni_repro_info {
    const char *name, *printed, *title; /* "table1", "Table 1", and what it shows */
    const char *recipes;                /* result of its recipes; NULL: its own */
    /* Nothing to run: writes a table, or is an analytic plot of this spec. */
    void (*define)(jsni_table *out);
    const char *plot;
    /* Its figure. */
    const char *bars;              /* over noises: what they show; NULL: none */
    const jsni_grid_panel *curves; /* over the epochs, the last without y; or NULL */
    const char *lines;             /* against M: what they show; NULL: none */
    const char *dataset; /* when none is asked for; NULL: there is nothing to run */
    size_t paper_runs;   /* n behind the paper's deviations; 0: it prints no numbers */
    const char *note;    /* NULL, or what a reader must know */
    /* The unused ones are without metric. */
    jsni_repro_measure measures[JSNI_REPRO_MEASURES];
    const char *other_test; /* title of the other test set; NULL: there is none */
    struct {
        const char *row, *group, *column;
    } label;              /* templates; NULL: "" */
    const char *compares; /* option beside loss, noise and views that tells rows or
                                columns apart; NULL: none */
    bool any_cifar;       /* an ablation: any CIFAR data set will do */
    bool unranked;        /* its rows do not compete: none is bold */
} jsni_repro_info;

/* The result that settings name. JSN_ERR_UNKNOWN_NAME with the names there are;
 * JSN_ERR_ARGUMENT: it has no other test set to be tested on. */
JSN_MUST_CHECK jsn_status jsni_repro_find(const jsn_repro_settings *settings,
                                          const jsni_repro_info **out);

/* The result whose recipes a result has. */
const char *jsni_repro_recipes(const jsni_repro_info *info);

/* Whether the result can be had in `format` (NULL: in any). JSN_ERR_ARGUMENT lists those
 * there are. */
JSN_MUST_CHECK jsn_status jsni_repro_check_format(const jsni_repro_info *info,
                                                  const char *format);

/* A data set of the paper. */
typedef struct jsni_repro_dataset {
    const char *name, *title; /* "cifar10", "CIFAR-10" */
    size_t images, classes;   /* of training and test together */
    bool cifar;               /* one of those that ablations may have */
} jsni_repro_dataset;

/* In the paper's order. */
enum { JSNI_REPRO_DATASETS = 5 };
extern const jsni_repro_dataset jsni_repro_datasets[JSNI_REPRO_DATASETS];

/* The data set whose runs and printed numbers a result is about: what is asked for, else
 * what the kind of the data says ("cifar100:PATH"), else the paper's. `asked` and `data`
 * may be NULL. JSN_ERR_ARGUMENT: the two contradict each other, or the paper does not have
 * what is asked for. */
JSN_MUST_CHECK jsn_status jsni_repro_choose_dataset(const jsni_repro_info *info,
                                                    const char *asked, const char *data,
                                                    const jsni_repro_dataset **out);

/* A number that the paper prints, by the recipe that our runs of it have.
 *
 *     for (jsni_paper_result p = {0}; jsni_paper_next(&p);)
 *         ... p.recipe, p.number.mean ...
 */
typedef struct jsni_paper_result {
    const char *result;           /* "table1" */
    char recipe[JSN_RECIPE_TEXT]; /* "cifar10/sym-40/gjs"; "": other people's method */
    const char *title; /* what the paper calls the row, where a note may quote it */
    size_t measure;    /* which of the result's measures */
    jsni_published number;
    size_t at_row, at_column; /* where the walk is */
} jsni_paper_result;

/* The next of them; false behind the last. The first for a zeroed struct. */
bool jsni_paper_next(jsni_paper_result *p);

/* A result with runs as it was asked for: a cell for each number, in the paper's order. */
typedef struct jsni_repro {
    const jsni_repro_info *info;
    const jsni_repro_dataset *data;
    const jsn_repro_settings *settings; /* borrowed */
    const jsn_train_config *overrides;  /* borrowed: options that all runs share */
    jsn_sweep_trial *trials;            /* [count] of its study, owned */
    size_t count;
    size_t measures; /* how many of its measures have cells */
    jsni_grid grid;
} jsni_repro; /* zero-initialise */

/* With what its study has (`sweep` NULL: there is none) and the rows that the settings add.
 * JSN_ERR_ARGUMENT: the paper has no such runs, or not such rows. */
JSN_MUST_CHECK jsn_status jsni_repro_open(jsni_repro *out, jsn_sweep *sweep,
                                          const jsn_repro_settings *settings,
                                          const jsn_train_config *overrides);
void jsni_repro_release(jsni_repro *r);

/* Trials, cells and grid of what the paper has on the data set: none, if it has nothing. */
JSN_MUST_CHECK jsn_status jsni_repro_fill(jsni_repro *r, jsn_sweep *sweep);

/* Whether the noise of the runs comes from posteriors that somebody has to name. */
bool jsni_repro_needs_posteriors(const jsni_repro *r);

/* Adds what a reader has to know of the runs. "The paper's scale" is said only where
 * images, classes, initial weights, epochs and the number of runs are the paper's, and no
 * other option is given. */
JSN_MUST_CHECK jsn_status jsni_repro_caption(const jsni_repro *r, jsni_text *out);
/* Adds what stands below the table, each sentence behind a space: what the paper prints
 * there besides the cells (other people's methods, other test sets), and how added rows
 * are trained. */
void jsni_repro_note(const jsni_repro *r, jsni_text *out);

enum { JSNI_REPRO_PREFIX = 48 };
/* What the names of its studies begin with: "repro-table1-cifar10-". */
void jsni_repro_prefix(const jsni_repro *r, char out[JSNI_REPRO_PREFIX]);

/* A result on the other data sets that the paper has it on. */
typedef struct jsni_repro_others {
    jsni_repro items[JSNI_REPRO_DATASETS]; /* as the data sets; no cells: no study */
    jsni_text note;                        /* which studies they are */
} jsni_repro_others;                       /* zero-initialise */

/* From the studies in the store of `sweep` (NULL: none) that have the same options apart
 * from the data. Results that are not bars have no others. */
JSN_MUST_CHECK jsn_status jsni_repro_others_find(jsni_repro_others *out,
                                                 const jsn_sweep *sweep,
                                                 const jsni_repro *r);
void jsni_repro_others_release(jsni_repro_others *others);

/* The figure of a result as SVG; nothing when there is none. Bars have a panel for each
 * of `others` as well. */
JSN_MUST_CHECK jsn_status jsni_repro_figure(const jsni_repro *r,
                                            const jsni_repro_others *others,
                                            const char *caption, jsni_text *out);

/* Table 7, what the search found, and Table 11, the losses of the dissection. */
void jsni_repro_define_parameters(jsni_table *out);
void jsni_repro_define_divergences(jsni_table *out);

#endif /* JSNI_REPRO_REPRO_IMPL_H */
