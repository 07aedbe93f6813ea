/* The bf16 3x3 convolutions on wgmma with what rides along, against loops in double. Blocks
 * take as many images as the launchers say when 4 blocks fill a device (wgmma_ptx.cuh of
 * include/). */
#include "backend/cuda/conv_kernels.h"
#include "cuda_host/host_fused.h"
#include "support/support.h"

/* conv3x3_rows.cu: one image a block, two. */
static void test_rows(void **state)
{
    (void)state;
    fused_check_pairs(32, 1, 1, true);
    fused_check_pairs(32, 2, 1, true);
    fused_check_pairs(32, 1, 8, true);
    fused_check_pairs(32, 2, 4, true);
}

/* conv3x3_image.cu: one image a block, and more than shared memory has room for at once. */
static void test_image64(void **state)
{
    (void)state;
    fused_check_pairs(64, 1, 1, true);
    fused_check_pairs(64, 2, 1, true);
    fused_check_pairs(64, 2, 4, true); /* two images a block */
    fused_check_pairs(64, 2, 8, true); /* four */
}

static void test_image128(void **state)
{
    (void)state;
    fused_check_pairs(128, 1, 1, true);
    fused_check_pairs(128, 2, 1, true);
    fused_check_pairs(128, 1, 4, true); /* two images a block */
    fused_check_pairs(128, 2, 4, true); /* four */
}

static void test_turns(void **state)
{
    (void)state;
    fused_check_turns(32, 1, 4, 4); /* of an image each */
    fused_check_turns(32, 1, 8, 4); /* of two images */
    fused_check_turns(64, 2, 4, 2);
    fused_check_turns(64, 1, 8, 4);
    fused_check_turns(128, 1, 4, 2);
    fused_check_turns(128, 2, 4, 16); /* more than a view has room for */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_rows, host_reset_after),
        cmocka_unit_test_teardown(test_image64, host_reset_after),
        cmocka_unit_test_teardown(test_image128, host_reset_after),
        cmocka_unit_test_teardown(test_turns, host_reset_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
