/* review/review_server.c - see review_server.h: libmicrohttpd in front of the session. The
 * files of the page (review/page) are part of the program. Nothing is stored in the browser
 * but pictures, no cookie is set, and the page may load nothing from elsewhere. */
#define _DEFAULT_SOURCE
#include "review/review_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/number.h"
#include "review/review_page.h"
#include "review/review_picture.h"
#include "review/review_reply.h"
#include "review/review_request.h"

enum { THREADS = 4, MOST_CONNECTIONS = 512, SECONDS = 15, CONNECTION_BYTES = 32768 };
#define MOST_BODY ((size_t)4 << 20)

struct jsni_server {
    struct MHD_Daemon *daemon;
    jsni_session *session; /* borrowed */
    jsni_thumbs *thumbs;
    char *data; /* owned: jsni_reply_data() */
    char token[JSNI_TOKEN_DIGITS + 1];
    char address[96];
};

/* A request on its way; its body grows call by call. */
typedef struct exchange {
    jsni_text body;
} exchange;

/* An answer before it is sent. */
typedef struct answer {
    unsigned status;
    const char *type;
    jsni_text body;       /* owned, */
    const void *constant; /* or this, which outlives the answer */
    size_t length;        /* of `constant` */
    bool keep;            /* the browser may */
} answer;

static void add_headers(struct MHD_Response *response, const answer *a)
{
    static const char *const always[][2] = {
        {"Content-Security-Policy",
         "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; "
         "connect-src 'self'; base-uri 'none'; form-action 'none'; "
         "frame-ancestors 'none'"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
    };
    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++)
        (void)MHD_add_response_header(response, always[i][0], always[i][1]);
    (void)MHD_add_response_header(response, "Content-Type", a->type);
    (void)MHD_add_response_header(response, "Cache-Control",
                                  a->keep ? "private, max-age=86400, immutable"
                                          : "no-store");
}

static enum MHD_Result send_answer(struct MHD_Connection *connection, answer *a)
{
    struct MHD_Response *response =
        a->constant != NULL
            ? MHD_create_response_from_buffer(a->length, (void *)(uintptr_t)a->constant,
                                              MHD_RESPMEM_PERSISTENT)
            : MHD_create_response_from_buffer(a->body.length, a->body.data,
                                              MHD_RESPMEM_MUST_COPY);
    jsni_text_release(&a->body);
    if (response == NULL)
        return MHD_NO;
    add_headers(response, a);
    const enum MHD_Result sent = MHD_queue_response(connection, a->status, response);
    MHD_destroy_response(response);
    return sent;
}

static enum MHD_Result send_sentence(struct MHD_Connection *connection, unsigned status,
                                     const char *sentence)
{
    answer a = {.status = status, .type = "text/plain; charset=utf-8"};
    jsni_text_format(&a.body, "%s\n", sentence);
    return send_answer(connection, &a);
}

/* The file of the page with this name; the page itself has none. */
static bool answer_page(const char *name, answer *a)
{
    for (size_t i = 0; i < jsni_review_page_count; i++) {
        const jsni_embedded *file = &jsni_review_page[i];
        if (strcmp(file->name, *name == '\0' ? "review.html" : name) != 0)
            continue;
        a->type = file->type;
        a->constant = file->bytes;
        a->length = file->length;
        return true;
    }
    return false;
}

/* The number behind `word` in a path, below `limit`. */
static bool is_numbered(const char *path, const char *word, size_t limit, uint32_t *out)
{
    const size_t length = strlen(word);
    int64_t number = 0;
    if (strncmp(path, word, length) != 0 ||
        strspn(path + length, "0123456789") != strlen(path + length) ||
        !jsni_number_int(path + length, strlen(path + length), &number) ||
        (uint64_t)number >= limit)
        return false;
    *out = (uint32_t)number;
    return true;
}

static jsn_status take_text(answer *a, jsn_status status, char *text)
{
    a->type = "application/json";
    if (status == JSN_OK)
        jsni_text_add(&a->body, text);
    jsn_text_release(text);
    return status == JSN_OK ? a->body.status : status;
}

