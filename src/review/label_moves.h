/* review/label_moves.h - files of a data set to other places below its root, and back, by the
 * rows of undo.csv. */
#ifndef JSNI_REVIEW_LABEL_MOVES_H
#define JSNI_REVIEW_LABEL_MOVES_H

#include <stddef.h>

#include "jensen/status.h"

/* The folders above a file, below `root`. */
JSN_MUST_CHECK jsn_status jsni_make_way(const char *root, const char *path);

/* A name that is free: "7.jpg", else "7-2.jpg", ... *path, owned, is replaced. */
JSN_MUST_CHECK jsn_status jsni_free_name(const char *root, char **path);

/* How the rows are gone through: to their new places, on with what was stopped on the way
 * there, or back. */
typedef enum jsni_moves { JSNI_MOVES_FORTH, JSNI_MOVES_ON, JSNI_MOVES_BACK } jsni_moves;

/* Moves what undo.csv in `folder` lists below `root`; *moved counts. Where a file of somebody
 * else has taken a new place since, another name is written into undo.csv and taken. */
JSN_MUST_CHECK jsn_status jsni_moves_run(const char *root, const char *folder,
                                         jsni_moves how, size_t *moved);

#endif /* JSNI_REVIEW_LABEL_MOVES_H */
