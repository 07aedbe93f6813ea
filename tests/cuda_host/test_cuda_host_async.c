/* What the machine for CUDA kernels knows of compute capability 9.0: products of a warpgroup by
 * the book, barriers in shared memory, bulk copies, clusters; and that it stops kernels that
 * use them wrongly. */
#include <cuda_runtime.h>

#include "cuda_host/host_support.h"
#include "cuda_host/wrong_async.h"
#include "support/support.h"

enum { CLUSTERS = 3, FLOATS = CLUSTERS * 2 * 64, ORDERS = 6 };

/* b as the kernel's copy wants it: [2 chunks][64][8]. */
static host_tensor lay_chunks(host_tensor b)
{
    const host_tensor t = host_tensor_zeros(b.count, true);
    for (size_t row = 0; row < ASYNC_TILE; row++)
        for (size_t k = 0; k < ASYNC_DEPTH; k++)
            host_tensor_set(t, (k / 8 * ASYNC_TILE + row) * 8 + k % 8,
                            host_tensor_value(b, row * ASYNC_DEPTH + k));
    return t;
}

/* Runs the kernel in several orders; the sentence of the first fault, "wrong" or "". */
static const char *run_async(async_way way)
{
    host_reset();
    const size_t size = (size_t)ASYNC_TILE * ASYNC_DEPTH;
    const host_tensor a = host_tensor_quarters(ASYNC_ROUNDS * size, true, 1);
    const host_tensor b = host_tensor_quarters(size, true, 2);
    const host_tensor c = host_tensor_zeros(ASYNC_TILE * ASYNC_TILE, false);
    const void *laid = lay_chunks(b).at;
    static double expected[ASYNC_TILE * ASYNC_TILE];
    for (size_t m = 0; m < ASYNC_TILE; m++)
        for (size_t n = 0; n < ASYNC_TILE; n++) {
            double sum = 0.0;
            for (size_t i = 0; i < ASYNC_ROUNDS * ASYNC_DEPTH; i++)
                sum += host_tensor_value(a, i / ASYNC_DEPTH * size + m * ASYNC_DEPTH +
                                                i % ASYNC_DEPTH) *
                       host_tensor_value(b, n * ASYNC_DEPTH + i % ASYNC_DEPTH);
            expected[m * ASYNC_TILE + n] = sum;
        }
    for (unsigned order = 1; order <= ORDERS; order++) {
        host_order(order);
        host_tensor_spoil(c);
        (void)wrong_async(a.at, laid, c.at, way);
        if (host_fault())
            return host_fault();
        if (host_tensor_off(c, expected, 0.0))
            return "wrong";
    }
    return "";
}

static void test_right(void **state)
{
    (void)state;
    assert_string_equal(run_async(ASYNC_RIGHT), "");
}

static void test_wrong(void **state)
{
    (void)state;
    static const struct {
        async_way way;
        const char *words;
    } cases[] = {
        {NO_FULL_WAIT, "of shared memory"},
        {NO_EMPTY_WAIT, "shared memory"},
        {WRONG_PHASE, "of shared memory"},
        {NO_FENCE, "no fence.proxy.async between"},
        {LATE_FENCE, "no fence.proxy.async between"},
        {WRONG_OFFSET, "of shared memory"},
        {WRONG_START, "of shared memory"},
        {SWIZZLED, "bits that the machine does not know"},
        {NO_BEGIN, "no wgmma.fence"},
        {NO_COMMIT, "has not committed"},
        {NO_PRODUCTS_WAIT, "under way"},
        {EARLY_RELEASE, "writes shared memory that products of warp"},
        {EARLY_READ, "touches an accumulator"},
        {EARLY_WRITE, "touches an accumulator"},
        {NO_ARRIVAL, "waits for ever"},
        {OTHER_SLOT, "than another warp of its group"},
        {NO_BULK_WAIT, "of shared memory, which a bulk copy"},
        {BULK_NO_FENCE, "hands a barrier to a bulk copy"},
        {BULK_BEHIND, "reads 2048 bytes at byte 16 of an array of 2048"},
        {NO_BLOCK_BARRIER, "a barrier"},
        {OVERWRITTEN, "for a barrier"},
        {TOO_MANY_REGISTERS, "registers"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *said = run_async(cases[i].way);
        if (!strstr(said, cases[i].words))
            fail_msg("way %d: \"%s\" has no \"%s\"", (int)cases[i].way, said,
                     cases[i].words);
    }
    assert_string_equal(run_async(ASYNC_RIGHT), "");
}

static const char *run_cluster(cluster_way way)
{
    host_reset();
    float *x = host_array(FLOATS * sizeof *x), *y = host_array(FLOATS * sizeof *y);
    for (int i = 0; i < FLOATS; i++)
        x[i] = (float)i;
    for (unsigned order = 1; order <= ORDERS; order++) {
        host_order(order);
        memset(y, 0xff, FLOATS * sizeof *y);
        (void)wrong_cluster(x, y, CLUSTERS, way);
        if (host_fault())
            return host_fault();
        for (int i = 0; i < FLOATS; i++)
            if (!(y[i] == (float)(i / 128 * 256 + i % 64 * 2 + 64)))
                return "wrong";
    }
    return "";
}

static void test_clusters(void **state)
{
    (void)state;
    static const struct {
        cluster_way way;
        const char *words;
    } cases[] = {
        {NO_FIRST_SYNC, "of shared memory"},  {BLOCK_SYNC, "of shared memory"},
        {NO_LAST_SYNC, "its cluster"},        {WRITES_ON, "of shared memory"},
        {NO_SUCH_RANK, "not in its cluster"},
    };
    assert_string_equal(run_cluster(CLUSTER_RIGHT), "");
    assert_string_equal(run_cluster(ONE_LEAVES), "");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *said = run_cluster(cases[i].way);
        if (!strstr(said, cases[i].words))
            fail_msg("way %d: \"%s\" has no \"%s\"", (int)cases[i].way, said,
                     cases[i].words);
    }
    assert_string_equal(run_cluster(CLUSTER_RIGHT), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_right, host_reset_after),
        cmocka_unit_test_teardown(test_wrong, host_reset_after),
        cmocka_unit_test_teardown(test_clusters, host_reset_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
