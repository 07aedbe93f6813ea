/* review/review_picture.h - the images of a review as files for a browser, made anew from
 * the pixels and never longer a side than asked for. */
#ifndef JSNI_REVIEW_PICTURE_H
#define JSNI_REVIEW_PICTURE_H

#include "review/review_session.h"

enum { JSNI_PICTURE_THUMB = 144, JSNI_PICTURE_LARGE = 1280, JSNI_PICTURE_WHOLE = 4096 };

/* Appends the image, at most `side` pixels a side, to `out`; *type is "image/png" or
 * "image/jpeg". A file is reached from the root of the data without following a link.
 *   JSN_ERR_DATA         no such file, a link, a broken image
 *   JSN_ERR_UNSUPPORTED  this build writes neither format
 *   JSN_ERR_IO, JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_picture_make(const jsni_session *session,
                                            uint32_t sample, size_t side,
                                            jsni_text *out, const char **type);

/* Small pictures that were made, kept while there is room. Threads may share one. */
typedef struct jsni_thumbs jsni_thumbs;

JSN_MUST_CHECK jsn_status jsni_thumbs_create(jsni_thumbs **out, size_t samples);
void jsni_thumbs_destroy(jsni_thumbs *thumbs); /* accepts NULL */

/* jsni_picture_make() of JSNI_PICTURE_THUMB, made once. */
JSN_MUST_CHECK jsn_status jsni_thumbs_get(jsni_thumbs *thumbs,
                                          const jsni_session *session, uint32_t sample,
                                          jsni_text *out, const char **type);

#endif /* JSNI_REVIEW_PICTURE_H */
