/* store/schema.c - the tables of Optuna's relational storage, schema version 12, so that
 * Optuna's own tools open our studies. Column names, types, constraints and indices are
 * the ones its models declare.
 *
 * The table alembic_version is left out on purpose: an Optuna that finds schema 12
 * without it stamps its own revision, so any version of that schema can be the first to
 * open the file.
 */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/hd.h"
#include "core/text.h"
#include "store/store_impl.h"

#define SCHEMA "12"

/* %k a counting key, %t a time, %r a double, %d %s %v %i the enumerations. */
static const char *const tables[] = {
    "CREATE TABLE studies (study_id %k, study_name VARCHAR(512) NOT NULL, "
    "PRIMARY KEY (study_id))",
    "CREATE UNIQUE INDEX ix_studies_study_name ON studies (study_name)",
    "CREATE TABLE version_info (version_info_id INTEGER NOT NULL, "
    "schema_version INTEGER, library_version VARCHAR(256), "
    "PRIMARY KEY (version_info_id), CHECK (version_info_id=1))",
    "CREATE TABLE study_directions (study_direction_id %k, direction %d NOT NULL, "
    "study_id INTEGER NOT NULL, objective INTEGER NOT NULL, "
    "PRIMARY KEY (study_direction_id), UNIQUE (study_id, objective), "
    "FOREIGN KEY(study_id) REFERENCES studies (study_id))",
    "CREATE TABLE study_user_attributes (study_user_attribute_id %k, study_id INTEGER, "
    "\"key\" VARCHAR(512), value_json TEXT, PRIMARY KEY (study_user_attribute_id), "
    "UNIQUE (study_id, \"key\"), FOREIGN KEY(study_id) REFERENCES studies (study_id))",
    "CREATE TABLE study_system_attributes (study_system_attribute_id %k, "
    "study_id INTEGER, \"key\" VARCHAR(512), value_json TEXT, "
    "PRIMARY KEY (study_system_attribute_id), UNIQUE (study_id, \"key\"), "
    "FOREIGN KEY(study_id) REFERENCES studies (study_id))",
    "CREATE TABLE trials (trial_id %k, number INTEGER, study_id INTEGER, "
    "state %s NOT NULL, datetime_start %t, datetime_complete %t, "
    "PRIMARY KEY (trial_id), FOREIGN KEY(study_id) REFERENCES studies (study_id))",
    "CREATE INDEX ix_trials_study_id ON trials (study_id)",
    "CREATE TABLE trial_user_attributes (trial_user_attribute_id %k, trial_id INTEGER, "
    "\"key\" VARCHAR(512), value_json TEXT, PRIMARY KEY (trial_user_attribute_id), "
    "UNIQUE (trial_id, \"key\"), FOREIGN KEY(trial_id) REFERENCES trials (trial_id))",
    "CREATE TABLE trial_system_attributes (trial_system_attribute_id %k, "
    "trial_id INTEGER, \"key\" VARCHAR(512), value_json TEXT, "
    "PRIMARY KEY (trial_system_attribute_id), UNIQUE (trial_id, \"key\"), "
    "FOREIGN KEY(trial_id) REFERENCES trials (trial_id))",
    "CREATE TABLE trial_params (param_id %k, trial_id INTEGER, "
    "param_name VARCHAR(512), param_value %r, distribution_json TEXT, "
    "PRIMARY KEY (param_id), UNIQUE (trial_id, param_name), "
    "FOREIGN KEY(trial_id) REFERENCES trials (trial_id))",
    "CREATE TABLE trial_values (trial_value_id %k, trial_id INTEGER NOT NULL, "
    "objective INTEGER NOT NULL, value %r, value_type %v NOT NULL, "
    "PRIMARY KEY (trial_value_id), UNIQUE (trial_id, objective), "
    "FOREIGN KEY(trial_id) REFERENCES trials (trial_id))",
    "CREATE TABLE trial_intermediate_values (trial_intermediate_value_id %k, "
    "trial_id INTEGER NOT NULL, step INTEGER NOT NULL, intermediate_value %r, "
    "intermediate_value_type %i NOT NULL, PRIMARY KEY (trial_intermediate_value_id), "
    "UNIQUE (trial_id, step), FOREIGN KEY(trial_id) REFERENCES trials (trial_id))",
    "CREATE TABLE trial_heartbeats (trial_heartbeat_id %k, trial_id INTEGER NOT NULL, "
    "heartbeat %t NOT NULL, PRIMARY KEY (trial_heartbeat_id), UNIQUE (trial_id), "
    "FOREIGN KEY(trial_id) REFERENCES trials (trial_id))",
    "INSERT INTO version_info VALUES (1, " SCHEMA ", 'jensen')",
};

