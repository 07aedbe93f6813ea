/* review/review_session.h - an audit folder that is being reviewed: the suspects, the images
 * behind them, and what was decided so far. Knows nothing of pages and servers. */
#ifndef JSNI_REVIEW_SESSION_H
#define JSNI_REVIEW_SESSION_H

#include <pthread.h>

#include "core/file_log.h"
#include "review/decisions.h"
#include "review/name_index.h"
#include "review/review_impl.h"

typedef struct jsni_suspect {
    uint32_t sample;
    int32_t given, suggested; /* suggested: -1 for an image that is at fault itself */
    float score, p_given, p_suggested;
    const char *kind; /* of the table */
} jsni_suspect;

/* A row of decisions.csv. */
typedef struct jsni_decided_row {
    uint32_t sample;
    int32_t label; /* of JSNI_DECISION_RELABEL, else -1 */
    jsni_decision what;
    char time[40];
} jsni_decided_row;

typedef struct jsni_session {
    char *folder;         /* owned */
    jsni_audited audited; /* its labels are those that were audited */
    jsn_array posteriors;
    jsni_csv *table;        /* suspects.csv */
    jsni_csv *check;        /* check.csv, or NULL */
    size_t check_first;     /* of suspects: those of the sample, at their end */
    size_t checked_of;      /* labels that it was drawn from; 0: there is no sample */
    jsni_suspect *suspects; /* [count], owned */
    size_t count;
    bool *doubted; /* [samples], owned: among the suspects */
    jsni_name_index paths, classes;

    pthread_mutex_t mutex; /* of what follows */
    jsni_file_log log;
    jsni_decided_row *rows; /* [row_count], owned: all there are, in their order */
    size_t row_count, row_room;
    size_t *
        latest; /* [samples], owned: the last row of an image, counted from 1; 0: none */
} jsni_session;

/* Opens the folder of an audit. `data` names the data set where it is no longer found under
 * the name that it was audited by; NULL: that name.
 *   JSN_ERR_DATA  no audit, a damaged one, or the data has changed since
 *   JSN_ERR_IO, JSN_ERR_MEMORY, and those of jsn_dataset_open() */
JSN_MUST_CHECK jsn_status jsni_session_open(jsni_session **out, const char *folder,
                                            const char *data, const jsn_logger *logger);
void jsni_session_close(jsni_session *session); /* accepts NULL */

/* What the functions below need to be called with, held or not, is said of each. */
void jsni_session_lock(jsni_session *session);
void jsni_session_unlock(jsni_session *session);

/* Takes in what others have added to the file. Locked. */
JSN_MUST_CHECK jsn_status jsni_session_refresh(jsni_session *session);

/* Whether an image has a decision that counts. Locked. */
bool jsni_session_is_decided(const jsni_session *session, uint32_t sample);

/* What is decided about some images. */
typedef struct jsni_ruling {
    const uint32_t *samples; /* [count] */
    size_t count;
    jsni_decision what;
    int32_t label; /* of JSNI_DECISION_RELABEL */
    size_t seen;   /* rows that the one who decides has seen */
} jsni_ruling;

/* Adds a ruling to the file; it is on the disk when this returns JSN_OK. *conflict: an image
 * was decided about behind the rows that were seen, so nothing was added. Locked.
 *   JSN_ERR_DATA, JSN_ERR_IO, JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_session_decide(jsni_session *session,
                                              const jsni_ruling *ruling,
                                              bool *conflict);

/* How many of the suspects are decided about. Locked. */
size_t jsni_session_decided(const jsni_session *session);

#endif /* JSNI_REVIEW_SESSION_H */
