/* core/names.h - the sentence for a name that a table does not have. Whoever looks a name
 * up in vain shows every name there is to jsni_names_add() and ends in jsni_names_fail(),
 * which says which one was probably meant, or else which there are.
 *
 *     jsni_names names;
 *     jsni_names_begin(&names, spec, NULL);
 *     for (size_t i = 0; i < JSNI_COUNT_OF(table); i++)
 *         jsni_names_add(&names, table[i]->info.name);
 *     return jsni_names_fail(&names, JSN_ERR_UNKNOWN_NAME, "no network '%s'", names.word);
 */
#ifndef JSNI_CORE_NAMES_H
#define JSNI_CORE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/text.h"

typedef struct jsni_names {
    char word[96];      /* what was asked for */
    char nearest[96];   /* "" as long as no name is near */
    size_t best;        /* its distance */
    const char *lister; /* borrowed */
    char known[600];
    jsni_text list; /* of the names, in `known` */
} jsni_names;       /* not to be copied */

/* `spec` is a name, or a spec ("name:..."), whose parameters are left out. `lister` says
 * what lists the names ("--help") where they are too many for a sentence; NULL: the
 * sentence does. */
void jsni_names_begin(jsni_names *names, const char *spec, const char *lister);
void jsni_names_add(jsni_names *names, const char *name);

/* "<sentence>; did you mean 'a'?", or where no name is near "<sentence> (there are: a,
 * b)" or "<sentence>; <lister> lists them". Returns `status`. */
jsn_status jsni_names_fail(const jsni_names *names, jsn_status status,
                           const char *format, ...) JSNI_PRINTF(3, 4);

/* Letters to change, add, drop or swap with the next to get from a to b; capital letters
 * are as good as small ones. 40 when one of them is longer than that or NULL. */
size_t jsni_name_distance(const char *a, const char *b);

/* For "did you mean": whether `word` may be a slip for `name`, and one that is smaller
 * than *best, which is SIZE_MAX at first and becomes the distance. */
bool jsni_name_nearer(const char *word, const char *name, size_t *best);

#endif /* JSNI_CORE_NAMES_H */
