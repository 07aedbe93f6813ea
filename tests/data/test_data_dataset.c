/* The table of data sets, specs that are refused, and the built-in set. */
#include "support/support.h"

#include "core/alloc.h"
#include "core/sha256.h"
#include "data/dataset_impl.h"
#include "data/dataset_part.h"
#include "jensen/dataset.h"

static void test_every_entry_is_described_and_ends_in_split(void **state)
{
    (void)state;
    assert_non_null(jsni_dataset_entry(2).name);
    assert_null(jsni_dataset_entry(SIZE_MAX).name);
    for (size_t i = 0; jsni_dataset_entry(i).name != NULL; i++) {
        const jsn_entry info = jsni_dataset_entry(i);
        assert_true(strlen(info.name) > 0 && strlen(info.summary) > 0);
        assert_string_equal(info.params[info.param_count - 1].name, "split");
        /* Opened without a path, an entry that needs one says so. */
        jsn_dataset *data = NULL;
        const jsn_status status = jsn_dataset_open(&data, info.name, NULL);
        assert_true(strcmp(info.name, "builtin") == 0 ? status == JSN_OK
                                                      : status == JSN_ERR_ARGUMENT);
        jsn_dataset_close(data);
        char spec[100];
        (void)snprintf(spec, sizeof spec, "%s:no/such/path", info.name);
        assert_int_not_equal(jsn_dataset_open(&data, spec, NULL), JSN_OK);
        assert_null(data);
    }
}

static void test_wrong_specs_are_refused_with_a_sentence(void **state)
{
    (void)state;
    jsn_dataset *data = NULL;
    assert_fails(jsn_dataset_open(&data, "cifar11:x", NULL), JSN_ERR_UNKNOWN_NAME,
                 "did you mean 'cifar10'?");
    assert_fails(jsn_dataset_open(&data, "banana:x", NULL), JSN_ERR_UNKNOWN_NAME,
                 "there are: builtin, cifar10");
    assert_fails(jsn_dataset_open(&data, "builtin:sise=3", NULL), JSN_ERR_UNKNOWN_NAME,
                 "sise");
    assert_fails(jsn_dataset_open(&data, "builtin:size=0", NULL), JSN_ERR_RANGE,
                 "size");
    assert_fails(jsn_dataset_open(&data, "builtin:split=tset", NULL),
                 JSN_ERR_UNKNOWN_NAME, "tset");
    assert_fails(jsn_dataset_open(&data, "builtin:split=val", NULL), JSN_ERR_DATA,
                 "no val split");
    assert_fails(jsn_dataset_open(&data, NULL, NULL), JSN_ERR_ARGUMENT, "spec");
    assert_fails(jsn_dataset_open(&data, "", NULL), JSN_ERR_UNKNOWN_NAME,
                 "not a data set");
}

static jsn_status open_small(void *user)
{
    jsn_dataset *data = NULL;
    const jsn_dataset_options options = {.threads = 1};
    (void)user;
    const jsn_status status =
        jsn_dataset_open(&data, "builtin:size=20,test=10", &options);
    jsn_dataset_close(data);
    return status;
}

static void test_opening_survives_lack_of_memory(void **state)
{
    (void)state;
    support_walk_allocations(open_small, NULL);
}

static void hash_split(const jsn_dataset *data, jsn_split split, size_t count,
                       char *hex)
{
    jsni_sha256 sha;
    jsni_sha256_init(&sha);
    jsn_image image = {0};
    for (size_t i = 0; i < count; i++) {
        assert_ok(jsn_dataset_image(data, split, i, &image));
        jsni_sha256_add(&sha, image.data, image.width * image.height * 3);
    }
    jsn_image_release(&image);
    jsni_sha256_hex(&sha, hex);
}

static void test_the_built_in_set_does_not_depend_on_threads_or_size(void **state)
{
    (void)state;
    char first[JSNI_SHA256_HEX], other[JSNI_SHA256_HEX];
    jsn_dataset *small = NULL, *large = NULL, *seeded = NULL;
    jsn_dataset_options options;
    jsn_dataset_options_init(&options);
    options.threads = 1;
    assert_ok(jsn_dataset_open(&small, "builtin:size=50", &options));
    options.threads = 3;
    assert_ok(jsn_dataset_open(&large, "builtin:size=80,test=0", &options));
    assert_ok(jsn_dataset_open(&seeded, "builtin:size=50,seed=1", &options));
    hash_split(small, JSN_SPLIT_TRAIN, 50, first);
    hash_split(large, JSN_SPLIT_TRAIN, 50, other);
    assert_string_equal(first, other);
    hash_split(small, JSN_SPLIT_TEST, 50, other);
    assert_string_not_equal(first, other);
    hash_split(seeded, JSN_SPLIT_TRAIN, 50, other);
    assert_string_not_equal(first, other);
    assert_int_equal(jsn_dataset_samples(large, JSN_SPLIT_TEST), 0);
    jsn_dataset_close(seeded);
    jsn_dataset_close(large);
    jsn_dataset_close(small);
}

static void test_splits_names_labels_and_classes_of_the_built_in_set(void **state)
{
    (void)state;
    jsn_dataset *data = NULL;
    assert_ok(jsn_dataset_open(&data, "builtin:size=100,test=30", NULL));
    const jsn_dataset_traits *about = jsn_dataset_about(data);
    assert_string_equal(about->kind, "builtin");
    assert_int_equal(about->classes, 10);
    assert_int_equal(about->width, 32);
    assert_null(about->asymmetric);
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TRAIN), 100);
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_VAL), 0);
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TEST), 30);
    assert_int_equal(jsn_dataset_about(data)->main_split, JSN_SPLIT_TRAIN);
    int counts[10] = {0};
    for (size_t i = 0; i < 100; i++)
        counts[jsn_dataset_label(data, JSN_SPLIT_TRAIN, i)]++;
    for (int k = 0; k < 10; k++)
        assert_int_equal(counts[k], 10);
    assert_string_equal(jsn_dataset_path(data, JSN_SPLIT_TEST, 13),
                        "test/star/0001.png");
    assert_null(jsn_dataset_path(data, JSN_SPLIT_TEST, 30));
    assert_null(jsn_dataset_class(data, 10));
    assert_non_null(jsni_dataset_pixels(data, JSN_SPLIT_TEST));
    jsn_image image = {0};
    assert_fails(jsn_dataset_image(data, JSN_SPLIT_TEST, 30, &image), JSN_ERR_RANGE,
                 "no sample 30");
    jsn_dataset_close(data);

    assert_ok(jsn_dataset_open(&data, "builtin:size=100,test=30,split=test", NULL));
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TRAIN), 0);
    assert_int_equal(jsn_dataset_about(data)->main_split, JSN_SPLIT_TEST);
    jsn_dataset_close(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_entry_is_described_and_ends_in_split),
        cmocka_unit_test(test_wrong_specs_are_refused_with_a_sentence),
        cmocka_unit_test(test_opening_survives_lack_of_memory),
        cmocka_unit_test(test_the_built_in_set_does_not_depend_on_threads_or_size),
        cmocka_unit_test(test_splits_names_labels_and_classes_of_the_built_in_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
