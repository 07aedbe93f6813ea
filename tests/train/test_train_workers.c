/* How many threads load images where nobody says it. */
#include "train/workers.h"

#include <string.h>

#include "support/support.h"
#include "train/loader.h"

static char never[] = "never", end[] = "end", fit[] = "fit+strong", weak[] = "weak";

static jsn_train_config photographs(void)
{
    return (jsn_train_config){.batch = 64,
                              .views = 2,
                              .image_size = 224,
                              .consistency = never,
                              .augment = fit};
}

static size_t chosen(const jsn_train_config *c, bool gpu, size_t cores, uint64_t memory)
{
    const jsni_problem none = {0};
    const jsni_workers_machine machine = {gpu, cores, memory};
    return jsni_workers_for(c, &none, &machine);
}

static void test_a_gpu_has_more_workers(void **state)
{
    (void)state;
    jsn_train_config c = photographs();
    assert_int_equal(chosen(&c, false, 128, 0), 4);
    assert_int_equal(chosen(&c, true, 128, 0), 16);
    assert_int_equal(chosen(&c, true, 6, 0), 6);
    assert_int_equal(chosen(&c, true, 1, 0), 1);
    c.image_size = 64;
    assert_int_equal(chosen(&c, true, 128, 0), 16);
    c.augment = weak;
    assert_int_equal(chosen(&c, true, 128, 0), 1);
}

/* As of `sweep --jobs 16`, whose runs share the cores. */
static void test_threads_bound_what_a_gpu_adds(void **state)
{
    (void)state;
    jsn_train_config c = photographs();
    static const struct {
        int64_t threads;
        size_t workers;
    } cases[] = {{1, 4}, {4, 4}, {8, 8}, {16, 16}, {64, 16}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        c.threads = cases[i].threads;
        assert_int_equal(chosen(&c, true, 128, 0), cases[i].workers);
        assert_int_equal(chosen(&c, false, 128, 0), 4);
    }
}

/* 77 MB a batch of two views; a quarter of the memory is for them. */
static void test_batches_take_a_quarter_of_the_memory(void **state)
{
    (void)state;
    jsn_train_config c = photographs();
    const jsni_problem none = {0};
    const double batch = 2.0 * 64 * 3 * 224 * 224 * 4;
    for (size_t workers = 1; workers <= 16; workers++) {
        const double bytes = jsni_workers_bytes(&c, &none, workers);
        assert_close(bytes, batch * (double)jsni_loader_slots(workers), 0, 0);
        assert_int_equal(chosen(&c, true, 128, (uint64_t)(4 * bytes)), workers);
        if (workers > 1)
            assert_int_equal(chosen(&c, true, 128, (uint64_t)(4 * bytes) - 4),
                             workers - 1);
    }
    assert_int_equal(chosen(&c, true, 128, 1), 1);
    /* An evaluation has batches of one view: of the training images and of a copy here. */
    c.consistency = end;
    assert_close(jsni_workers_bytes(&c, &none, 16), 2 * batch * 21, 0, 0);
    /* Large images on a large machine. */
    c = photographs();
    c.batch = 128;
    c.image_size = 1024;
    assert_int_equal(chosen(&c, true, 128, (uint64_t)1 << 36), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_gpu_has_more_workers),
        cmocka_unit_test(test_threads_bound_what_a_gpu_adds),
        cmocka_unit_test(test_batches_take_a_quarter_of_the_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
