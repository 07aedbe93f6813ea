/* Fuzz target: the folder of an audit, as `jensen review` opens it and adds to it. The input is
 * scores.csv, suspects.csv and decisions.csv, with a line "@" between them. What is decided is
 * there when the folder is opened again.
 * covers: review/review_session.c review/review_decide.c review/decisions.c core/file_log.c */
#define _GNU_SOURCE
#include "fuzz/fuzz.h"

#include "fuzz/fuzz_audit_folder.h"

static const char *const parts[] = {JSNI_AUDIT_SCORES, JSNI_AUDIT_SUSPECTS,
                                    JSNI_AUDIT_DECISIONS};

static jsni_session *open_folder(void)
{
    jsni_session *session = NULL;
    const jsn_status status =
        jsni_session_open(&session, fuzz_folder, fuzz_audit_data, NULL);
    FUZZ_CHECK(status == JSN_OK || status == JSN_ERR_DATA);
    FUZZ_CHECK((status == JSN_OK) == (session != NULL));
    return session;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint32_t samples[] = {0, FUZZ_IMAGES - 1};
    bool conflict = false;
    if (fuzz_folder[0] == '\0')
        fuzz_audit_begin();
    fuzz_folder_put_parts(parts, 3, data, size);
    jsni_session *session = open_folder();
    if (session == NULL)
        return 0;
    jsni_session_lock(session);
    const size_t rows = session->row_count;
    const jsni_ruling ruling = {samples, 2, JSNI_DECISION_RELABEL, FUZZ_CLASSES - 1,
                                rows};
    FUZZ_CHECK(jsni_session_decided(session) <= session->count);
    FUZZ_CHECK(jsni_session_decide(session, &ruling, &conflict) == JSN_OK && !conflict);
    jsni_session_unlock(session);
    jsni_session_close(session);
    session = open_folder();
    FUZZ_CHECK(session != NULL && session->row_count == rows + 2);
    FUZZ_CHECK(jsni_session_is_decided(session, 0) &&
               jsni_session_is_decided(session, FUZZ_IMAGES - 1));
    jsni_session_close(session);
    return 0;
}
