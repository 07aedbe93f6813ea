/* loss/lane_memory.h - what lies beside the logits of one sample whose lanes are its
 * classes, the memory of a method or a row of a table; part of lane_driver.c. */
#ifndef JSNI_LOSS_LANE_MEMORY_H
#define JSNI_LOSS_LANE_MEMORY_H

#include "loss/lane_io.h"

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

static void store_memory_beside(const jsni_loss_job *job, size_t sample,
                                const jsni_real *m)
{
    const jsni_scalar *cell = (const jsni_scalar *)m;
    const size_t offset = sample * job->classes;
    for (size_t k = 0; k < job->classes; k++)
        if (job->f64)
            ((double *)job->memory)[offset + k] = (double)cell[k];
        else
            ((float *)job->memory)[offset + k] = (float)cell[k];
}

#endif /* JSNI_LOSS_LANE_MEMORY_H */
