/* loss/lane_columns.h - rows of samples whose lanes are samples: transposed on the way in
 * and out; part of lane_driver.c. */
#ifndef JSNI_LOSS_LANE_COLUMNS_H
#define JSNI_LOSS_LANE_COLUMNS_H

#include <stdbool.h>
#include <string.h>

#include "loss/lane_io.h"

/* Up to this many classes a target is written whole, which takes less time than one number
 * a sample. */
enum { WHOLE_CLASSES = 32 };

static bool is_chosen(const jsni_loss_job *job, size_t sample)
{
    return job->chooser == NULL || (job->chooser[sample] != 0) == job->chosen;
}

#ifndef JSNI_LEVEL_DOUBLE
/* `lanes` rows of a view, transposed; missing lanes become 0. */
static void load_apart(const float *from, size_t classes, size_t lanes, jsni_real *to)
{
    if (lanes == JSNI_LANES && classes >= 4) {
        size_t k = 0;
#ifdef VEC_COLUMNS_8
        for (; k + 8 <= classes; k += 8)
            vec_columns_load_8(from + k, classes, to + k);
#endif
        for (; k + 4 <= classes; k += 4)
            vec_columns_load(from + k, classes, to + k);
        if (classes % 4 != 0) /* the last four once more, rather than one by one */
            vec_columns_load(from + classes - 4, classes, to + classes - 4);
        return;
    }
    float *cell = (float *)to;
    for (size_t k = 0; k < classes; k++)
        for (size_t i = 0; i < JSNI_LANES; i++)
            cell[k * JSNI_LANES + i] = i < lanes ? from[i * classes + k] : 0.0f;
}

/* Rows of a table, transposed, at the labels of `lanes` samples. */
static void load_table_apart(const jsni_loss_job *job, size_t sample, size_t lanes,
                             jsni_real *to)
{
    float *cell = (float *)to;
    for (size_t i = 0; i < lanes; i++) {
        const float *from =
            (const float *)job->table + (size_t)job->labels[sample + i] * job->classes;
        for (size_t k = 0; k < job->classes; k++)
            cell[k * JSNI_LANES + i] = from[k];
    }
}

/* `d` holds the gradient, transposed; rows of samples that are not chosen stay. */
static void store_apart(const jsni_loss_job *job, size_t sample, size_t lanes,
                        const jsni_real *d, float *to)
{
    const size_t classes = job->classes;
    if (lanes == JSNI_LANES && classes >= 4 && job->chooser == NULL) {
        size_t k = 0;
#ifdef VEC_COLUMNS_8
        for (; k + 8 <= classes; k += 8)
            vec_columns_store_8(to + k, classes, d + k);
#endif
        for (; k + 4 <= classes; k += 4)
            vec_columns_store(to + k, classes, d + k);
        if (classes % 4 != 0)
            vec_columns_store(to + classes - 4, classes, d + classes - 4);
        return;
    }
    const float *cell = (const float *)d;
    for (size_t i = 0; i < lanes; i++)
        for (size_t k = 0; k < classes && is_chosen(job, sample + i); k++)
            to[i * classes + k] = cell[k * JSNI_LANES + i];
}

/* Writes `value` at the labels of a group, into the transposed target. The empty assembly
 * keeps gcc from making one instruction of it, which takes longer than the stores. */
static void mark_labels(const jsni_loss_job *job, size_t sample, size_t lanes,
                        float value, jsni_real *to)
{
    float *cell = (float *)to;
    for (size_t i = 0; i < lanes; i++) {
        cell[(size_t)job->labels[sample + i] * JSNI_LANES + i] = value;
        __asm__("" ::: "memory");
    }
}

/* The transposed target of a group; where it is not written whole, it is 0 before. */
static void set_labels(const jsni_loss_job *job, size_t sample, size_t lanes,
                       jsni_real *to)
{
    const jsni_bits one = jsni_to_bits(jsni_fill(1.0f));
    jsni_bits labels = one - one - 1;
    if (job->classes > WHOLE_CLASSES) {
        mark_labels(job, sample, lanes, 1.0f, to);
        return;
    }
    if (lanes == JSNI_LANES)
        memcpy(&labels, job->labels + sample, sizeof labels);
    for (size_t i = 0; i < lanes && lanes < JSNI_LANES; i++)
        labels[i] = job->labels[sample + i];
    for (size_t k = 0; k < job->classes; k++)
        to[k] = jsni_from_bits((labels == (int32_t)k) & one);
}

static void clear_labels(const jsni_loss_job *job, size_t sample, size_t lanes,
                         jsni_real *to)
{
    if (job->classes > WHOLE_CLASSES)
        mark_labels(job, sample, lanes, 0.0f, to);
}

#endif

#endif /* JSNI_LOSS_LANE_COLUMNS_H */
