/* loss/lane_memory.h - what lies beside the logits of one sample whose lanes are its
 * classes, the memory of a method or a row of a table; part of lane_driver.c. */
#ifndef JSNI_LOSS_LANE_MEMORY_H
#define JSNI_LOSS_LANE_MEMORY_H

#include "loss/lane_io.h"

/* Asks for the row behind it as well, which the next sample of a memory has. */
static void load_row_beside(const jsni_loss_job *job, const void *from, size_t row,
                            jsni_real *m)
{
    const size_t full = job->classes / JSNI_LANES, left = job->classes % JSNI_LANES;
    const size_t offset = row * job->classes;
    for (size_t c = 0; c < full; c++) {
        m[c] = jsni_read(job, from, offset, c);
        if (c % JSNI_LINE_CHUNKS == 0)
            jsni_fetch(from, offset + job->classes + c * JSNI_LANES);
    }
    if (left != 0)
        m[full] = jsni_read_part(from, offset, full, left, R(0));
}

static void store_memory_beside(const jsni_loss_job *job, size_t sample,
                                const jsni_real *m)
{
    const size_t full = job->classes / JSNI_LANES, left = job->classes % JSNI_LANES;
    const size_t offset = sample * job->classes;
    for (size_t c = 0; c < full; c++)
        jsni_write(job, job->memory, offset + c * JSNI_LANES, m[c]);
    if (left != 0)
        jsni_write_part(job, job->memory, offset + full * JSNI_LANES, m[full], left);
}

#endif /* JSNI_LOSS_LANE_MEMORY_H */
