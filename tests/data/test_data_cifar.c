/* CIFAR's binary files: fixtures in the published layout, written here byte by byte. */
#include "support/support.h"

#include "core/alloc.h"
#include "core/file.h"
#include "jensen/dataset.h"

enum { PLANE = 1024 };

/* Value of colour plane c at (x, y) of the picture with number n. */
static uint8_t value(size_t n, size_t c, size_t x, size_t y)
{
    return (uint8_t)(37 * n + 101 * c + 7 * y + 3 * x);
}

/* Writes `count` records with labels[first ...]; two label bytes for CIFAR-100. */
static void write_records(const char *name, const int *labels, size_t first,
                          size_t count, size_t label_bytes, size_t cut)
{
    const size_t record = label_bytes + 3 * PLANE;
    uint8_t *bytes = malloc(count * record);
    assert_non_null(bytes);
    for (size_t i = 0; i < count; i++) {
        uint8_t *to = bytes + i * record;
        if (label_bytes == 2)
            *to++ = 19;
        *to++ = (uint8_t)labels[first + i];
        for (size_t c = 0; c < 3; c++)
            for (size_t at = 0; at < PLANE; at++)
                *to++ = value(first + i, c, at % 32, at / 32);
    }
    char *path = jsni_path_join(support_folder, name);
    assert_ok(jsni_file_write(path, bytes, count * record - cut));
    jsni_free(path);
    free(bytes);
}

static char *spec_of(const char *kind, const char *rest)
{
    static char spec[400];
    (void)snprintf(spec, sizeof spec, "%s:%s%s", kind, support_folder, rest);
    return spec;
}

static const int labels10[] = {6, 9, 9, 4, 1, 1, 2, 7, 8, 3, 4, 7};

static void write_cifar10(void)
{
    for (size_t batch = 0; batch < 5; batch++) {
        char name[32];
        (void)snprintf(name, sizeof name, "data_batch_%zu.bin", batch + 1);
        write_records(name, labels10, 2 * batch, 2, 1, 0);
    }
    write_records("test_batch.bin", labels10, 10, 2, 1, 0);
}

static void test_cifar10_keeps_order_and_interleaves_the_planes(void **state)
{
    (void)state;
    write_cifar10();
    jsn_dataset *data = NULL;
    assert_ok(jsn_dataset_open(&data, spec_of("cifar10", ""), NULL));
    const jsn_dataset_traits *about = jsn_dataset_about(data);
    assert_int_equal(about->classes, 10);
    assert_string_equal(about->asymmetric, "cifar10");
    assert_close(about->mean[0], 0.4914, 1e-7, 0);
    assert_close(about->deviation[2], 0.2010, 1e-7, 0);
    assert_string_equal(jsn_dataset_class(data, 9), "truck");
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TRAIN), 10);
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TEST), 2);
    jsn_image image = {0};
    for (size_t i = 0; i < 10; i++) {
        assert_int_equal(jsn_dataset_label(data, JSN_SPLIT_TRAIN, i), labels10[i]);
        assert_ok(jsn_dataset_image(data, JSN_SPLIT_TRAIN, i, &image));
        for (size_t at = 0; at < PLANE; at++)
            for (size_t c = 0; c < 3; c++)
                assert_int_equal(image.data[3 * at + c], value(i, c, at % 32, at / 32));
    }
    jsn_image_release(&image);
    /* The second truck and the second automobile of the training order. */
    assert_string_equal(jsn_dataset_path(data, JSN_SPLIT_TRAIN, 2),
                        "train/truck/0001.jpg");
    assert_string_equal(jsn_dataset_path(data, JSN_SPLIT_TRAIN, 5),
                        "train/automobile/0001.jpg");
    /* The test split counts from the start. */
    assert_string_equal(jsn_dataset_path(data, JSN_SPLIT_TEST, 0),
                        "test/deer/0000.jpg");
    jsn_dataset_close(data);
}

static void test_cifar100_takes_the_fine_label(void **state)
{
    (void)state;
    const int labels[] = {19, 29, 0, 99};
    write_records("train.bin", labels, 0, 3, 2, 0);
    write_records("test.bin", labels, 3, 1, 2, 0);
    jsn_dataset *data = NULL;
    assert_ok(jsn_dataset_open(&data, spec_of("cifar100", ",split=train"), NULL));
    assert_int_equal(jsn_dataset_about(data)->classes, 100);
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TRAIN), 3);
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TEST), 0);
    assert_int_equal(jsn_dataset_label(data, JSN_SPLIT_TRAIN, 1), 29);
    assert_string_equal(jsn_dataset_path(data, JSN_SPLIT_TRAIN, 0),
                        "train/cattle/0000.jpg");
    assert_string_equal(jsn_dataset_class(data, 99), "worm");
    jsn_dataset_close(data);
}

static jsn_status open_cifar10(void *user)
{
    jsn_dataset *data = NULL;
    const jsn_status status = jsn_dataset_open(&data, user, NULL);
    jsn_dataset_close(data);
    return status;
}

static void test_damaged_files_are_refused_with_a_sentence(void **state)
{
    (void)state;
    jsn_dataset *data = NULL;
    write_cifar10();
    support_walk_allocations(open_cifar10, spec_of("cifar10", ""));
    write_records("data_batch_3.bin", labels10, 0, 2, 1, 1);
    assert_fails(jsn_dataset_open(&data, spec_of("cifar10", ""), NULL), JSN_ERR_DATA,
                 "data_batch_3.bin: 6145 bytes");
    const int wrong[] = {3, 10};
    write_records("data_batch_3.bin", wrong, 0, 2, 1, 0);
    assert_fails(jsn_dataset_open(&data, spec_of("cifar10", ""), NULL), JSN_ERR_DATA,
                 "record 1 has label 10 of 10");
    char *path = jsni_path_join(support_folder, "data_batch_3.bin");
    assert_int_equal(remove(path), 0);
    assert_fails(jsn_dataset_open(&data, spec_of("cifar10", ""), NULL), JSN_ERR_DATA,
                 "data_batch_3.bin");
    assert_ok(jsni_file_write(path, "", 0));
    assert_fails(jsn_dataset_open(&data, spec_of("cifar10", ""), NULL), JSN_ERR_DATA,
                 "0 bytes");
    jsni_free(path);
    assert_null(data);
    /* The test split does not need the training files. */
    assert_ok(jsn_dataset_open(&data, spec_of("cifar10", ",split=test"), NULL));
    jsn_dataset_close(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cifar10_keeps_order_and_interleaves_the_planes),
        cmocka_unit_test(test_cifar100_takes_the_fine_label),
        cmocka_unit_test(test_damaged_files_are_refused_with_a_sentence),
    };
    return cmocka_run_group_tests(tests, support_folder_begin, support_folder_end);
}
