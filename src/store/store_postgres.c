/* store/store_postgres.c - studies on a PostgreSQL server, for several machines. All
 * times are UTC. libpq reads PGPASSWORD and ~/.pgpass, so that a URL needs no password. */
#include <libpq-fe.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/number.h"
#include "core/text.h"
#include "store/store_impl.h"

/* libpq's sentences end in a newline and may have several lines. */
static void one_line(char *out, size_t size, const char *message)
{
    (void)snprintf(out, size, "%s", message);
    size_t length = strlen(out);
    while (length > 0 && (out[length - 1] == '\n' || out[length - 1] == ' '))
        out[--length] = '\0';
    for (size_t i = 0; i < length; i++)
        if (out[i] == '\n' || out[i] == '\t')
            out[i] = ' ';
}

static jsn_status check(PGconn *db, const PGresult *result)
{
    const ExecStatusType code = PQresultStatus(result);
    if (code == PGRES_COMMAND_OK || code == PGRES_TUPLES_OK)
        return JSN_OK;
    char words[400];
    one_line(words, sizeof words, PQerrorMessage(db));
    return jsni_fail(PQstatus(db) == CONNECTION_OK ? JSN_ERR_IO : JSN_ERR_NETWORK, "%s",
                     words);
}

static bool accepts(const char *url)
{
    return strncmp(url, "postgresql://", 13) == 0 ||
           strncmp(url, "postgres://", 11) == 0 || strncmp(url, "postgresql+", 11) == 0;
}

static jsn_status copy_rows(const PGresult *result, jsni_store_rows *rows)
{
    const int columns = PQnfields(result);
    for (int r = 0; r < PQntuples(result); r++) {
        JSNI_TRY(jsni_store_rows_grow(rows, (size_t)columns));
        for (int c = 0; c < columns; c++)
            if (!PQgetisnull(result, r, c))
                JSNI_TRY_ALLOC(rows->cells[(size_t)r * rows->columns + (size_t)c] =
                                   jsni_text_copy(PQgetvalue(result, r, c)));
    }
    return JSN_OK;
}

/* Whether the connection stands; one that broke (the server was restarted) is made anew.
 * What was inside a transaction is lost with it, and its end fails. */
static jsn_status connected(PGconn *db, const char *sql)
{
    if (PQstatus(db) == CONNECTION_OK || strcmp(sql, "ROLLBACK") == 0)
        return JSN_OK;
    PQreset(db);
    if (PQstatus(db) == CONNECTION_OK) {
        PGresult *result = PQexec(db, "SET TIME ZONE 'UTC'");
        const jsn_status status = check(db, result);
        PQclear(result);
        return status;
    }
    char words[400];
    one_line(words, sizeof words, PQerrorMessage(db));
    return jsni_fail(JSN_ERR_NETWORK, "%s", words);
}

static jsn_status run(void *connection, const char *sql, const char *const *params,
                      size_t count, jsni_store_rows *rows, int64_t *changed)
{
    PGconn *db = connection;
    JSNI_TRY(connected(db, sql));
    PGresult *result = PQexecParams(db, sql, (int)count, NULL, params, NULL, NULL, 0);
    jsn_status status = check(db, result);
    if (status == JSN_OK && rows != NULL) {
        status = copy_rows(result, rows);
        if (status != JSN_OK)
            jsni_store_rows_release(rows);
    }
    if (status == JSN_OK && changed != NULL) {
        const char *text = PQcmdTuples((PGresult *)result);
        if (!jsni_number_int(text, strlen(text), changed))
            *changed = 0;
    }
    PQclear(result);
    return status;
}

static void close_server(void *connection)
{
    PQfinish(connection);
}

static void ignore_notice(void *user, const char *message)
{
    (void)user;
    (void)message;
}

/* libpq quotes what it cannot read, and that may be a piece of the password: such an
 * address gets a sentence of ours. */
static jsn_status check_address(const char *address, const char *shown)
{
    const char *rest = strstr(address, "://") + 3;
    const char *last = strrchr(rest, '@'), *query = strchr(rest, '?');
    char *error = NULL;
    PQconninfoOption *parsed = PQconninfoParse(address, &error);
    const bool readable = parsed != NULL;
    PQconninfoFree(parsed);
    PQfreemem(error);
    /* "user:p@ss@host", "user:p/ss@host" */
    const bool cut = last != NULL && (query == NULL || last < query) &&
                     (size_t)(last - rest) != strcspn(rest, "@/");
    if (readable && !cut)
        return JSN_OK;
    return jsni_fail(JSN_ERR_ARGUMENT,
                     "%s: libpq cannot read the address; in a password @ : / ? %% are "
                     "written %%40 %%3A %%2F %%3F %%25",
                     shown);
}

static jsn_status open_server(void **out, const char *url, const char *shown,
                              jsni_store_use use)
{
    (void)use;
    /* SQLAlchemy names its driver: postgresql+psycopg2://... */
    const char *rest = strstr(url, "://");
    jsni_text text = {0};
    char *address = NULL;
    jsni_text_format(&text, "postgresql%s", rest);
    JSNI_TRY(jsni_text_take(&text, &address));
    jsn_status status = check_address(address, shown);
    PGconn *db = status == JSN_OK ? PQconnectdb(address) : NULL;
    jsni_free(address);
    if (status != JSN_OK)
        return status;
    if (db == NULL) {
        status = jsni_fail(JSN_ERR_MEMORY, "libpq: out of memory");
    } else if (PQstatus(db) != CONNECTION_OK) {
        char words[400];
        one_line(words, sizeof words, PQerrorMessage(db));
        status = jsni_fail(JSN_ERR_NETWORK, "%s: %s", shown, words);
    }
    if (status == JSN_OK) {
        (void)PQsetNoticeProcessor(db, ignore_notice, NULL);
        status = run(db, "SET TIME ZONE 'UTC'", NULL, 0, NULL, NULL);
    }
    if (status == JSN_OK)
        *out = db;
    else
        close_server(db);
    return status;
}

static const char *const types[] = {
    "CREATE TYPE studydirection AS ENUM ('NOT_SET', 'MINIMIZE', 'MAXIMIZE')",
    "CREATE TYPE trialstate AS ENUM ('RUNNING', 'COMPLETE', 'PRUNED', 'FAIL', "
    "'WAITING')",
    "CREATE TYPE trialvaluetype AS ENUM ('FINITE', 'INF_POS', 'INF_NEG')",
    "CREATE TYPE trialintermediatevaluetype AS ENUM ('FINITE', 'INF_POS', 'INF_NEG', "
    "'NAN')",
    NULL};

const jsni_store_engine jsni_store_postgres = {
    .name = "postgresql",
    .accepts = accepts,
    .open = open_server,
    .close = close_server,
    .run = run,
    .begin = "BEGIN",
    .lock = " FOR UPDATE",
    .now = "clock_timestamp()::timestamp",
    .age = "EXTRACT(EPOCH FROM clock_timestamp()::timestamp - heartbeat)",
    .key = "SERIAL",
    .time = "TIMESTAMP WITHOUT TIME ZONE",
    .real = "FLOAT(53)",
    .direction = "studydirection",
    .state = "trialstate",
    .value_kind = "trialvaluetype",
    .step_kind = "trialintermediatevaluetype",
    .guard = "SELECT pg_advisory_xact_lock(1785949806)",
    .types = types,
};
