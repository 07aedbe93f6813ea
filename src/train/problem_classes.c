/* train/problem_classes.c - see problem.h: classes of which no image can be read, and those
 * that validation does not see. Both make a result look better than it is. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/progress.h"
#include "core/text.h"
#include "core/words.h"
#include "data/sample_measure.h"
#include "train/problem.h"

enum { MOST_NAMED = 5 };

/* Images of each class by the labels that are used: all of them, and whether the header
 * of one reads. Few images are looked at where the data is sound. */
static jsn_status probe(const jsni_part *part, size_t *all, uint8_t *reads)
{
    for (size_t i = 0; i < part->count; i++) {
        const size_t k = (size_t)part->used[i];
        size_t width = 0, height = 0;
        all[k]++;
        if (reads[k])
            continue;
        const jsn_status status = jsni_sample_measure(part->data, part->split,
                                                      part->index[i], &width, &height);
        /* A disk that fails is told of where images are read. */
        reads[k] = status == JSN_OK || status == JSN_ERR_IO;
        if (!reads[k] && status != JSN_ERR_DATA)
            return status;
    }
    return JSN_OK;
}

/* Why the first image of a class cannot be read: the sentence of the failure. */
static const char *reason_of(const jsni_part *part, size_t k)
{
    size_t i = 0, width = 0, height = 0;
    while ((size_t)part->used[i] != k)
        i++;
    return jsni_sample_measure(part->data, part->split, part->index[i], &width,
                               &height) == JSN_OK
               ? "it can be read now"
               : jsn_last_error();
}

static jsn_status judge(jsni_problem *p, const size_t *all, const uint8_t *reads,
                        const jsn_logger *logger)
{
    size_t usable = 0, lost = 0, first = p->classes;
    for (size_t k = p->classes; k-- > 0;) {
        usable += reads[k];
        p->unread[k] = all[k] > 0 && !reads[k];
        lost += p->unread[k];
        first = p->unread[k] ? k : first;
    }
    if (lost == 0)
        return JSN_OK;
    char more[64] = "";
    if (lost > 1)
        (void)jsni_format(more, sizeof more, ", nor any of %zu other %s", lost - 1,
                          jsni_noun(lost - 1, "class", "classes"));
    if (usable < 2)
        return jsni_fail(
            JSN_ERR_DATA,
            "%s: a classifier needs readable images of at least two classes; none of "
            "the %zu of '%.100s' can be read%s, such as %.300s",
            jsn_dataset_about(p->data)->spec, all[first],
            jsn_dataset_class(p->data, first), more, reason_of(&p->train, first));
    for (size_t k = first, named = 0; k < p->classes && named < MOST_NAMED; k++)
        if (p->unread[k] && ++named > 0)
            jsni_say(
                logger, JSN_LOG_WARNING,
                "class '%.100s' is not learned: none of its %zu training %s can be "
                "read, such as %.300s",
                jsn_dataset_class(p->data, k), all[k],
                jsni_noun(all[k], "image", "images"), reason_of(&p->train, k));
    if (lost > MOST_NAMED)
        jsni_say(logger, JSN_LOG_WARNING,
                 "%zu more classes have no training image that can be read",
                 lost - MOST_NAMED);
    return JSN_OK;
}

jsn_status jsni_problem_check_readable(jsni_problem *p, const jsn_logger *logger)
{
    size_t *all = jsni_alloc_zero(p->classes, sizeof *all);
    uint8_t *reads = jsni_alloc_zero(p->classes, 1);
    p->unread = jsni_alloc_zero(p->classes, 1);
    jsn_status status = JSN_ERR_MEMORY;
    if (all != NULL && reads != NULL && p->unread != NULL)
        status = probe(&p->train, all, reads);
    if (status == JSN_OK)
        status = judge(p, all, reads, logger);
    jsni_free(reads);
    jsni_free(all);
    return status;
}

void jsni_problem_warn_of_unseen(const jsni_problem *p, const jsn_logger *logger)
{
    size_t *count = jsni_alloc_zero(p->classes, sizeof *count);
    uint8_t *seen = jsni_alloc_zero(p->classes, 1);
    size_t unseen = 0, first = 0;
    if (count != NULL && seen != NULL && p->val.data == p->data) {
        for (size_t i = 0; i < p->train.count; i++)
            count[p->train.given[i]]++;
        for (size_t i = 0; i < p->val.count; i++)
            seen[p->val.given[i]] = 1;
        for (size_t k = p->classes; k-- > 0;)
            if (count[k] > 0 && !seen[k]) {
                first = k;
                unseen++;
            }
    }
    if (unseen == 1)
        jsni_say(
            logger, JSN_LOG_WARNING,
            "class '%.100s' (%zu %s) has no validation image: the validation accuracy "
            "says nothing of it",
            jsn_dataset_class(p->data, first), count[first],
            jsni_noun(count[first], "image", "images"));
    if (unseen > 1)
        jsni_say(
            logger, JSN_LOG_WARNING,
            "%zu of %zu classes have no validation image, such as '%.100s' (%zu %s): "
            "the "
            "validation accuracy says nothing of them",
            unseen, p->classes, jsn_dataset_class(p->data, first), count[first],
            jsni_noun(count[first], "image", "images"));
    jsni_free(seen);
    jsni_free(count);
}
