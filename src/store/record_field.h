/* store/record_field.h - values of the JSON files of a run, checked where they enter: kind,
 * range, length. A run folder may come from anywhere; what is behind these functions need
 * not be asked again.
 *
 * A key that is missing or null gives the value for "not known". Anything else than what
 * is asked for is JSN_ERR_DATA with "file:line: key 'x' ...". */
#ifndef JSNI_STORE_RECORD_FIELD_H
#define JSNI_STORE_RECORD_FIELD_H

#include "core/json.h"
#include "jensen/status.h"

/* Longest names of classes, paths of images, specs: far beyond what anybody uses, and
 * short enough that no page or figure takes long over them. */
enum { JSNI_RECORD_LONGEST = 1 << 16 };

typedef struct jsni_range {
    double low, high; /* both included */
} jsni_range;

extern const jsni_range jsni_range_share;    /* 0 to 1, and what rounding adds */
extern const jsni_range jsni_range_quantity; /* 0 to 1e15: seconds, rates, counts */
extern const jsni_range jsni_range_any;      /* whatever is finite */

/* A number; NaN: not known. */
JSN_MUST_CHECK jsn_status jsni_record_real(const jsni_json *object, const char *key,
                                           jsni_range range, double *out);
/* The same of a value itself; `what` names it in the sentence. */
JSN_MUST_CHECK jsn_status jsni_record_value(const jsni_json *value, const char *what,
                                            jsni_range range, double *out);
/* A whole number within [low, high]; `unknown`: not known. */
JSN_MUST_CHECK jsn_status jsni_record_int(const jsni_json *object, const char *key,
                                          int64_t low, int64_t high, int64_t unknown,
                                          int64_t *out);
/* A text of at most JSNI_RECORD_LONGEST bytes, owned by the caller; NULL: not known. */
JSN_MUST_CHECK jsn_status jsni_record_text(const jsni_json *object, const char *key,
                                           char **out);
/* An array or object with at most `most` entries; NULL: not known. */
JSN_MUST_CHECK jsn_status jsni_record_entries(const jsni_json *object, const char *key,
                                              jsni_json_kind kind, size_t most,
                                              const jsni_json **out);
/* A list of texts, such as the names of classes: [*count], each owned and not longer than
 * JSNI_RECORD_LONGEST; NULL and 0: not known. On failure nothing is left. */
JSN_MUST_CHECK jsn_status jsni_record_names(const jsni_json *object, const char *key,
                                            size_t most, char ***out, size_t *count);
void jsni_record_names_release(char **names, size_t count);

/* The object in a file of a run's folder; *out stays NULL when there is no such file. */
JSN_MUST_CHECK jsn_status jsni_record_open(const char *folder, const char *name,
                                           jsni_json **out);

#endif /* JSNI_STORE_RECORD_FIELD_H */