static void add_words(jsni_text *out, const char *form, const jsni_store_engine *e)
{
    for (; *form != '\0'; form++) {
        if (*form != '%') {
            jsni_text_add_n(out, form, 1);
            continue;
        }
        switch (*++form) {
        case 'k':
            jsni_text_format(out, "%s NOT NULL", e->key);
            break;
        case 't':
            jsni_text_add(out, e->time);
            break;
        case 'r':
            jsni_text_add(out, e->real);
            break;
        case 'd':
            jsni_text_add(out, e->direction);
            break;
        case 's':
            jsni_text_add(out, e->state);
            break;
        case 'v':
            jsni_text_add(out, e->value_kind);
            break;
        default:
            jsni_text_add(out, e->step_kind);
            break;
        }
    }
}

static jsn_status make_tables(jsni_store *store)
{
    const jsni_store_engine *e = store->engine;
    for (size_t i = 0; e->types != NULL && e->types[i] != NULL; i++)
        JSNI_TRY(jsni_store_run(store, e->types[i], NULL, 0, NULL, NULL));
    for (size_t i = 0; i < JSNI_COUNT_OF(tables); i++) {
        jsni_text sql = {0};
        char *statement = NULL;
        add_words(&sql, tables[i], e);
        JSNI_TRY(jsni_text_take(&sql, &statement));
        const jsn_status status = jsni_store_run(store, statement, NULL, 0, NULL, NULL);
        jsni_free(statement);
        JSNI_TRY(status);
    }
    return JSN_OK;
}

jsn_status jsni_schema_find(jsni_store *store, bool *found)
{
    jsni_store_rows rows = {0};
    *found = false;
    /* A failing query would end a PostgreSQL transaction, so the catalogue is asked
     * first. */
    const bool server = strcmp(store->engine->name, "sqlite") != 0;
    jsn_status status = jsni_store_run(
        store,
        server ? "SELECT table_name FROM information_schema.tables WHERE "
                 "table_name IN ('version_info', 'trials') AND "
                 "table_schema = ANY (current_schemas(false))"
               : "SELECT name FROM sqlite_master WHERE type = 'table' AND "
                 "name IN ('version_info', 'trials')",
        NULL, 0, &rows, NULL);
    const size_t count = rows.rows;
    jsni_store_rows_release(&rows);
    if (status != JSN_OK || count == 0)
        return status;
    if (count == 2)
        status = jsni_store_run(store, "SELECT schema_version FROM version_info", NULL,
                                0, &rows, NULL);
    if (status == JSN_OK &&
        (rows.rows != 1 || strcmp(jsni_store_cell(&rows, 0, 0), SCHEMA) != 0))
        status = jsni_fail(JSN_ERR_DATA,
                           "%s: holds tables of another schema (%s, not Optuna's "
                           "schema " SCHEMA ")",
                           store->shown,
                           rows.rows == 1 ? jsni_store_cell(&rows, 0, 0) : "unknown");
    jsni_store_rows_release(&rows);
    *found = status == JSN_OK;
    return status;
}

jsn_status jsni_schema_make(jsni_store *store)
{
    bool found = false;
    JSNI_TRY(jsni_schema_find(store, &found));
    if (found)
        return JSN_OK;
    /* Another process may be making them, too: look again inside the transaction. */
    JSNI_TRY(jsni_store_begin(store));
    jsn_status status = JSN_OK;
    if (store->engine->guard != NULL)
        status = jsni_store_run(store, store->engine->guard, NULL, 0, NULL, NULL);
    if (status == JSN_OK)
        status = jsni_schema_find(store, &found);
    if (status == JSN_OK && !found)
        status = make_tables(store);
    return jsni_store_end(store, status);
}
