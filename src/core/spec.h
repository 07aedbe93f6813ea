/* core/spec.h - reads specs, "name:key=value,key=value". Every table (losses, noise
 * models, augmentations, data sets, networks, schedules) uses this one grammar.
 *
 * A value may be a number, numbers joined by '/', or a text; the parameter's kind
 * says which. A positional parameter is the text straight after the colon and ends
 * before the first ",key=" whose key the table knows, so that paths may hold commas.
 */
#ifndef JSNI_CORE_SPEC_H
#define JSNI_CORE_SPEC_H

#include <stdbool.h>
#include <stddef.h>

#include "jensen/param.h"
#include "jensen/status.h"

enum { JSNI_SPEC_MAX_REALS = 64 };

typedef struct jsni_spec_value {
    bool given;       /* named in the spec */
    double real;      /* REAL: the value or its initial */
    const char *text; /* TEXT, POSITIONAL, REALS: borrowed slice of the spec, or NULL */
    size_t length;
} jsni_spec_value;

/* Whether the name part of `spec` is exactly `name`. */
bool jsni_spec_names(const char *spec, const char *name);

/* Length of the first spec of a list, "gce:q=0.7,sce:alpha=0.1,beta=1": a comma belongs to
 * it when "key=" follows. */
size_t jsni_spec_length(const char *list);

/* Fills values[0..count) in the order of `params`. A key given twice is refused.
 *   JSN_ERR_ARGUMENT      not key=value, not a number
 *   JSN_ERR_UNKNOWN_NAME  no such key; the sentence lists the keys there are
 *   JSN_ERR_RANGE         outside the bounds */
JSN_MUST_CHECK jsn_status jsni_spec_values(const char *spec,
                                           const jsn_param_info *params, size_t count,
                                           jsni_spec_value *values);

/* The numbers of a REALS value that was given; *count <= JSNI_SPEC_MAX_REALS. They
 * were checked by jsni_spec_values(). */
void jsni_spec_reals(const jsni_spec_value *value, double *out, size_t *count);

/* An owned copy of a text value, NULL (no failure) when it was not given. */
JSN_MUST_CHECK jsn_status jsni_spec_text(const jsni_spec_value *value, char **out);

#endif /* JSNI_CORE_SPEC_H */
