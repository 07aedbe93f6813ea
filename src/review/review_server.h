/* review/review_server.h - the page of a review on 127.0.0.1. */
#ifndef JSNI_REVIEW_SERVER_H
#define JSNI_REVIEW_SERVER_H

#include "review/review_session.h"

typedef struct jsni_server jsni_server;

/* Whether this build can serve at all; asked before anything is read.
 *   JSN_ERR_UNSUPPORTED  it has no libmicrohttpd */
JSN_MUST_CHECK jsn_status jsni_server_check(void);

/* Serves the session, which is borrowed, in threads of its own. `port` 0: any that is free.
 *   JSN_ERR_UNSUPPORTED  as jsni_server_check()
 *   JSN_ERR_IO           the port is taken
 *   JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_server_open(jsni_server **out, jsni_session *session,
                                           uint16_t port);
void jsni_server_close(jsni_server *server); /* accepts NULL */

/* "http://127.0.0.1:PORT/TOKEN/"; lives as long as the server. */
const char *jsni_server_address(const jsni_server *server);

#endif /* JSNI_REVIEW_SERVER_H */
