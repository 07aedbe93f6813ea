/* review/review.c - jsn_review(): finds the audit, serves its page, waits for the end. */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "review/review_server.h"
#include "store/run_folder.h"

void jsn_review_job_init(jsn_review_job *job)
{
    if (job != NULL)
        *job = (jsn_review_job){0};
}

/* The folder of the audit: the one that is named, or that of the run that is named, which
 * is audited when it has not been. */
static jsn_status find_audit(const jsn_review_job *job, char **folder)
{
    bool run = false, there = false;
    JSNI_TRY(jsni_file_find(job->folder, JSNI_RUN_RESULT, &run));
    if (!run) {
        JSNI_TRY_ALLOC(*folder = jsni_text_copy(job->folder));
        return JSN_OK;
    }
    jsn_audit_job audit;
    jsn_audit_job_init(&audit);
    audit.data = job->folder;
    audit.logger = job->logger;
    audit.stop = job->stop;
    audit.user = job->user;
    char *usual = jsni_audit_usual_folder(&audit);
    JSNI_TRY_ALLOC(usual);
    const jsn_status status = jsni_file_find(usual, JSNI_AUDIT_JSON, &there);
    if (status == JSN_OK && there) {
        *folder = usual;
        return JSN_OK;
    }
    jsni_free(usual);
    return status == JSN_OK ? jsn_audit_data(&audit, folder, NULL) : status;
}

static void wait_for_end(const jsn_review_job *job)
{
    const struct timespec pause = {0, 100 * 1000 * 1000};
    while (!job->stop(job->user))
        (void)nanosleep(&pause, NULL);
}

static jsn_status serve(const jsn_review_job *job, const char *folder,
                        jsn_review_result *result)
{
    jsni_session *session = NULL;
    jsni_server *server = NULL;
    JSNI_TRY(jsni_session_open(&session, folder, job->data, job->logger));
    const jsn_status status = jsni_server_open(&server, session, job->port);
    if (status == JSN_OK) {
        if (job->ready != NULL)
            job->ready(job->user, jsni_server_address(server));
        wait_for_end(job);
    }
    jsni_server_close(server);
    result->suspects = session->count;
    result->decided = jsni_session_decided(session);
    jsni_session_close(session);
    return status;
}

jsn_status jsn_review(const jsn_review_job *job, char **folder,
                      jsn_review_result *result)
{
    JSNI_NEED(job);
    JSNI_NEED(job->folder);
    JSNI_NEED(job->stop);
    JSNI_NEED(result);
    char *place = NULL;
    *result = (jsn_review_result){0};
    JSNI_TRY(jsni_server_check());
    JSNI_TRY(find_audit(job, &place));
    const jsn_status status = serve(job, place, result);
    if (status == JSN_OK && folder != NULL)
        *folder = place;
    else
        jsni_free(place);
    return status;
}
