/* store/store_impl.h - what a database file (store_<name>.c) implements.
 *
 * Statements use $1, $2, ... for their parameters, which travel as texts, and stay in the
 * SQL that SQLite and PostgreSQL share; the few words that differ are fields here.
 */
#ifndef JSNI_STORE_STORE_IMPL_H
#define JSNI_STORE_STORE_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jensen/status.h"

/* What a query gave. */
typedef struct jsni_store_rows {
    char **cells; /* [rows][columns]; owned, NULL: the database's null */
    size_t rows, columns;
} jsni_store_rows; /* zero-initialise */

void jsni_store_rows_release(jsni_store_rows *rows); /* and zeroes it */
/* The cell, "" for a null. */
const char *jsni_store_cell(const jsni_store_rows *rows, size_t row, size_t column);
/* For engines: makes room for one more row of `columns` null cells. */
JSN_MUST_CHECK jsn_status jsni_store_rows_grow(jsni_store_rows *rows, size_t columns);

/* What a database is opened for. */
typedef enum jsni_store_use {
    JSNI_STORE_READ, /* nothing is changed */
    JSNI_STORE_WRITE,
    JSNI_STORE_CREATE /* and made, or given its tables, where it is missing */
} jsni_store_use;

typedef struct jsni_store_engine {
    const char *name;
    /* Whether a URL is this engine's. */
    bool (*accepts)(const char *url);
    /* Connects. `shown` is the URL as it may be printed. */
    jsn_status (*open)(void **out, const char *url, const char *shown,
                       jsni_store_use use);
    void (*close)(void *connection); /* accepts NULL */
    /* Runs one statement. `rows` and `changed` may be NULL. */
    jsn_status (*run)(void *connection, const char *sql, const char *const *params,
                      size_t count, jsni_store_rows *rows, int64_t *changed);
    const char *begin;     /* starts a transaction that will write */
    const char *lock;      /* behind a SELECT: keeps others from the rows */
    const char *now;       /* the time, UTC */
    const char *age;       /* seconds since the time in the column heartbeat */
    const char *key;       /* type of a primary key that counts by itself */
    const char *time;      /* type of a date with time */
    const char *real;      /* type of a double */
    const char *direction; /* types of the enumerations */
    const char *state;
    const char *value_kind;
    const char *step_kind;
    const char *guard;        /* lets one process at a time make tables, or NULL */
    const char *const *types; /* statements before the tables, NULL-terminated */
} jsni_store_engine;

typedef struct jsni_store {
    const jsni_store_engine *engine;
    void *connection;
    char *url;   /* owned; may hold a password: never printed */
    char *shown; /* owned */
    int depth;   /* of transactions that were begun */
} jsni_store;

/* Opens a database; "sqlite:///file", a plain file name, or "postgresql://...".
 *   JSN_ERR_ARGUMENT     no engine knows the URL
 *   JSN_ERR_UNSUPPORTED  this build lacks the engine
 *   JSN_ERR_DATA         no such file, no database, tables of another schema
 *   JSN_ERR_NETWORK      the server cannot be reached
 *   JSN_ERR_IO, JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_store_open(jsni_store **out, const char *url,
                                          jsni_store_use use);
/* The same for reading; *out is NULL when there is no such file, or one without tables of
 * studies. */
JSN_MUST_CHECK jsn_status jsni_store_find(jsni_store **out, const char *url);
void jsni_store_close(jsni_store *store); /* accepts NULL */

JSN_MUST_CHECK jsn_status jsni_store_run(jsni_store *store, const char *sql,
                                         const char *const *params, size_t count,
                                         jsni_store_rows *rows, int64_t *changed);

/* A transaction that writes; nested ones belong to the outermost. end commits when
 * `status` is JSN_OK, else undoes everything; it returns the first failure. */
JSN_MUST_CHECK jsn_status jsni_store_begin(jsni_store *store);
JSN_MUST_CHECK jsn_status jsni_store_end(jsni_store *store, jsn_status status);

/* The URL without its password, as an owned text; NULL: no memory. */
char *jsni_store_shown_url(const char *url);

/* Looks for the tables (schema 12 of Optuna); refuses others. */
JSN_MUST_CHECK jsn_status jsni_schema_find(jsni_store *store, bool *found);
/* Makes them unless they are there. */
JSN_MUST_CHECK jsn_status jsni_schema_make(jsni_store *store);

#endif /* JSNI_STORE_STORE_IMPL_H */
