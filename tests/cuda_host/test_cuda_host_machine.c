/* The machine that runs CUDA kernels on the host: what it computes by the book, and that it
 * stops kernels that are wrong. */
#include <cuda_runtime.h>

#include "cuda_host/host_support.h"
#include "cuda_host/wrong_kernels.h"
#include "support/support.h"

enum { BLOCK = 256, BLOCKS = 5, FLOATS = BLOCK * BLOCKS };

/* Runs the kernel in both ways of copying; the sentence of the first fault, or "". */
static const char *run_reverse(wrong_way way)
{
    host_reset();
    float *from = host_array(FLOATS * sizeof(float));
    float *to = host_array(FLOATS * sizeof(float));
    for (int i = 0; i < FLOATS; i++)
        from[i] = (float)i;
    for (unsigned order = 1; order <= 4 && !host_fault(); order++) {
        host_order(order);
        memset(to, 0xff, FLOATS * sizeof(float));
        (void)wrong_reverse(from, to, BLOCKS, way);
        for (int i = 0; i < FLOATS && !host_fault(); i++)
            if (!(to[i] == (float)(i / BLOCK * BLOCK + BLOCK - 1 - i % BLOCK)))
                return "wrong";
    }
    return host_fault() ? host_fault() : "";
}

static void test_right(void **state)
{
    (void)state;
    assert_string_equal(run_reverse(RIGHT), "");
    assert_string_equal(run_reverse(BOTH_WRITE_SAME), "");
}

/* Each wrong kernel is stopped, with a sentence that says why. */
static void test_wrong(void **state)
{
    (void)state;
    static const struct {
        wrong_way way;
        const char *words;
    } cases[] = {
        {NO_BARRIER, "of shared memory"},
        {BARRIER_BY_HALF, "of shared memory"},
        {ONE_BEHIND, "reads 4 bytes that are in no array"},
        {ONE_BEFORE, "in no array"},
        {NOT_WRITTEN, "which nobody has written"},
        {SHARED_BEHIND, "byte 1024 of shared memory, which has 1024"},
        {SAME_PLACE, "of an array of 5120, which another block writes"},
        {NO_WAIT, "before launch_wait()"},
        {MISALIGNED, "do not divide"},
        {COPY_NOT_AWAITED, "of shared memory"},
        {COPY_NO_BARRIER, "of shared memory"},
        {COPY_TOO_EARLY, "with no barrier between"},
        {BOTH_WRITE, "of shared memory, which thread"},
        {HALF_A_WARP, "waits for ever"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *said = run_reverse(cases[i].way);
        if (!strstr(said, cases[i].words))
            fail_msg("way %d: \"%s\" has no \"%s\"", (int)cases[i].way, said,
                     cases[i].words);
    }
    assert_string_equal(run_reverse(RIGHT), "");
}

static void test_atomics(void **state)
{
    (void)state;
    unsigned *counters = host_array(64 * sizeof(unsigned));
    assert_int_equal(wrong_count(counters, 7, true), cudaSuccess);
    for (int i = 0; i < 64; i++)
        assert_int_equal(counters[i], 7 * BLOCK / 64);
    assert_int_equal(wrong_count(counters, 7, false), cudaErrorLaunchFailure);
    assert_non_null(strstr(host_fault(), "with no barrier between"));
}

static void test_shuffles(void **state)
{
    (void)state;
    float *x = host_array(32 * sizeof(float)), *y = host_array(32 * sizeof(float));
    for (int i = 0; i < 32; i++)
        x[i] = (float)(i + 1);
    assert_int_equal(wrong_sum(x, y), cudaSuccess);
    for (int i = 0; i < 32; i++)
        assert_true(y[i] == 528.0f + (i ? x[i - 1] : x[0]));
}

/* Fragments come from memory and go to products as the manual says. */
static void test_products(void **state)
{
    (void)state;
    for (int transposed = 0; transposed < 2; transposed++) {
        const host_tensor a = host_tensor_quarters(16 * 16, true, 1);
        const host_tensor b = host_tensor_quarters(8 * 16, true, 2);
        const host_tensor c = host_tensor_zeros(16 * 8, false);
        double expected[16 * 8] = {0};
        for (size_t m = 0; m < 16; m++)
            for (size_t n = 0; n < 8; n++)
                for (size_t k = 0; k < 16; k++)
                    expected[m * 8 + n] +=
                        host_tensor_value(a, transposed ? k * 16 + m : m * 16 + k) *
                        host_tensor_value(b, n * 16 + k);
        assert_int_equal(wrong_product(a.at, b.at, c.at, transposed), cudaSuccess);
        assert_int_equal(host_tensor_off(c, expected, 0.0), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_right, host_reset_after),
        cmocka_unit_test_teardown(test_wrong, host_reset_after),
        cmocka_unit_test_teardown(test_atomics, host_reset_after),
        cmocka_unit_test_teardown(test_shuffles, host_reset_after),
        cmocka_unit_test_teardown(test_products, host_reset_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
