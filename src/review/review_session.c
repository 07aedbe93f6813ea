/* review/review_session.c - see review_session.h: opening. */
#include "review/review_session.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"

static jsn_status find_class(const jsni_session *s, const jsni_csv *csv,
                             const char *file, size_t row, const char *name,
                             int32_t *out)
{
    const int64_t found = jsni_name_index_find(&s->classes, name);
    if (found < 0)
        return jsni_fail(JSN_ERR_DATA, "%s:%zu: no class '%.60s' in the data", file,
                         jsni_csv_line(csv, row), name);
    *out = (int32_t)found;
    return JSN_OK;
}

/* The labels that were audited, from scores.csv, which has all images in their order. */
static jsn_status read_given(jsni_session *s)
{
    jsni_csv *scores = NULL;
    size_t path = 0, given = 0;
    jsn_status status = jsni_csv_read_in(&scores, s->folder, JSNI_AUDIT_SCORES);
    if (status == JSN_OK)
        status = jsni_csv_find(scores, "path", &path);
    if (status == JSN_OK)
        status = jsni_csv_find(scores, "given", &given);
    if (status == JSN_OK && jsni_csv_rows(scores) != s->audited.samples)
        status = jsni_fail(JSN_ERR_DATA,
                           "%s: %zu images were audited, the data has %zu; audit it "
                           "again",
                           s->folder, jsni_csv_rows(scores), s->audited.samples);
    for (size_t i = 0; status == JSN_OK && i < s->audited.samples; i++) {
        if (strcmp(jsni_csv_cell(scores, i, path), s->audited.paths[i]) != 0)
            status = jsni_fail(JSN_ERR_DATA,
                               "%s: image %zu was '%.200s', the data has '%.200s'; "
                               "audit it again",
                               s->folder, i, jsni_csv_cell(scores, i, path),
                               s->audited.paths[i]);
        else
            status = find_class(s, scores, JSNI_AUDIT_SCORES, i,
                                jsni_csv_cell(scores, i, given), &s->audited.labels[i]);
    }
    jsni_csv_destroy(scores);
    return status;
}

typedef struct suspect_columns {
    size_t path, given, suggested, score, p_given, p_suggested, kind;
} suspect_columns;

