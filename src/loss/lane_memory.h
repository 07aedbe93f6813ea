/* loss/lane_memory.h - the memory of a method, of one sample whose lanes are its classes;
 * part of lane_driver.c. */
#ifndef JSNI_LOSS_LANE_MEMORY_H
#define JSNI_LOSS_LANE_MEMORY_H

#include "loss/lane_io.h"

static void load_memory_beside(const jsni_loss_job *job, size_t sample, jsni_real *m)
{
    const size_t full = job->classes / JSNI_LANES, left = job->classes % JSNI_LANES;
    const size_t offset = sample * job->classes;
    for (size_t c = 0; c < full; c++)
        m[c] = jsni_read(job, job->memory, offset, c);
    if (left != 0)
        m[full] = jsni_read_part(job->memory, offset, full, left, R(0));
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
