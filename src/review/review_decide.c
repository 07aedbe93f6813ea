/* review/review_decide.c - see review_session.h: what is decided. The file is the truth:
 * every ruling takes in what other windows and processes have added before it adds its own
 * rows. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "review/review_session.h"

void jsni_session_lock(jsni_session *session)
{
    (void)pthread_mutex_lock(&session->mutex);
}

void jsni_session_unlock(jsni_session *session)
{
    (void)pthread_mutex_unlock(&session->mutex);
}

static jsn_status reserve_rows(jsni_session *s, size_t more)
{
    if (s->row_room - s->row_count >= more)
        return JSN_OK;
    const size_t room = 2 * s->row_room + more;
    jsni_decided_row *rows = jsni_realloc(s->rows, room, sizeof *rows);
    JSNI_TRY_ALLOC(rows);
    s->rows = rows;
    s->row_room = room;
    return JSN_OK;
}

static void add_row(jsni_session *s, const jsni_decided_row *row)
{
    s->rows[s->row_count++] = *row;
    s->latest[row->sample] = s->row_count;
}

/* Rows of images that the data no longer has stay in the file, and count for nobody. */
static jsn_status take_row(jsni_session *s, const jsni_decided *d)
{
    const int64_t sample = jsni_name_index_find(&s->paths, d->path);
    if (sample < 0)
        return JSN_OK;
    jsni_decided_row row = {.sample = (uint32_t)sample, .label = -1, .what = d->what};
    (void)snprintf(row.time, sizeof row.time, "%s", d->time);
    if (d->what == JSNI_DECISION_RELABEL) {
        row.label = (int32_t)jsni_name_index_find(&s->classes, d->label);
        if (row.label < 0)
            return jsni_fail(JSN_ERR_DATA,
                             "%s: '%.200s' gets the class '%.60s', which "
                             "the data does not have",
                             JSNI_AUDIT_DECISIONS, d->path, d->label);
    }
    JSNI_TRY(reserve_rows(s, 1));
    add_row(s, &row);
    return JSN_OK;
}

/* The columns in the order in which rows are added. A spreadsheet that has saved the file
 * puts a mark before them and ends lines in its own way. */
static bool begins_with_names(const jsni_text *news)
{
    static const char mark[] = "\xef\xbb\xbf";
    const size_t names = sizeof JSNI_DECISIONS_HEADER - 2;
    const char *at = news->data;
    if (strncmp(at, mark, sizeof mark - 1) == 0)
        at += sizeof mark - 1;
    if (strncmp(at, JSNI_DECISIONS_HEADER, names) != 0)
        return false;
    at += names;
    return *at == '\n' || (*at == '\r' && at[1] == '\n');
}

/* The new rows of the file; the first one of all names the columns. */
static jsn_status take_news(jsni_session *s, const jsni_text *news, bool from_start)
{
    jsni_text text = {0};
    jsni_decisions made = {0};
    if (news->length == 0)
        return JSN_OK;
    if (from_start && !begins_with_names(news))
        return jsni_fail(JSN_ERR_DATA, "%s/%s: the first row is not %.24s", s->folder,
                         JSNI_AUDIT_DECISIONS, JSNI_DECISIONS_HEADER);
    if (!from_start)
        jsni_text_add(&text, JSNI_DECISIONS_HEADER);
    jsni_text_add_n(&text, news->data, news->length);
    jsn_status status = text.status;
    if (status == JSN_OK)
        status = jsni_decisions_parse(&made, text.data, text.length);
    for (size_t i = 0; status == JSN_OK && i < made.count; i++)
        status = take_row(s, &made.list[i]);
    jsni_decisions_release(&made);
    jsni_text_release(&text);
    return status;
}

/* Takes the file, with what is new in it. */
static jsn_status lock_file(jsni_session *s)
{
    jsni_text news = {0};
    const bool from_start = s->log.known == 0;
    jsn_status status = jsni_file_log_lock(&s->log, &news);
    if (status == JSN_OK) {
        status = take_news(s, &news, from_start);
        if (status != JSN_OK)
            jsni_file_log_unlock(&s->log);
    }
    jsni_text_release(&news);
    return status;
}

jsn_status jsni_session_refresh(jsni_session *session)
{
    JSNI_TRY(lock_file(session));
    jsni_file_log_unlock(&session->log);
    return JSN_OK;
}

bool jsni_session_is_decided(const jsni_session *session, uint32_t sample)
{
    const size_t latest = session->latest[sample];
    return latest > 0 && session->rows[latest - 1].what != JSNI_DECISION_UNDO;
}

size_t jsni_session_decided(const jsni_session *session)
{
    size_t decided = 0;
    for (size_t i = 0; i < session->count; i++)
        decided += jsni_session_is_decided(session, session->suspects[i].sample);
    return decided;
}

/* 2026-01-31T12:00:00.123Z; rows of one ruling have the same. */
static void write_time(char text[40])
{
    struct timespec now = {0};
    struct tm parts;
    char day[24] = "";
    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (gmtime_r(&now.tv_sec, &parts) != NULL)
        (void)strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &parts);
    (void)snprintf(text, 40, "%s.%03dZ", day, (int)(now.tv_nsec / 1000000));
}

static jsn_status add_rows(jsni_session *s, const jsni_ruling *r)
{
    jsni_csv_writer csv = {0};
    jsni_decided_row row = {.label = -1, .what = r->what};
    write_time(row.time);
    if (s->log.known == 0)
        jsni_text_add(&csv.text, JSNI_DECISIONS_HEADER);
    if (r->what == JSNI_DECISION_RELABEL)
        row.label = r->label;
    for (size_t i = 0; i < r->count; i++) {
        jsni_csv_add(&csv, s->audited.paths[r->samples[i]]);
        jsni_csv_add(&csv, jsni_decision_name(r->what));
        jsni_csv_add(&csv, row.label < 0 ? "" : s->audited.names[row.label]);
        jsni_csv_add(&csv, row.time);
        jsni_csv_end_row(&csv);
    }
    jsn_status status = csv.text.status;
    if (status == JSN_OK)
        status = reserve_rows(s, r->count);
    if (status == JSN_OK)
        status = jsni_file_log_add(&s->log, csv.text.data, csv.text.length);
    for (size_t i = 0; status == JSN_OK && i < r->count; i++) {
        row.sample = r->samples[i];
        add_row(s, &row);
    }
    jsni_text_release(&csv.text);
    return status;
}

jsn_status jsni_session_decide(jsni_session *session, const jsni_ruling *ruling,
                               bool *conflict)
{
    *conflict = false;
    JSNI_TRY(lock_file(session));
    for (size_t i = 0; i < ruling->count; i++)
        *conflict |= session->latest[ruling->samples[i]] > ruling->seen;
    const jsn_status status = *conflict ? JSN_OK : add_rows(session, ruling);
    jsni_file_log_unlock(&session->log);
    return status;
}