static jsn_status find_columns(const jsni_csv *csv, suspect_columns *at)
{
    const struct {
        const char *name;
        size_t *at;
    } wanted[] = {{"path", &at->path},
                  {"given", &at->given},
                  {"suggested", &at->suggested},
                  {"score", &at->score},
                  {"p_given", &at->p_given},
                  {"p_suggested", &at->p_suggested},
                  {"kind", &at->kind}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        JSNI_TRY(jsni_csv_find(csv, wanted[i].name, wanted[i].at));
    return JSN_OK;
}

static jsn_status read_suspect(jsni_session *s, const jsni_csv *csv, const char *file,
                               const suspect_columns *at, size_t row)
{
    const char *path = jsni_csv_cell(csv, row, at->path);
    const char *suggested = jsni_csv_cell(csv, row, at->suggested);
    const int64_t sample = jsni_name_index_find(&s->paths, path);
    double score = 0.0, p_given = 0.0, p_suggested = 0.0;
    jsni_suspect *out = &s->suspects[s->count];
    if (sample < 0)
        return jsni_fail(JSN_ERR_DATA, "%s:%zu: no image '%.200s' in the data", file,
                         jsni_csv_line(csv, row), path);
    JSNI_TRY(jsni_csv_real(csv, row, at->score, &score));
    JSNI_TRY(jsni_csv_real(csv, row, at->p_given, &p_given));
    JSNI_TRY(jsni_csv_real(csv, row, at->p_suggested, &p_suggested));
    *out = (jsni_suspect){.sample = (uint32_t)sample,
                          .given = s->audited.labels[sample],
                          .suggested = -1,
                          .score = (float)score,
                          .p_given = (float)p_given,
                          .p_suggested = (float)p_suggested,
                          .kind = jsni_csv_cell(csv, row, at->kind)};
    if (*suggested != '\0')
        JSNI_TRY(find_class(s, csv, file, row, suggested, &out->suggested));
    s->doubted[sample] = true;
    s->count++;
    return JSN_OK;
}

/* Adds the rows of a table to the suspects. */
static jsn_status read_table(jsni_session *s, const char *file, jsni_csv **csv)
{
    suspect_columns at;
    JSNI_TRY(jsni_csv_read_in(csv, s->folder, file));
    JSNI_TRY(find_columns(*csv, &at));
    const size_t rows = jsni_csv_rows(*csv);
    jsni_suspect *more =
        jsni_realloc(s->suspects, s->count + rows, sizeof *s->suspects);
    JSNI_TRY_ALLOC(more);
    s->suspects = more;
    for (size_t i = 0; i < rows; i++)
        JSNI_TRY(read_suspect(s, *csv, file, &at, i));
    return JSN_OK;
}

/* The sample that is to be checked, where one was drawn (audit_again.c). */
static jsn_status read_check(jsni_session *s)
{
    bool there = false;
    size_t column = 0;
    int64_t population = 0;
    s->check_first = s->count;
    JSNI_TRY(jsni_file_find(s->folder, JSNI_AUDIT_CHECK, &there));
    if (!there)
        return JSN_OK;
    JSNI_TRY(read_table(s, JSNI_AUDIT_CHECK, &s->check));
    JSNI_TRY(jsni_csv_find(s->check, "population", &column));
    const size_t rows = jsni_csv_rows(s->check);
    if (rows > 0)
        JSNI_TRY(jsni_csv_int(s->check, 0, column, &population));
    if (population < (int64_t)rows || population > (int64_t)s->audited.samples)
        return jsni_fail(JSN_ERR_DATA,
                         "%s/%s: %zu labels of %lld, the data has %zu; draw a new "
                         "sample by 'jensen audit --again --check N'",
                         s->folder, JSNI_AUDIT_CHECK, rows, (long long)population,
                         s->audited.samples);
    s->checked_of = (size_t)population;
    return JSN_OK;
}

static jsn_status read_suspects(jsni_session *s)
{
    JSNI_TRY_ALLOC(s->doubted =
                       jsni_alloc_zero(s->audited.samples, sizeof *s->doubted));
    JSNI_TRY(read_table(s, JSNI_AUDIT_SUSPECTS, &s->table));
    return read_check(s);
}

static jsn_status open_all(jsni_session *s, const char *folder, const char *data,
                           const jsn_logger *logger)
{
    JSNI_TRY_ALLOC(s->folder = jsni_text_copy(folder));
    JSNI_TRY(jsni_audited_open_folder(&s->audited, folder, data, logger));
    jsni_file_remove_left(folder, "."); /* of an export that was killed */
    JSNI_TRY(jsni_name_index_make(&s->paths, s->audited.paths, s->audited.samples));
    JSNI_TRY(jsni_name_index_make(&s->classes, s->audited.names, s->audited.classes));
    JSNI_TRY(read_given(s));
    JSNI_TRY(read_suspects(s));
    JSNI_TRY(jsni_chances_read(&s->audited, folder, &s->posteriors));
    JSNI_TRY_ALLOC(s->latest = jsni_alloc_zero(s->audited.samples, sizeof *s->latest));
    JSNI_TRY(jsni_file_log_open(&s->log, folder, JSNI_AUDIT_DECISIONS,
                                JSNI_DECISIONS_CELLS));
    jsni_session_lock(s);
    const jsn_status status = jsni_session_refresh(s);
    jsni_session_unlock(s);
    return status;
}

jsn_status jsni_session_open(jsni_session **out, const char *folder, const char *data,
                             const jsn_logger *logger)
{
    jsni_session *s = jsni_alloc_zero(1, sizeof *s);
    *out = NULL;
    JSNI_TRY_ALLOC(s);
    s->log.fd = -1;
    (void)pthread_mutex_init(&s->mutex, NULL);
    const jsn_status status = open_all(s, folder, data, logger);
    if (status == JSN_OK)
        *out = s;
    else
        jsni_session_close(s);
    return status;
}

void jsni_session_close(jsni_session *session)
{
    if (session == NULL)
        return;
    jsni_file_log_close(&session->log);
    jsni_audited_close(&session->audited);
    jsn_array_release(&session->posteriors);
    jsni_csv_destroy(session->table);
    jsni_csv_destroy(session->check);
    jsni_name_index_release(&session->paths);
    jsni_name_index_release(&session->classes);
    jsni_free(session->suspects);
    jsni_free(session->doubted);
    jsni_free(session->rows);
    jsni_free(session->latest);
    jsni_free(session->folder);
    (void)pthread_mutex_destroy(&session->mutex);
    jsni_free(session);
}
