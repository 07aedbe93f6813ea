/* review/decisions.h - decisions.csv of an audit folder: path,decision,label,time. Rows are
 * only ever added; the last one of a path counts. */
#ifndef JSNI_REVIEW_DECISIONS_H
#define JSNI_REVIEW_DECISIONS_H

#include <stddef.h>

#include "format/csv.h"

/* One list gives the enumerators and their names in the file. */
#define JSNI_DECISION_LIST(X)           \
    X(JSNI_DECISION_KEEP, "keep")       \
    X(JSNI_DECISION_RELABEL, "relabel") \
    X(JSNI_DECISION_UNSURE, "unsure")   \
    X(JSNI_DECISION_REMOVE, "remove")   \
    X(JSNI_DECISION_UNDO, "undo") /* as if nothing had been decided */

#define JSNI_DECISION_ENUMERATOR(code, name) code,
typedef enum jsni_decision {
    JSNI_DECISION_LIST(JSNI_DECISION_ENUMERATOR) JSNI_DECISION_KINDS
} jsni_decision;
#undef JSNI_DECISION_ENUMERATOR

#define JSNI_DECISIONS_HEADER "path,decision,label,time\n"
enum { JSNI_DECISIONS_CELLS = 4 };

const char *jsni_decision_name(jsni_decision decision);
/* The decision of that name, JSNI_DECISION_KINDS when there is none. */
jsni_decision jsni_decision_find(const char *name);

typedef struct jsni_decided {
    const char *path, *label, *time; /* of the table */
    jsni_decision what;
    size_t row;
} jsni_decided;

typedef struct jsni_decisions {
    jsni_csv *csv;      /* owned; NULL: there is no file */
    jsni_decided *list; /* [count], owned */
    size_t count;
} jsni_decisions;

/* The rows of the file's text, in their order. Half a row at the end is left out.
 *   JSN_ERR_DATA, JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_decisions_parse(jsni_decisions *out, const char *text,
                                               size_t length);

/* What counts in a folder, by path: the last of each, without what was undone. No file is
 * fine.
 *   JSN_ERR_DATA, JSN_ERR_IO, JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_decisions_read(jsni_decisions *out, const char *folder);
void jsni_decisions_release(jsni_decisions *decisions); /* a zeroed one is fine */

/* The entry of what jsni_decisions_read() gave, or NULL. */
const jsni_decided *jsni_decisions_of(const jsni_decisions *decisions,
                                      const char *path);

#endif /* JSNI_REVIEW_DECISIONS_H */
