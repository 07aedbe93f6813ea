/* Fuzz target: transition matrices, as CSV, as an audit's JSON and as .npy. What is read is a
 * square of probabilities whose rows sum to 1.
 * covers: noise/matrix_file.c */
#define _GNU_SOURCE
#include "fuzz/fuzz.h"

#include <math.h>

#include "fuzz/fuzz_folder.h"
#include "jensen/array.h"
#include "jensen/noise.h"

static void check(const jsn_array *m)
{
    const size_t k = m->shape[0];
    FUZZ_CHECK(m->rank == 2 && k >= 2 && k == m->shape[1]);
    for (size_t c = 0; c < k; c++) {
        double sum = 0.0;
        for (size_t d = 0; d < k; d++) {
            const double p = ((const double *)m->data)[c * k + d];
            FUZZ_CHECK(p >= 0.0 && p <= 1.01);
            sum += p;
        }
        FUZZ_CHECK(fabs(sum - 1.0) < 1e-9);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"m.csv", "m.json", "m.npy"};
    fuzz_folder_begin();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[200];
        jsn_array m;
        fuzz_folder_put(names[i], data, size);
        (void)snprintf(path, sizeof path, "%s/%s", fuzz_folder, names[i]);
        const jsn_status status = jsn_noise_read_matrix(&m, path);
        FUZZ_CHECK(status == JSN_OK || status == JSN_ERR_DATA);
        FUZZ_CHECK(status == JSN_OK || m.data == NULL);
        if (status == JSN_OK)
            check(&m);
        jsn_array_release(&m);
    }
    return 0;
}