/* *found: the path is one that there is. */
static jsn_status answer_get(jsni_server *server, struct MHD_Connection *connection,
                             const char *path, answer *a, bool *found)
{
    jsni_session *s = server->session;
    uint32_t number = 0;
    char *text = NULL;
    jsn_status status = JSN_OK;
    *found = true;
    if (answer_page(path, a))
        return JSN_OK;
    if (strcmp(path, "data") == 0) {
        a->type = "application/json";
        a->constant = server->data;
        a->length = strlen(server->data);
        return JSN_OK;
    }
    if (strcmp(path, "news") == 0) {
        const char *seen =
            MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "seen");
        if (seen == NULL || !is_numbered(seen, "", UINT32_MAX, &number))
            return jsni_fail(JSN_ERR_ARGUMENT, "news need 'seen', a number");
        status = jsni_reply_news(s, number, &text);
        return take_text(a, status, text);
    }
    if (is_numbered(path, "about/", s->audited.samples, &number)) {
        status = jsni_reply_about(s, number, &text);
        return take_text(a, status, text);
    }
    a->keep = true;
    if (is_numbered(path, "thumb/", s->audited.samples, &number))
        return jsni_thumbs_get(server->thumbs, s, number, &a->body, &a->type);
    if (is_numbered(path, "picture/", s->audited.samples, &number))
        return jsni_picture_make(s, number, JSNI_PICTURE_LARGE, &a->body, &a->type);
    if (is_numbered(path, "whole/", s->audited.samples, &number))
        return jsni_picture_make(s, number, JSNI_PICTURE_WHOLE, &a->body, &a->type);
    *found = false;
    return JSN_OK;
}

static jsn_status answer_post(jsni_server *server, const char *path,
                              const jsni_text *body, answer *a, bool *found)
{
    char *text = NULL;
    bool conflict = false;
    *found = strcmp(path, "decide") == 0;
    if (!*found)
        return JSN_OK;
    const jsn_status status =
        jsni_reply_decide(server->session, body->length > 0 ? body->data : "",
                          body->length, &text, &conflict);
    if (conflict)
        a->status = MHD_HTTP_CONFLICT;
    return take_text(a, status, text);
}

static unsigned http_status(jsn_status status)
{
    switch (status) {
    case JSN_ERR_ARGUMENT:
        return MHD_HTTP_BAD_REQUEST;
    case JSN_ERR_DATA:
        return MHD_HTTP_NOT_FOUND;
    default:
        return MHD_HTTP_INTERNAL_SERVER_ERROR;
    }
}

static enum MHD_Result answer_request(jsni_server *server,
                                      struct MHD_Connection *connection,
                                      const jsni_request *request, exchange *e)
{
    answer a = {.status = MHD_HTTP_OK};
    bool found = false;
    const char *path = jsni_request_rest(request);
    const jsn_status status = strcmp(request->method, "POST") == 0
                                  ? answer_post(server, path, &e->body, &a, &found)
                                  : answer_get(server, connection, path, &a, &found);
    if (status == JSN_OK && found)
        return send_answer(connection, &a);
    jsni_text_release(&a.body);
    return status == JSN_OK
               ? send_sentence(connection, MHD_HTTP_NOT_FOUND, "There is no such page.")
               : send_sentence(connection, http_status(status), jsn_last_error());
}

