/* jensen/param.h - the named parameters of a table entry (a loss, a noise model, an
 * augmentation, a data set, a schedule). Specs, help, validation, sweeps and the
 * result store all read these records; nothing repeats a default or a bound. */
#ifndef JENSEN_PARAM_H
#define JENSEN_PARAM_H

#include <stddef.h>

typedef enum jsn_param_kind {
    JSN_PARAM_REAL,      /* key=0.5 */
    JSN_PARAM_REALS,     /* key=0.5/0.3/0.2; initial is unused: none when not given */
    JSN_PARAM_TEXT,      /* key=word */
    JSN_PARAM_POSITIONAL /* the text straight after the colon: "cifar10:PATH" */
} jsn_param_kind;

typedef struct jsn_param_info {
    const char *name;
    const char *help;
    double initial; /* the value when a spec does not name the parameter */
    double lowest;  /* inclusive; bounds of every entry for JSN_PARAM_REALS */
    double highest; /* inclusive */
    jsn_param_kind kind;
} jsn_param_info;

/* An entry of a table. The records are static: never free them. */
typedef struct jsn_entry {
    const char *name;
    const char *summary; /* one line, for help texts */
    const jsn_param_info *params;
    size_t param_count;
} jsn_entry;

#endif /* JENSEN_PARAM_H */
