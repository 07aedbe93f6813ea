/* store/trial_read.c - see study.h: whole trials out of the database, by four queries
 * whatever their number. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/number.h"
#include "core/text.h"
#include "store/study_sql.h"

void jsni_trials_release(jsni_trial *trials, size_t count)
{
    for (size_t i = 0; trials != NULL && i < count; i++) {
        for (size_t k = 0; k < trials[i].param_count; k++) {
            jsni_free(trials[i].params[k].name);
            jsni_free(trials[i].params[k].distribution);
        }
        for (size_t k = 0; k < trials[i].attr_count; k++) {
            jsni_free(trials[i].attrs[k].key);
            jsni_free(trials[i].attrs[k].json);
        }
        jsni_free(trials[i].params);
        jsni_free(trials[i].attrs);
        jsni_free(trials[i].steps);
    }
    jsni_free(trials);
}

const char *jsni_trial_attr(const jsni_trial *trial, const char *key)
{
    for (size_t i = 0; i < trial->attr_count; i++)
        if (strcmp(trial->attrs[i].key, key) == 0)
            return trial->attrs[i].json;
    return NULL;
}

static double to_real(const char *text)
{
    double value = NAN;
    return jsni_number_real(text, strlen(text), &value) ? value : NAN;
}

/* The trial with this id; ids grow with the numbers, and rows come in their order, so
 * `from` is the place of the previous one. */
static jsni_trial *find_trial(jsni_trial *trials, size_t count, int64_t id,
                              size_t *from)
{
    while (*from < count && trials[*from].id < id)
        ++*from;
    return *from < count && trials[*from].id == id ? &trials[*from] : NULL;
}

/* Room for one more entry; arrays grow at powers of two. */
static void *grow(void *items, size_t count, size_t size)
{
    if (count != 0 && (count & (count - 1)) != 0)
        return items;
    return jsni_realloc(items, count == 0 ? 1 : 2 * count, size);
}

static jsn_status add_param(jsni_trial *t, const jsni_store_rows *rows, size_t r)
{
    jsni_trial_param *items = grow(t->params, t->param_count, sizeof *items);
    JSNI_TRY_ALLOC(items);
    t->params = items;
    jsni_trial_param *p = &items[t->param_count];
    *p =
        (jsni_trial_param){.name = jsni_text_copy(jsni_store_cell(rows, r, 1)),
                           .value = to_real(jsni_store_cell(rows, r, 2)),
                           .distribution = jsni_text_copy(jsni_store_cell(rows, r, 3))};
    t->param_count++;
    return p->name == NULL || p->distribution == NULL ? JSN_ERR_MEMORY : JSN_OK;
}

static jsn_status add_attr(jsni_trial *t, const char *prefix, const char *key,
                           const char *json)
{
    jsni_attr *items = grow(t->attrs, t->attr_count, sizeof *items);
    JSNI_TRY_ALLOC(items);
    t->attrs = items;
    jsni_text name = {0};
    jsni_attr *a = &items[t->attr_count];
    *a = (jsni_attr){0};
    t->attr_count++;
    jsni_text_format(&name, "%s%s", prefix, key);
    JSNI_TRY(jsni_text_take(&name, &a->key));
    JSNI_TRY_ALLOC(a->json = jsni_text_copy(json));
    return JSN_OK;
}

static jsn_status add_step(jsni_trial *t, int64_t step, double value)
{
    enum { MOST_STEPS = 1000000 };
    if (step < 1 || step > MOST_STEPS)
        return JSN_OK; /* of another program */
    if ((size_t)step > t->step_count) {
        double *steps = jsni_realloc(t->steps, (size_t)step, sizeof *steps);
        JSNI_TRY_ALLOC(steps);
        for (size_t i = t->step_count; i < (size_t)step; i++)
            steps[i] = NAN;
        t->steps = steps;
        t->step_count = (size_t)step;
    }
    t->steps[step - 1] = value;
    return JSN_OK;
}

typedef enum part { PARAMS, USER, SYSTEM, STEPS } part;

static const char *const part_sql[] = {
    "SELECT x.trial_id, x.param_name, x.param_value, x.distribution_json FROM "
    "trial_params x",
    "SELECT x.trial_id, x.\"key\", x.value_json FROM trial_user_attributes x",
    "SELECT x.trial_id, x.\"key\", x.value_json FROM trial_system_attributes x",
    "SELECT x.trial_id, x.step, x.intermediate_value FROM trial_intermediate_values x",
};
static const char *const part_order[] = {"x.param_id", "x.\"key\"", "x.\"key\"",
                                         "x.step"};

