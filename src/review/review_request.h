/* review/review_request.h - who may ask the server of a review for something. */
#ifndef JSNI_REVIEW_REQUEST_H
#define JSNI_REVIEW_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

enum { JSNI_TOKEN_DIGITS = 32 };

/* What a request says of itself; NULL: it has no such header. */
typedef struct jsni_request {
    const char *method, *path; /* the path as it was sent, without the query */
    const char *host, *origin, *content_type;
    const char *fetch_site, *fetch_mode, *fetch_dest;
} jsni_request;

/* The status of the answer that refuses the request, 0 when it may pass; *why is then a
 * sentence. The page is reached under a loopback name with any port, since a tunnel may
 * change the port; another site's page that asks is refused by Host (a name of its own that
 * leads to 127.0.0.1), by Origin and by Sec-Fetch-Site, and without the token by that. A
 * window that comes from elsewhere by the whole address, as by a link or by the file that
 * opens it, may. */
int jsni_request_refuse(const jsni_request *request, const char *token,
                        const char **why);

/* The path behind "/TOKEN/". */
const char *jsni_request_rest(const jsni_request *request);

/* Draws a token: JSNI_TOKEN_DIGITS hexadecimal digits. false: the system has none. */
bool jsni_token_draw(char token[JSNI_TOKEN_DIGITS + 1]);

#endif /* JSNI_REVIEW_REQUEST_H */
