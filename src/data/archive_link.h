/* data/archive_link.h - where the links in an archive lead: to bytes that the archive
 * holds under another name, or nowhere. Links to files are followed, also over other
 * links; what lies behind a link to a folder is not taken in. */
#ifndef JSNI_DATA_ARCHIVE_LINK_H
#define JSNI_DATA_ARCHIVE_LINK_H

#include "data/listing.h"
#include "jensen/log.h"

/* All links of an archive, in their order; zero-initialise. */
typedef struct jsni_links {
    jsni_listing names;
    jsni_listing targets; /* as the names of members; "" when outside the archive */
    size_t *to; /* [names.count], once followed: the number of a file, or as below */
} jsni_links;

#define JSNI_LINK_NOWHERE ((size_t)-1)
#define JSNI_LINK_FOLDER  ((size_t)-2)
#define JSNI_LINK_UNUSED  ((size_t)-3) /* not wanted, and to no folder */

JSN_MUST_CHECK jsn_status jsni_links_add(jsni_links *links, const char *name,
                                         const char *target);

/* Fills in where the links lead; `wants` says which names count. */
JSN_MUST_CHECK jsn_status jsni_links_follow(jsni_links *links,
                                            const jsni_listing *files,
                                            bool (*wants)(void *user, const char *name),
                                            void *user);

/* Warns of links that lead to no file of the archive `where`. */
void jsni_links_tell(const jsni_links *links, const char *where,
                     const jsn_logger *logger);

/* Adds the links to files to `files`; (*source)[i], owned, becomes the number of the file
 * whose bytes file i has: its own unless it is a link. */
JSN_MUST_CHECK jsn_status jsni_links_list(const jsni_links *links, jsni_listing *files,
                                          size_t **source);
void jsni_links_release(jsni_links *links);

/* The plain name of the member that a symbolic link means, which is relative to the
 * link's folder. `to` has room for JSNI_DATASET_MAX_NAME bytes; false, with "" there,
 * when it leads outside. */
bool jsni_link_target(const char *name, const char *target, char *to);

#endif /* JSNI_DATA_ARCHIVE_LINK_H */