static jsn_status read_part(const jsni_study *study, int64_t only, part which,
                            jsni_trial *trials, size_t count)
{
    char id[JSNI_SQL_INT], sql[400];
    jsni_store_rows rows = {0};
    jsni_sql_int(id, only != 0 ? only : study->id);
    const char *const params[] = {id};
    (void)snprintf(sql, sizeof sql,
                   "%s JOIN trials t ON t.trial_id = x.trial_id WHERE %s = $1 ORDER BY "
                   "x.trial_id, %s",
                   part_sql[which], only != 0 ? "t.trial_id" : "t.study_id",
                   part_order[which]);
    JSNI_TRY(jsni_store_run(study->store, sql, params, 1, &rows, NULL));
    jsn_status status = JSN_OK;
    size_t from = 0;
    for (size_t r = 0; status == JSN_OK && r < rows.rows; r++) {
        jsni_trial *t = find_trial(
            trials, count, jsni_sql_to_int(jsni_store_cell(&rows, r, 0)), &from);
        if (t == NULL)
            continue;
        if (which == PARAMS)
            status = add_param(t, &rows, r);
        else if (which == STEPS)
            status = add_step(t, jsni_sql_to_int(jsni_store_cell(&rows, r, 1)),
                              to_real(jsni_store_cell(&rows, r, 2)));
        else
            status =
                add_attr(t, which == SYSTEM ? "system:" : "",
                         jsni_store_cell(&rows, r, 1), jsni_store_cell(&rows, r, 2));
    }
    jsni_store_rows_release(&rows);
    return status;
}

jsn_status jsni_trials_read(const jsni_study *study, int64_t only, bool steps,
                            jsni_trial **out, size_t *count)
{
    char id[JSNI_SQL_INT], sql[400];
    jsni_store_rows rows = {0};
    jsni_sql_int(id, only != 0 ? only : study->id);
    const char *const params[] = {id};
    *out = NULL;
    *count = 0;
    (void)snprintf(sql, sizeof sql,
                   "SELECT t.trial_id, t.number, t.state, v.value FROM trials t LEFT "
                   "JOIN trial_values v ON v.trial_id = t.trial_id AND v.objective = 0 "
                   "WHERE %s = $1 ORDER BY t.trial_id",
                   only != 0 ? "t.trial_id" : "t.study_id");
    JSNI_TRY(jsni_store_run(study->store, sql, params, 1, &rows, NULL));
    jsni_trial *trials = jsni_alloc_zero(rows.rows, sizeof *trials);
    const size_t total = rows.rows;
    jsn_status status = trials == NULL ? JSN_ERR_MEMORY : JSN_OK;
    for (size_t r = 0; status == JSN_OK && r < total; r++) {
        trials[r].id = jsni_sql_to_int(jsni_store_cell(&rows, r, 0));
        trials[r].number = jsni_sql_to_int(jsni_store_cell(&rows, r, 1));
        trials[r].state = jsni_trial_state_of(jsni_store_cell(&rows, r, 2));
        trials[r].value = to_real(jsni_store_cell(&rows, r, 3));
    }
    jsni_store_rows_release(&rows);
    for (int which = PARAMS; status == JSN_OK && which <= (steps ? STEPS : SYSTEM);
         which++)
        status = read_part(study, only, (part)which, trials, total);
    if (status != JSN_OK) {
        jsni_trials_release(trials, total);
        return status;
    }
    *out = trials;
    *count = total;
    return JSN_OK;
}

jsn_status jsni_study_step_values(const jsni_study *study, int64_t step, double **out,
                                  size_t *count)
{
    char id[JSNI_SQL_INT], at[JSNI_SQL_INT];
    jsni_store_rows rows = {0};
    jsni_sql_int(id, study->id);
    jsni_sql_int(at, step);
    const char *const params[] = {id, at};
    *out = NULL;
    *count = 0;
    JSNI_TRY(jsni_store_run(study->store,
                            "SELECT x.intermediate_value FROM "
                            "trial_intermediate_values x JOIN trials t ON t.trial_id = "
                            "x.trial_id WHERE t.study_id = $1 AND x.step = $2 AND "
                            "t.state = 'COMPLETE' AND x.intermediate_value IS NOT NULL",
                            params, 2, &rows, NULL));
    double *values = jsni_alloc(rows.rows, sizeof *values);
    for (size_t r = 0; values != NULL && r < rows.rows; r++)
        values[r] = to_real(jsni_store_cell(&rows, r, 0));
    *count = rows.rows;
    *out = values;
    jsni_store_rows_release(&rows);
    return values == NULL ? JSN_ERR_MEMORY : JSN_OK;
}
