/* store/store.c - see store_impl.h. Names no database: they are in store_list.h. */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/text.h"
#include "store/store_impl.h"
#include "store/store_list.h"

#define DECLARE(id) extern const jsni_store_engine jsni_store_##id;
JSNI_STORE_LIST(DECLARE)
#undef DECLARE

#define ROW(id) &jsni_store_##id,
static const jsni_store_engine *const engines[] = {JSNI_STORE_LIST(ROW) NULL};
#undef ROW

void jsni_store_rows_release(jsni_store_rows *rows)
{
    for (size_t i = 0; i < rows->rows * rows->columns; i++)
        jsni_free(rows->cells[i]);
    jsni_free(rows->cells);
    *rows = (jsni_store_rows){0};
}

const char *jsni_store_cell(const jsni_store_rows *rows, size_t row, size_t column)
{
    const char *cell = rows->cells[row * rows->columns + column];
    return cell == NULL ? "" : cell;
}

jsn_status jsni_store_rows_grow(jsni_store_rows *rows, size_t columns)
{
    /* Capacity is the next power of two, so that long results are not copied often. */
    rows->columns = columns;
    if ((rows->rows & (rows->rows - 1)) == 0) {
        const size_t capacity = rows->rows == 0 ? 1 : 2 * rows->rows;
        char **cells = jsni_realloc(rows->cells, capacity * columns, sizeof *cells);
        JSNI_TRY_ALLOC(cells);
        rows->cells = cells;
    }
    for (size_t i = 0; i < columns; i++)
        rows->cells[rows->rows * columns + i] = NULL;
    rows->rows++;
    return JSN_OK;
}

/* Whether the text is meant as a server's address, "postgresql:/..." with a slash too few
 * as well: such a one is no file name. */
static bool is_server(const char *url)
{
    return strncmp(url, "postgres", 8) == 0 && strchr(url, ':') != NULL;
}

/* "scheme://user:secret@host" loses its secret; so does ?password=secret. The secret ends
 * at the last '@' there is: one that holds '@', '/' or '?' as they are is malformed, but
 * still a secret. */
char *jsni_store_shown_url(const char *url)
{
    jsni_text text = {0};
    const char *scheme = strstr(url, "://");
    const char *at = url;
    if (scheme != NULL || is_server(url)) {
        const char *rest = scheme != NULL ? scheme + 3 : strchr(url, ':') + 1;
        const char *end = strrchr(rest, '@');
        const char *colon =
            end == NULL ? NULL : memchr(rest, ':', (size_t)(end - rest));
        if (colon != NULL) {
            jsni_text_add_n(&text, url, (size_t)(colon - url));
            jsni_text_add(&text, ":***");
            at = end;
        }
    }
    const char *query = strstr(at, "password=");
    while (query != NULL) {
        jsni_text_add_n(&text, at, (size_t)(query - at));
        jsni_text_add(&text, "password=***");
        at = query + strcspn(query, "& ");
        query = strstr(at, "password=");
    }
    jsni_text_add(&text, at);
    char *out = NULL;
    return jsni_text_take(&text, &out) == JSN_OK ? out : NULL;
}

static jsn_status find_engine(const char *url, const char *shown,
                              const jsni_store_engine **out)
{
    const bool server = is_server(url), address = strstr(url, "://") != NULL;
    if (strncmp(url, "sqlite:", 7) == 0 && strncmp(url, "sqlite:///", 10) != 0)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "%s: three slashes come before the file: sqlite:///FILE",
                         shown);
    for (size_t i = 0; (address || !server) && engines[i] != NULL; i++)
        if (engines[i]->accepts(url)) {
            *out = engines[i];
            return JSN_OK;
        }
    if ((server && address) || (!server && !address) || strncmp(url, "sqlite:", 7) == 0)
        return jsni_fail(JSN_ERR_UNSUPPORTED, "%s: this build of jensen has no %s",
                         shown, server ? "libpq" : "SQLite");
    return jsni_fail(JSN_ERR_ARGUMENT,
                     "%s: studies live in sqlite:///FILE or "
                     "postgresql://USER@HOST/DATABASE",
                     shown);
}

