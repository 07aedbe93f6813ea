/* data/copies.c - see copies.h. Samples are sorted by the prints of their images, and those
 * that share one are compared pixel by pixel with the first of them. */
#include "data/copies.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/dataset_impl.h"

uint64_t jsni_image_print(const jsn_image *image)
{
    /* Eight bytes at a time: far faster than the decoding before it. */
    const uint64_t odd = 0x9e3779b97f4a7c15u;
    const size_t bytes = image->width * image->height * JSN_IMAGE_CHANNELS;
    uint64_t print = (image->width * odd) ^ image->height;
    for (size_t i = 0; i < bytes; i += sizeof print) {
        uint64_t word = 0;
        memcpy(&word, image->data + i,
               bytes - i < sizeof word ? bytes - i : sizeof word);
        print = (print ^ word) * odd;
        print ^= print >> 29;
    }
    return print == 0 ? 1 : print;
}

typedef struct found {
    uint64_t print;
    jsn_dataset_copy at;
} found;

static int by_place(const found *a, const found *b)
{
    if (a->at.split != b->at.split)
        return a->at.split < b->at.split ? -1 : 1;
    return (a->at.index > b->at.index) - (a->at.index < b->at.index);
}

static int by_print(const void *left, const void *right)
{
    const found *a = left, *b = right;
    if (a->print != b->print)
        return a->print < b->print ? -1 : 1;
    return by_place(a, b);
}

/* Of groups, by their first sample. */
static int by_first(const void *left, const void *right)
{
    return by_place(*(const found *const *)left, *(const found *const *)right);
}

static bool differ(const jsn_dataset *data, const jsn_dataset_copy *a,
                   const jsn_dataset_copy *b)
{
    return a->split != b->split || jsn_dataset_label(data, a->split, a->index) !=
                                       jsn_dataset_label(data, b->split, b->index);
}

static bool same_pixels(const jsn_image *a, const jsn_image *b)
{
    return a->width == b->width && a->height == b->height &&
           memcmp(a->data, b->data, a->width * a->height * JSN_IMAGE_CHANNELS) == 0;
}

typedef struct search {
    const jsn_dataset *data;
    jsn_dataset_copies_fn *fn;
    void *user;
    jsn_dataset_copy *group; /* room for all */
    jsn_image first, other;
} search;

/* Those of the samples with one print that are copies of the first; reported when they
 * are of several labels or splits. */
static jsn_status report_group(search *s, const found *same)
{
    bool wanted = false;
    size_t copies = 1, count = 1;
    for (; same[count].print == same[0].print; count++)
        wanted = wanted || differ(s->data, &same[0].at, &same[count].at);
    if (!wanted || jsn_dataset_image(s->data, same[0].at.split, same[0].at.index,
                                     &s->first) != JSN_OK)
        return JSN_OK;
    s->group[0] = same[0].at;
    wanted = false;
    for (size_t i = 1; i < count; i++) {
        const jsn_dataset_copy *at = &same[i].at;
        if (jsn_dataset_image(s->data, at->split, at->index, &s->other) != JSN_OK ||
            !same_pixels(&s->first, &s->other))
            continue;
        wanted = wanted || differ(s->data, &same[0].at, at);
        s->group[copies++] = *at;
    }
    return wanted ? s->fn(s->user, s->group, copies) : JSN_OK;
}

/* Fills `all`, ended by a print of 0, and `groups` with where each begins that has more
 * than one sample, by their first samples; how many. */
static size_t group(const jsn_dataset *data, const uint64_t *const prints[JSN_SPLITS],
                    found *all, const found **groups)
{
    size_t count = 0, grouped = 0;
    for (int s = 0; s < JSN_SPLITS; s++)
        for (size_t i = 0; prints[s] != NULL && i < data->splits[s].samples; i++)
            if (prints[s][i] != 0)
                all[count++] = (found){prints[s][i], {(jsn_split)s, i}};
    qsort(all, count, sizeof *all, by_print);
    all[count].print = 0;
    for (size_t i = 0; i < count; i++)
        if ((i == 0 || all[i - 1].print != all[i].print) &&
            all[i + 1].print == all[i].print)
            groups[grouped++] = &all[i];
    qsort(groups, grouped, sizeof *groups, by_first);
    return grouped;
}

jsn_status jsn_dataset_find_copies(const jsn_dataset *data,
                                   const uint64_t *const prints[JSN_SPLITS],
                                   jsn_dataset_copies_fn *fn, void *user)
{
    JSNI_NEED(data);
    JSNI_NEED(prints);
    JSNI_NEED(fn);
    size_t samples = 0;
    for (int s = 0; s < JSN_SPLITS; s++)
        samples += data->splits[s].samples;
    found *all = jsni_alloc(samples + 1, sizeof *all);
    const found **groups = jsni_alloc(samples, sizeof *groups);
    search s = {.data = data, .fn = fn, .user = user};
    s.group = jsni_alloc(samples, sizeof *s.group);
    jsn_status status = JSN_ERR_MEMORY;
    if (all != NULL && groups != NULL && s.group != NULL) {
        const size_t count = group(data, prints, all, groups);
        status = JSN_OK;
        for (size_t i = 0; status == JSN_OK && i < count; i++)
            status = report_group(&s, groups[i]);
    }
    jsn_image_release(&s.first);
    jsn_image_release(&s.other);
    jsni_free(s.group);
    jsni_free(groups);
    jsni_free(all);
    return status;
}
