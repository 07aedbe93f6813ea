/* review/review_reply.h - what the page of a review asks for, as JSON. */
#ifndef JSNI_REVIEW_REPLY_H
#define JSNI_REVIEW_REPLY_H

#include "review/review_session.h"

/* All of these give an owned text (jsn_text_release()) and lock the session themselves.
 *   JSN_ERR_MEMORY, and those that are named */

/* The suspects, classes and kinds; nothing of it changes while the session is open. */
JSN_MUST_CHECK jsn_status jsni_reply_data(jsni_session *session, char **out);

/* The rows of decisions.csv behind the first `seen`, and how many there are:
 * {"rows":[[sample,decision,label,time],...],"seen":12}.
 *   JSN_ERR_DATA, JSN_ERR_IO */
JSN_MUST_CHECK jsn_status jsni_reply_news(jsni_session *session, size_t seen,
                                          char **out);

/* The most probable classes of an image, and images of the classes in question that the
 * network takes for something alike: {"top":[[class,p],...],"like":[[class,[sample,...]]]}. */
JSN_MUST_CHECK jsn_status jsni_reply_about(jsni_session *session, uint32_t sample,
                                           char **out);

/* Decides as the body says: {"samples":[3,5],"decision":"relabel","label":2,"seen":12}; the
 * answer is that of jsni_reply_news(). *conflict as jsni_session_decide().
 *   JSN_ERR_ARGUMENT      not such a body
 *   JSN_ERR_DATA, JSN_ERR_IO  the decision is not on the disk */
JSN_MUST_CHECK jsn_status jsni_reply_decide(jsni_session *session, const char *body,
                                            size_t length, char **out, bool *conflict);

#endif /* JSNI_REVIEW_REPLY_H */