static const char *header(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* With the headers alone: whether the rest of the request is waited for. */
static unsigned refuse_early(const jsni_server *server,
                             struct MHD_Connection *connection,
                             const jsni_request *request, const char **why)
{
    const char *length = header(connection, "Content-Length");
    int64_t bytes = 0;
    const int refused = jsni_request_refuse(request, server->token, why);
    if (refused != 0)
        return (unsigned)refused;
    *why = "The request is too large.";
    if (length != NULL && (!jsni_number_int(length, strlen(length), &bytes) ||
                           bytes < 0 || (uint64_t)bytes > MOST_BODY))
        return 413;
    return 0;
}

/* libmicrohttpd calls this with the headers, with each piece of the body, and at its end. */
static enum MHD_Result hear(void *user, struct MHD_Connection *connection,
                            const char *url, const char *method, const char *version,
                            const char *piece, size_t *piece_length, void **context)
{
    jsni_server *server = user;
    exchange *e = *context;
    const char *why = NULL;
    const jsni_request request = {.method = method,
                                  .path = url,
                                  .host = header(connection, "Host"),
                                  .origin = header(connection, "Origin"),
                                  .fetch_site = header(connection, "Sec-Fetch-Site"),
                                  .fetch_mode = header(connection, "Sec-Fetch-Mode"),
                                  .fetch_dest = header(connection, "Sec-Fetch-Dest"),
                                  .content_type = header(connection, "Content-Type")};
    (void)version;
    if (e == NULL) {
        const unsigned refused = refuse_early(server, connection, &request, &why);
        if (refused != 0)
            return send_sentence(connection, refused, why);
        *context = e = jsni_alloc_zero(1, sizeof *e);
        return e != NULL ? MHD_YES : MHD_NO;
    }
    if (*piece_length > 0) {
        if (e->body.length + *piece_length > MOST_BODY)
            return MHD_NO; /* no length was said, and there is no end to it */
        jsni_text_add_n(&e->body, piece, *piece_length);
        *piece_length = 0;
        return e->body.status == JSN_OK ? MHD_YES : MHD_NO;
    }
    return answer_request(server, connection, &request, e);
}

static void forget(void *user, struct MHD_Connection *connection, void **context,
                   enum MHD_RequestTerminationCode code)
{
    exchange *e = *context;
    (void)user;
    (void)connection;
    (void)code;
    if (e == NULL)
        return;
    jsni_text_release(&e->body);
    jsni_free(e);
    *context = NULL;
}

/* The path as it was sent: "%2e" is not a way to write a dot here. */
static size_t leave_escapes(void *user, struct MHD_Connection *connection, char *text)
{
    (void)user;
    (void)connection;
    return strlen(text);
}

static jsn_status start(jsni_server *server, uint16_t port)
{
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons(port)};
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server->daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO, port, NULL, NULL, hear, server,
        MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&place, MHD_OPTION_THREAD_POOL_SIZE,
        (unsigned)THREADS, MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_CONNECTIONS,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SECONDS,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
        MHD_OPTION_NOTIFY_COMPLETED, forget, NULL, MHD_OPTION_UNESCAPE_CALLBACK,
        leave_escapes, NULL, MHD_OPTION_END);
    if (server->daemon == NULL)
        return jsni_fail(JSN_ERR_IO, "port %u of 127.0.0.1 cannot be used: %s", port,
                         strerror(errno));
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT);
    (void)snprintf(server->address, sizeof server->address, "http://127.0.0.1:%u/%s/",
                   info != NULL ? (unsigned)info->port : port, server->token);
    return JSN_OK;
}

jsn_status jsni_server_check(void)
{
    return JSN_OK;
}

jsn_status jsni_server_open(jsni_server **out, jsni_session *session, uint16_t port)
{
    jsni_server *server = jsni_alloc_zero(1, sizeof *server);
    *out = NULL;
    JSNI_TRY_ALLOC(server);
    server->session = session;
    jsn_status status = jsni_token_draw(server->token)
                            ? JSN_OK
                            : jsni_fail(JSN_ERR_IO, "the system has no random numbers");
    if (status == JSN_OK)
        status = jsni_reply_data(session, &server->data);
    if (status == JSN_OK)
        status = jsni_thumbs_create(&server->thumbs, session->audited.samples);
    if (status == JSN_OK)
        status = start(server, port);
    if (status == JSN_OK)
        *out = server;
    else
        jsni_server_close(server);
    return status;
}

void jsni_server_close(jsni_server *server)
{
    if (server == NULL)
        return;
    if (server->daemon != NULL)
        MHD_stop_daemon(server->daemon);
    jsni_thumbs_destroy(server->thumbs);
    jsn_text_release(server->data);
    jsni_free(server);
}

const char *jsni_server_address(const jsni_server *server)
{
    return server->address;
}
