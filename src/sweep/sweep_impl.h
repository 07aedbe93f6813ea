/* sweep/sweep_impl.h - an open study, its axes, and how a trial becomes a run. */
#ifndef JSNI_SWEEP_SWEEP_IMPL_H
#define JSNI_SWEEP_SWEEP_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/json.h"
#include "core/rng.h"
#include "core/text.h"
#include "jensen/sweep.h"
#include "store/study.h"

struct jsn_sweep {
    jsni_store *store;
    jsni_study study;
    char *name, *objective; /* owned */
    jsni_json *base;        /* object: option to text */
    jsni_json *axes;        /* object: option to Optuna's distribution */
    jsni_json *stages;      /* of a search in stages, else NULL; search_stages.c */
    bool median;            /* pruning */
    int64_t prune_after;
};

/* One searched option. */
typedef enum jsni_sweep_kind {
    JSNI_SWEEP_CHOICES,
    JSNI_SWEEP_REAL,
    JSNI_SWEEP_INT
} jsni_sweep_kind;

typedef struct jsni_sweep_axis {
    const jsn_option_info *row;
    jsni_sweep_kind kind;
    jsn_texts choices;
    double low, high; /* of a range, inclusive */
    bool log_scale;
} jsni_sweep_axis;

/* Reads "name=a,b,c", "name=a;b,with,commas" or "name=[log:]low..high", checking every
 * value against the option. */
JSN_MUST_CHECK jsn_status jsni_axis_parse(jsni_sweep_axis *out, const char *text);
void jsni_axis_release(jsni_sweep_axis *axis);

/* A number of a range, both ends of whole ones included; those of a logarithmic range
 * start from above 0. */
double jsni_axis_draw(double low, double high, bool whole, bool log_scale,
                      jsni_rng *rng);

/* The axis as Optuna's distribution, a value of `writer`. */
void jsni_axis_put(const jsni_sweep_axis *axis, jsni_json_writer *writer,
                   const char *key);

/* A value of an option as an inner number and the JSON of a distribution that holds it:
 * the study's axis when there is one, else the bounds of the option (numbers) or a choice
 * of one. JSN_ERR_RANGE: the axis does not have the value. */
JSN_MUST_CHECK jsn_status jsni_axis_encode(const jsni_json *axes, const char *name,
                                           const char *text, double *value,
                                           char **distribution);
/* The text of a value in a document; true and false are the options' 1 and 0. */
const char *jsni_axis_word(const jsni_json *value);
/* The text of an inner number. */
JSN_MUST_CHECK jsn_status jsni_axis_decode(const char *distribution, double value,
                                           char **text);

/* Stores a document under an attribute of the study. */
JSN_MUST_CHECK jsn_status jsni_sweep_put(const jsni_study *study, const char *key,
                                         jsni_json_writer *writer);

/* Makes a study without a search, whose trials are added one by one. `axis`: as in a plan,
 * or NULL. */
JSN_MUST_CHECK jsn_status jsni_sweep_make(jsn_sweep **out, const char *url,
                                          const char *name, const char *objective,
                                          const char *axis,
                                          const jsn_train_config *base);

/* Adds a trial; with `added` not NULL only when the study has none with the same options,
 * and says so. Options without a text are left out. */
JSN_MUST_CHECK jsn_status jsni_sweep_add(const jsni_study *study, const jsni_json *axes,
                                         const jsn_sweep_pair *options, size_t count,
                                         const char *group, bool *added);

/* Adds a trial to an open study unless that has one with the same options; *added says so
 * and may be NULL. `group` names the trial's group or is NULL. */
JSN_MUST_CHECK jsn_status jsni_sweep_append(jsn_sweep *sweep,
                                            const jsn_sweep_pair *options, size_t count,
                                            const char *group, bool *added);

/* Index of the best complete trial of a group (NULL: of all); SIZE_MAX: none. With one seed
 * of every configuration it is that of jsn_sweep_choose(). */
size_t jsni_sweep_best(const jsn_sweep *sweep, const jsn_sweep_trial *trials,
                       size_t count, const char *group);

/* Sets the options that all trials of a study share. */
JSN_MUST_CHECK jsn_status jsni_sweep_base(const jsn_sweep *sweep,
                                          jsn_train_config *config);

/* Fills `config` for a trial: the study's options, then the trial's own. Options that
 * Optuna enqueued, and axes nobody chose, are stored as parameters first. */
JSN_MUST_CHECK jsn_status jsni_sweep_config(jsn_sweep *sweep, int64_t trial,
                                            jsn_train_config *config);

/* Adds instance-dependent noise, "instance:type=1,...", as it comes from posteriors, or from
 * a file of labels with a column for each type and rate ("type1_35"). PLC's files leave out
 * the images that it validates on. */
void jsni_sweep_put_instance(jsni_text *out, const char *noise, const char *from,
                             const char *type, int percent);

/* The paper's searches: adds the trials of the first stage to a fresh study, or those of
 * the next one when the stage before has ended. *more: trials may come later. */
JSN_MUST_CHECK jsn_status jsni_stages_begin(const jsni_study *study,
                                            const jsn_sweep_plan *plan);
JSN_MUST_CHECK jsn_status jsni_stages_advance(jsn_sweep *sweep, bool *more);
/* What a study keeps of a preset, as JSON; the caller's. */
JSN_MUST_CHECK jsn_status jsni_stages_text(const jsn_sweep_plan *plan, char **out);

/* The options that the trials of a study have in common, resolved: those of its file and
 * recipe, and the initial values, are in. To be released also on failure. */
JSN_MUST_CHECK jsn_status jsni_tune_options(const jsn_sweep *sweep,
                                            jsn_train_config *config);

/* Whether the data of a study without axes is still what its complete trials saw: names
 * of classes and images, labels.
 *   JSN_ERR_ARGUMENT  it is not; the sentence says what differs
 *   and the failures of opening it */
JSN_MUST_CHECK jsn_status jsni_tune_check_data(jsn_sweep *sweep);

/* The objective of a result, and after an epoch; NaN when it was not measured. */
double jsni_sweep_objective_of(const char *objective, const jsn_train_result *result);
double jsni_sweep_objective_at(const char *objective, const jsn_epoch *epoch);

/* The folder of a study's runs, owned: runs/STUDY, the name as far as it can be part of a
 * path. One that cannot has digits of its hash behind it, so that 'a b' and 'a/b' have
 * folders of their own. */
JSN_MUST_CHECK jsn_status jsni_study_folder(const char *name, const char *runs,
                                            char **out);

/* Whether the database has a study of that name; false as well when there is no
 * database. Nothing is written. */
JSN_MUST_CHECK jsn_status jsni_sweep_exists(const char *url, const char *name,
                                            bool *found);

/* jsn_sweep_option() or jsn_sweep_fact() as a number; NaN when there is none. */
double jsni_sweep_number(const jsn_sweep_trial *trial, const char *name);

#endif /* JSNI_SWEEP_SWEEP_IMPL_H */
