/* audit/audit_impl.h - what a method of the audit implements. A method is one file,
 * audit_<id>.c, and one row in audit_list.h. */
#ifndef JSNI_AUDIT_IMPL_H
#define JSNI_AUDIT_IMPL_H

#include <stdbool.h>

#include "audit/audit_list.h"
#include "core/pool.h"
#include "jensen/audit.h"
#include "jensen/param.h"

/* What is known of all samples before any of them is judged. */
typedef struct jsni_audit_facts {
    const jsn_audit_input *in; /* borrowed */
    size_t *labelled;          /* [classes], owned: samples that carry the label */
    double *thresholds;        /* [classes], owned; see jsn_audit_result */
    int32_t *top;              /* [samples], owned: the most probable class */
    float *top_probability;    /* [samples], owned */
    /* From the surest samples of each class, for methods that want it, else NULL: */
    double *transition; /* [classes][classes], owned: share of each label among the
                         * samples of a true class */
    double *joint; /* [classes][classes], owned: samples by predicted class and label */
    double rate_few,
        rate_all;          /* of wrong labels, among the surest ones and among all */
    double power, *offset; /* [classes], owned; see calibrate.c */
} jsni_audit_facts;

/* Whether the table has a method of that name: asked before anything is computed.
 *   JSN_ERR_UNKNOWN_NAME */
JSN_MUST_CHECK jsn_status jsni_audit_check_method(const char *name);

JSN_MUST_CHECK jsn_status jsni_audit_measure(jsni_audit_facts *facts,
                                             const jsn_audit_input *in,
                                             jsni_pool *pool);
void jsni_audit_facts_release(jsni_audit_facts *facts);

/* Row `sample` as doubles with the sum 1, into row [classes]; the sum that it had. */
double jsni_audit_row_read(const jsn_audit_input *in, size_t sample, double *row);

/* Row `sample` of a view, [classes]; view < jsni_audit_view_count(in). Without views the
 * probabilities themselves are the only one, and NULL is returned. */
const float *jsni_audit_view(const jsn_audit_input *in, size_t view, size_t sample);
size_t jsni_audit_view_count(const jsn_audit_input *in);

/* Fills transition, joint and rates; see surest.c. */
JSN_MUST_CHECK jsn_status jsni_audit_find_transition(jsni_audit_facts *facts);

/* Fills power and offset, by the transition; and the probabilities q that follow from p. */
JSN_MUST_CHECK jsn_status jsni_audit_fit_labels(jsni_audit_facts *facts);
void jsni_audit_calibrate(const jsni_audit_facts *facts, const double *p, double *q);

/* A sample as a method sees it. */
typedef struct jsni_audit_row {
    const double
        *p; /* [classes], the sum is 1; calibrated for methods with a transition */
    size_t sample;
    size_t given, other; /* its label; the most probable class but that one */
} jsni_audit_row;

/* The class that a sample confidently belongs to: the most probable of those that reach
 * their threshold; `classes` when none does. */
size_t jsni_audit_confident_class(const jsni_audit_facts *facts, const double *p);

/* The chance that the label is wrong when labels were drawn by facts->transition from
 * true classes, and the class that is most probable then beside the given one. */
double jsni_audit_unmix(const jsni_audit_facts *facts, const jsni_audit_row *row,
                        size_t *suggested);

typedef struct jsni_audit_def {
    struct {
        const char *name, *summary;
    } info;
    /* How much speaks against the label: any real number, more is worse. *suggested is
     * row->other and may be changed. */
    double (*judge)(const jsni_audit_facts *facts, const jsni_audit_row *row,
                    size_t *suggested);
    double slope;    /* of the log-odds of a wrong label over what judge() gives */
    bool transition; /* judge() wants facts->transition, rates come from it, too; else
                      * they come from the confident joint */
} jsni_audit_def;

#define JSNI_DECLARE_AUDIT(id) extern const jsni_audit_def jsni_audit_##id;
JSNI_AUDIT_LIST(JSNI_DECLARE_AUDIT)
#undef JSNI_DECLARE_AUDIT

jsn_entry jsni_audit_entry(size_t index); /* all zero behind the last */

/* Fills out's matrix (zeroed), class rates, rate and interval: from the confident joint,
 * the table of given labels and confident classes (-1: none), [samples] ... */
void jsni_audit_estimate_joint(const jsni_audit_facts *facts, const int32_t *confident,
                               double confidence, jsn_audit_result *out);
/* ... or from facts->transition. */
void jsni_audit_estimate_surest(const jsni_audit_facts *facts, double confidence,
                                jsn_audit_result *out);

/* log(a / b) that stays finite where one of them is 0. */
double jsni_audit_log_ratio(double a, double b);

#endif /* JSNI_AUDIT_IMPL_H */
