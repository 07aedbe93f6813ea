/* core/option.h - tables of typed options.
 *
 * An option is a row: name, kind, initial value, bounds, help, and the field of a
 * struct that it fills. The command line, help texts, configuration files, run
 * records and sweep axes are all read from such a table, so they cannot disagree.
 *
 *     typedef struct settings { double lr; int64_t epochs; char *out; } settings;
 *     static const jsn_option_info table[] = {
 *         {"lr", 0, JSN_OPTION_REAL, "0.1", 0, 100, NULL, "X", "learning rate",
 *          offsetof(settings, lr)},
 *         ...
 *     };
 *     settings s;
 *     jsni_options_init(table, 3, &s);         // sets the initial values
 *     jsni_options_set(table, 3, &s, "lr", "0.05");
 *     jsni_options_release(table, 3, &s);
 */
#ifndef JSNI_CORE_OPTION_H
#define JSNI_CORE_OPTION_H

#include "jensen/option.h"

/* Sets every field to its initial value. A table's initial values are valid by
 * construction (a test walks every table); the only failure is JSN_ERR_MEMORY, and
 * then nothing is held. */
JSN_MUST_CHECK jsn_status jsni_options_init(const jsn_option_info *table, size_t count,
                                            void *values);

/* Sets every field to unset instead (a flag to false), for callers that fill what is
 * missing from several sources before they fall back on the initial values. */
void jsni_options_clear(const jsn_option_info *table, size_t count, void *values);

/* Whether the field of `row` holds a value; a flag that is false counts as unset. */
bool jsni_options_is_set(const jsn_option_info *row, const void *values);

/* The row named `name`, or NULL. */
const jsn_option_info *jsni_options_find(const jsn_option_info *table, size_t count,
                                         const char *name);

/* Parses `text` whole and stores it. `text` == NULL is the bare form of a flag.
 *   JSN_ERR_UNKNOWN_NAME  no such option; the sentence offers the nearest name
 *   JSN_ERR_ARGUMENT      not a number, not one of the choices, a value missing
 *   JSN_ERR_RANGE         outside the bounds
 *   JSN_ERR_MEMORY
 * The field keeps its old value on failure. */
JSN_MUST_CHECK jsn_status jsni_options_set(const jsn_option_info *table, size_t count,
                                           void *values, const char *name,
                                           const char *text);

/* The value of row `row` as text that jsni_options_set() reads back to the same value
 * ("auto" when unset; a list joined with spaces). *out is owned by the caller, who
 * calls jsn_text_release(). */
JSN_MUST_CHECK jsn_status jsni_options_text(const jsn_option_info *row,
                                            const void *values, char **out);

/* Parses argv[0..argc): options fill `values`, the rest goes to `positional`. "--name
 * value", "--name=value", "-n value", "--" ends the options. A word of the form "-2.5"
 * is a value, never an option. */
JSN_MUST_CHECK jsn_status jsni_options_parse(const jsn_option_info *table, size_t count,
                                             void *values, int argc, char *const *argv,
                                             jsn_texts *positional);

/* Frees the texts that `values` owns. */
void jsni_options_release(const jsn_option_info *table, size_t count, void *values);

#endif /* JSNI_CORE_OPTION_H */
