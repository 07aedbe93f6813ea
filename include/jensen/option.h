/* jensen/option.h - tables of typed options.
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
 *     jsn_options_init(table, 3, &s);         // sets the initial values
 *     jsn_options_set(table, 3, &s, "lr", "0.05");
 *     jsn_options_release(table, 3, &s);
 */
#ifndef JENSEN_OPTION_H
#define JENSEN_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jensen/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An owned list of texts; zero-initialise it. */
typedef struct jsn_texts {
    char **items;
    size_t count;
} jsn_texts;

/* Adds a copy of a text to the end. JSN_ERR_ARGUMENT (NULL), JSN_ERR_MEMORY. */
JSN_API JSN_MUST_CHECK jsn_status jsn_texts_add(jsn_texts *texts, const char *text);
JSN_API void jsn_texts_release(jsn_texts *texts); /* and zeroes it */

/* The kind of the field at `offset`. */
typedef enum jsn_option_kind {
    JSN_OPTION_FLAG,   /* bool; "--json" alone means true, also "--json 0|1" */
    JSN_OPTION_INT,    /* int64_t; JSN_OPTION_INT_UNSET when never set */
    JSN_OPTION_REAL,   /* double; NaN when never set */
    JSN_OPTION_TEXT,   /* char *, owned; NULL when never set */
    JSN_OPTION_CHOICE, /* char *, owned; one of the words in `choices` */
    JSN_OPTION_TEXTS   /* jsn_texts; every use of the option adds one */
} jsn_option_kind;

#define JSN_OPTION_INT_UNSET INT64_MIN

typedef struct jsn_option_info {
    const char *name; /* long form without dashes: "weight-decay" */
    char letter;      /* short form, or 0 */
    jsn_option_kind kind;
    const char *initial; /* as text, NULL: unset */
    double lowest;       /* bounds of INT and REAL, inclusive */
    double highest;
    const char *choices;    /* "a|b|c" for CHOICE, else NULL */
    const char *value_name; /* for help: "N", "FILE"; NULL for a flag */
    const char *help;
    size_t offset;
} jsn_option_info;

/* Sets every field to its initial value. A table's initial values are valid by
 * construction (a test walks every table); the only failure is JSN_ERR_MEMORY, and
 * then nothing is held. */
JSN_API JSN_MUST_CHECK jsn_status jsn_options_init(const jsn_option_info *table,
                                                   size_t count, void *values);

/* Sets every field to unset instead (a flag to false), for callers that fill what is
 * missing from several sources before they fall back on the initial values. */
JSN_API void jsn_options_clear(const jsn_option_info *table, size_t count,
                               void *values);

/* Whether the field of `row` holds a value; a flag that is false counts as unset. */
JSN_API bool jsn_options_is_set(const jsn_option_info *row, const void *values);

/* The row named `name`, or NULL. */
JSN_API const jsn_option_info *jsn_options_find(const jsn_option_info *table,
                                                size_t count, const char *name);

/* Parses `text` whole and stores it. `text` == NULL is the bare form of a flag.
 *   JSN_ERR_UNKNOWN_NAME  no such option; the sentence offers the nearest name
 *   JSN_ERR_ARGUMENT      not a number, not one of the choices, a value missing
 *   JSN_ERR_RANGE         outside the bounds
 *   JSN_ERR_MEMORY
 * The field keeps its old value on failure. */
JSN_API JSN_MUST_CHECK jsn_status jsn_options_set(const jsn_option_info *table,
                                                  size_t count, void *values,
                                                  const char *name, const char *text);

/* The value of row `row` as text that jsn_options_set() reads back to the same value
 * ("auto" when unset; a list joined with spaces). *out is owned by the caller, who
 * calls jsn_text_release(). */
JSN_API JSN_MUST_CHECK jsn_status jsn_options_text(const jsn_option_info *row,
                                                   const void *values, char **out);

/* Parses argv[0..argc): options fill `values`, the rest goes to `positional`. "--name
 * value", "--name=value", "-n value", "--" ends the options. A word of the form "-2.5"
 * is a value, never an option. */
JSN_API JSN_MUST_CHECK jsn_status jsn_options_parse(const jsn_option_info *table,
                                                    size_t count, void *values,
                                                    int argc, char *const *argv,
                                                    jsn_texts *positional);

/* Frees the texts that `values` owns. */
JSN_API void jsn_options_release(const jsn_option_info *table, size_t count,
                                 void *values);

/* Frees a text that the library handed to the caller. Accepts NULL. */
JSN_API void jsn_text_release(char *text);

/* Letters to change, add, drop or swap with the next to get from a to b; capital letters
 * are as good as small ones. 40 when one of them is longer than that or NULL. */
JSN_API size_t jsn_name_distance(const char *a, const char *b);

/* For "did you mean": whether `word` may be a slip for `name`, and one that is smaller
 * than *best, which is SIZE_MAX at first and becomes the distance. */
JSN_API bool jsn_name_nearer(const char *word, const char *name, size_t *best);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_OPTION_H */
