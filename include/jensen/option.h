/* jensen/option.h - how the options of a run and of a study are described: a row has the
 * name, kind, initial value, bounds and help of one. jsn_train_options() and
 * jsn_sweep_plan_options() hand out such tables, for programs that offer the same options.
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
    const char *value_name; /* for help: "N", "FILE"; NULL for a flag; "[FILE]" may be
                               left out, which is "-" */
    const char *help;
    size_t offset;
} jsn_option_info;

/* Frees a text that the library handed to the caller. Accepts NULL. */
JSN_API void jsn_text_release(char *text);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_OPTION_H */
