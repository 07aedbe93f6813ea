/* The real CIFAR archives: pixels as published sums state them, counts, classes, names;
 * the second opening comes from the cache. Skipped where the archives are absent. */
#include "support/support.h"

#include "core/sha256.h"
#include "data/dataset_part.h"
#include "jensen/dataset.h"

static void assert_pixels(const jsn_dataset *data, jsn_split split, const char *want)
{
    jsni_sha256 sha;
    char hex[JSNI_SHA256_HEX];
    const uint8_t *pixels = jsni_dataset_pixels(data, split);
    assert_non_null(pixels);
    jsni_sha256_init(&sha);
    jsni_sha256_add(&sha, pixels, jsn_dataset_samples(data, split) * 32 * 32 * 3);
    jsni_sha256_hex(&sha, hex);
    assert_string_equal(hex, want);
}

/* Sums of all decoded pixels in archive order, from the archives' description. */
typedef struct expectation {
    const char *kind, *file;
    const char *train, *test;
    size_t classes, train_each, test_each;
} expectation;

static void check_archive(const expectation *want)
{
    const char *path = support_shared(want->file);
    if (path == NULL)
        skip();
    char spec[600];
    (void)snprintf(spec, sizeof spec, "%s:%s", want->kind, path);
    jsn_dataset_options options;
    jsn_dataset_options_init(&options);
    options.cache = support_folder;
    for (int opening = 0; opening < 2; opening++) {
        jsn_dataset *data = NULL;
        assert_ok(jsn_dataset_open(&data, spec, &options));
        assert_int_equal(jsn_dataset_about(data)->classes, want->classes);
        assert_int_equal(jsn_dataset_about(data)->width, 32);
        assert_pixels(data, JSN_SPLIT_TRAIN, want->train);
        assert_pixels(data, JSN_SPLIT_TEST, want->test);
        const size_t splits[] = {JSN_SPLIT_TRAIN, JSN_SPLIT_TEST};
        for (size_t s = 0; s < 2; s++) {
            const size_t each = s == 0 ? want->train_each : want->test_each;
            assert_int_equal(jsn_dataset_samples(data, (jsn_split)splits[s]),
                             each * want->classes);
            /* In class order, each class counting up from 0000. */
            for (size_t i = 0; i < each * want->classes; i++) {
                char name[100];
                (void)snprintf(name, sizeof name, "%s/%s/%04zu.jpg",
                               jsn_split_name((jsn_split)splits[s]),
                               jsn_dataset_class(data, i / each), i % each);
                assert_int_equal(jsn_dataset_label(data, (jsn_split)splits[s], i),
                                 i / each);
                assert_string_equal(jsn_dataset_path(data, (jsn_split)splits[s], i),
                                    name);
            }
        }
        jsn_dataset_close(data);
    }
}

static void test_cifar10_archive(void **state)
{
    (void)state;
    check_archive(&(expectation){
        "cifar10", "data/cifar10-jpeg.tar.xz",
        "bf3aabd52be912dae02a0435296c4dab5289524b57f55cd162dc4796935a611b",
        "5a6aa8185204d80b65d3dfb540696dadd5f10d185ded226a96665d3e0fc6259f", 10, 5000,
        1000});
}

static void test_cifar100_archive(void **state)
{
    (void)state;
    check_archive(&(expectation){
        "cifar100", "data/cifar100-jpeg.tar.xz",
        "e57c3dee706e216e9b787f450978340b8904067332d6c9825c8887c74e4ac601",
        "3804561467e594817a3351d47def0b2cd1559292f9dce3e2f38a4425a101861c", 100, 500,
        100});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cifar10_archive),
        cmocka_unit_test(test_cifar100_archive),
    };
    return cmocka_run_group_tests(tests, support_folder_begin, support_folder_end);
}
