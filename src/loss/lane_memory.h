/* loss/lane_memory.h - what lies beside the logits of one sample whose lanes are its
 * classes, the memory of a method or a row of a table; part of lane_driver.c. */
#ifndef JSNI_LOSS_LANE_MEMORY_H
#define JSNI_LOSS_LANE_MEMORY_H

#include "loss/lane_io.h"

/* A row of a table. */
static void load_row_beside(const jsni_loss_job *job, const void *from, size_t row,
                            jsni_real *m)
{
    const size_t full = job->classes / JSNI_LANES, left = job->classes % JSNI_LANES;
    const size_t offset = row * job->classes;
    for (size_t c = 0; c < full; c++)
        m[c] = jsni_read(job, from, offset, c);
    if (left != 0)
        m[full] = jsni_read_part(from, offset, full, left, R(0));
}

#ifdef JSNI_LEVEL_DOUBLE /* the memory can be of floats, and is copied */
static void begin_memory(const jsni_loss_job *job, size_t sample, jsni_real *m,
                         jsni_row *row)
{
    (void)row;
    load_row_beside(job, job->memory, sample, m);
}

static void end_memory(const jsni_loss_job *job, size_t sample, const jsni_real *m)
{
    for (size_t k = 0; k < job->classes; k++)
        jsni_write(job, job->memory, sample * job->classes + k, m[k]);
}
#else
/* The last group of a sample: where it is, and its lanes. */
static size_t last_group(const jsni_loss_job *job, size_t sample, size_t *lanes)
{
    const size_t left = job->classes % JSNI_LANES;
    *lanes = left == 0 ? JSNI_LANES : left;
    return (sample + 1) * job->classes - *lanes;
}

/* Has the row work on the memory where it lies, but for the last group, beside which that of
 * the next sample begins: it is in `m`. Asks for the memory of the next sample. */
static void begin_memory(const jsni_loss_job *job, size_t sample, jsni_real *m,
                         jsni_row *row)
{
    size_t lanes;
    const size_t last = last_group(job, sample, &lanes);
    row->m = (float *)job->memory + sample * job->classes;
    row->m_last = (float *)m;
    *m = lanes == JSNI_LANES ? jsni_read(job, job->memory, last, 0)
                             : jsni_read_part(job->memory, last, 0, lanes, R(0));
    for (size_t k = 0; k < job->classes; k += 64 / sizeof(float))
        jsni_fetch(job->memory, (sample + 1) * job->classes + k);
}

static void end_memory(const jsni_loss_job *job, size_t sample, const jsni_real *m)
{
    size_t lanes;
    const size_t last = last_group(job, sample, &lanes);
    if (lanes == JSNI_LANES)
        jsni_write(job, job->memory, last, *m);
    else
        jsni_write_part(job, job->memory, last, *m, lanes);
}
#endif

#endif /* JSNI_LOSS_LANE_MEMORY_H */