/* Opens the database, and says whether it has our tables. */
static jsn_status open_any(jsni_store **out, const char *url, jsni_store_use use,
                           bool *found)
{
    jsni_store *store = jsni_alloc_zero(1, sizeof *store);
    *out = NULL;
    *found = true;
    JSNI_TRY_ALLOC(store);
    jsn_status status = JSN_OK;
    store->url = jsni_text_copy(url);
    store->shown = jsni_store_shown_url(url);
    if (store->url == NULL || store->shown == NULL)
        status = JSN_ERR_MEMORY;
    if (status == JSN_OK)
        status = find_engine(url, store->shown, &store->engine);
    if (status == JSN_OK)
        status = store->engine->open(&store->connection, url, store->shown, use);
    if (status == JSN_OK)
        status = use == JSNI_STORE_CREATE ? jsni_schema_make(store)
                                          : jsni_schema_find(store, found);
    if (status == JSN_OK)
        *out = store;
    else
        jsni_store_close(store);
    return status;
}

jsn_status jsni_store_open(jsni_store **out, const char *url, jsni_store_use use)
{
    bool found = false;
    JSNI_TRY(open_any(out, url, use, &found));
    if (found)
        return JSN_OK;
    const jsn_status status =
        jsni_fail(JSN_ERR_DATA, "%s: holds no studies; 'jensen sweep create' makes one",
                  (*out)->shown);
    jsni_store_close(*out);
    *out = NULL;
    return status;
}

jsn_status jsni_store_find(jsni_store **out, const char *url)
{
    bool found = false;
    const char *path = strncmp(url, "sqlite:///", 10) == 0 ? url + 10 : url;
    *out = NULL;
    if (strstr(path, "://") == NULL) {
        JSNI_TRY(jsni_file_find(NULL, path, &found));
        if (!found)
            return JSN_OK;
    }
    JSNI_TRY(open_any(out, url, JSNI_STORE_READ, &found));
    if (!found) {
        jsni_store_close(*out);
        *out = NULL;
    }
    return JSN_OK;
}

void jsni_store_close(jsni_store *store)
{
    if (store == NULL)
        return;
    if (store->engine != NULL)
        store->engine->close(store->connection);
    jsni_free(store->url);
    jsni_free(store->shown);
    jsni_free(store);
}

jsn_status jsni_store_run(jsni_store *store, const char *sql, const char *const *params,
                          size_t count, jsni_store_rows *rows, int64_t *changed)
{
    const jsn_status status =
        store->engine->run(store->connection, sql, params, count, rows, changed);
    if (status == JSN_OK || status == JSN_ERR_MEMORY)
        return status;
    char sentence[512];
    (void)snprintf(sentence, sizeof sentence, "%s", jsn_last_error());
    return jsni_fail(status, "%s: %s", store->shown, sentence);
}

jsn_status jsni_store_begin(jsni_store *store)
{
    if (store->depth == 0)
        JSNI_TRY(jsni_store_run(store, store->engine->begin, NULL, 0, NULL, NULL));
    store->depth++;
    return JSN_OK;
}

jsn_status jsni_store_end(jsni_store *store, jsn_status status)
{
    if (--store->depth > 0)
        return status;
    if (status == JSN_OK)
        status = jsni_store_run(store, "COMMIT", NULL, 0, NULL, NULL);
    if (status != JSN_OK) {
        char sentence[600];
        (void)snprintf(sentence, sizeof sentence, "%s", jsn_last_error());
        const jsn_status undone =
            store->engine->run(store->connection, "ROLLBACK", NULL, 0, NULL, NULL);
        (void)undone; /* the connection is gone, or the transaction is already */
        (void)jsni_fail(status, "%s", sentence);
    }
    return status;
}
