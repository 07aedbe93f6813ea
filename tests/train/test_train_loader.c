/* The loader: the same stream of samples for any workers, batch size and place to
 * resume; broken images; memory failures. */
#define _XOPEN_SOURCE 700
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/sha256.h"
#include "jensen/image_file.h"
#include "train/loader_source.h"

/* Hash over (position, pixels of both views) of every sample of the epoch's first
 * `samples`, in order. */
static void hash_stream(const jsni_loader_options *o, uint32_t epoch, size_t first,
                        jsni_sha256 *sha, size_t samples)
{
    jsni_loader *loader = NULL;
    assert_ok(jsni_loader_create(&loader, o));
    assert_ok(jsni_loader_begin(loader, epoch, first));
    size_t seen = first * o->batch;
    for (;;) {
        const jsni_batch *b = NULL;
        assert_ok(jsni_loader_next(loader, &b));
        if (b == NULL)
            break;
        for (size_t i = 0; i < b->samples && seen < samples; i++, seen++) {
            jsni_sha256_add(sha, &b->position[i], sizeof b->position[i]);
            for (size_t v = 0; v < o->views; v++)
                jsni_sha256_add(sha, b->images + (v * b->samples + i) * FLOATS,
                                FLOATS * sizeof(float));
        }
    }
    jsni_loader_destroy(loader);
    assert_int_equal(seen, samples);
}

static void test_the_stream_does_not_depend_on_workers_or_batch_size(void **state)
{
    (void)state;
    static const size_t workers[] = {0, 1, 2, 8}, batches[] = {1, 4, 7, 10, 32};
    char want[JSNI_SHA256_HEX] = "", got[JSNI_SHA256_HEX];
    for (size_t w = 0; w < 4; w++)
        for (size_t b = 0; b < 5; b++) {
            const jsni_loader_options o =
                source_options(&builtin, batches[b], workers[w]);
            jsni_sha256 sha;
            jsni_sha256_init(&sha);
            hash_stream(&o, 3, 0, &sha, 64);
            jsni_sha256_hex(&sha, got);
            if (want[0] == '\0')
                memcpy(want, got, sizeof want);
            assert_string_equal(got, want);
        }
    /* The hash can tell: another epoch and another seed give another stream. */
    jsni_loader_options o = source_options(&builtin, 4, 0);
    jsni_sha256 sha;
    jsni_sha256_init(&sha);
    hash_stream(&o, 4, 0, &sha, 64);
    jsni_sha256_hex(&sha, got);
    assert_string_not_equal(got, want);
    o.seed = 6;
    jsni_sha256_init(&sha);
    hash_stream(&o, 3, 0, &sha, 64);
    jsni_sha256_hex(&sha, got);
    assert_string_not_equal(got, want);
}

static void test_an_epoch_continues_where_it_was_left(void **state)
{
    (void)state;
    for (size_t workers = 0; workers <= 2; workers += 2) {
        const jsni_loader_options o = source_options(&builtin, 7, workers);
        char whole[JSNI_SHA256_HEX], parts[JSNI_SHA256_HEX];
        jsni_sha256 sha;
        jsni_sha256_init(&sha);
        hash_stream(&o, 1, 0, &sha, 70);
        jsni_sha256_hex(&sha, whole);

        jsni_loader *loader = NULL;
        assert_ok(jsni_loader_create(&loader, &o));
        assert_ok(jsni_loader_begin(loader, 1, 0));
        jsni_sha256_init(&sha);
        for (int i = 0; i < 4; i++) {
            const jsni_batch *b = NULL;
            assert_ok(jsni_loader_next(loader, &b));
            for (size_t k = 0; k < b->samples; k++) {
                jsni_sha256_add(&sha, &b->position[k], sizeof b->position[k]);
                for (size_t v = 0; v < 2; v++)
                    jsni_sha256_add(&sha, b->images + (v * b->samples + k) * FLOATS,
                                    FLOATS * sizeof(float));
            }
        }
        jsni_loader_destroy(loader);
        hash_stream(&o, 1, 4, &sha, 70);
        jsni_sha256_hex(&sha, parts);
        assert_string_equal(parts, whole);
    }
}

static void test_each_sample_comes_once_and_the_rest_is_dropped(void **state)
{
    (void)state;
    jsni_loader_options o = source_options(&builtin, 32, 1);
    for (int pass = 0; pass < 2; pass++) {
        o.order = pass == 0 ? JSNI_ORDER_SHUFFLED : JSNI_ORDER_KEPT;
        jsni_loader *loader = NULL;
        size_t seen[SAMPLES] = {0}, total = 0;
        assert_ok(jsni_loader_create(&loader, &o));
        assert_int_equal(jsni_loader_batches(loader), pass == 0 ? 2 : 3);
        assert_ok(jsni_loader_begin(loader, 0, 0));
        for (;;) {
            const jsni_batch *b = NULL;
            assert_ok(jsni_loader_next(loader, &b));
            if (b == NULL)
                break;
            for (size_t i = 0; i < b->samples; i++, total++) {
                assert_int_equal(seen[b->position[i]]++, 0);
                if (pass == 1)
                    assert_int_equal(b->position[i], total);
            }
        }
        assert_int_equal(total, pass == 0 ? 64 : SAMPLES);
        jsni_loader_destroy(loader);
    }
}

static void test_balanced_order_shows_classes_equally_often(void **state)
{
    (void)state;
    /* 60 samples of class 0, 10 of class 1: balanced, both come 35 times. */
    int32_t used[SAMPLES];
    jsni_part part = builtin.part;
    for (int i = 0; i < SAMPLES; i++)
        used[i] = i % 7 == 0;
    part.used = used;
    jsni_loader_options o = source_options(&builtin, 10, 0);
    o.part = &part;
    o.classes = 3; /* class 2 has no sample */
    o.order = JSNI_ORDER_BALANCED;
    jsni_loader *loader = NULL;
    size_t counts[2] = {0};
    assert_ok(jsni_loader_create(&loader, &o));
    assert_ok(jsni_loader_begin(loader, 0, 0));
    for (;;) {
        const jsni_batch *b = NULL;
        assert_ok(jsni_loader_next(loader, &b));
        if (b == NULL)
            break;
        for (size_t i = 0; i < b->samples; i++)
            counts[used[b->position[i]]]++;
    }
    assert_int_equal(counts[0], 35);
    assert_int_equal(counts[1], 35);
    jsni_loader_destroy(loader);
}

/* A folder of 12 images, two of them broken. */
static void make_folder(char *path, size_t size)
{
    (void)snprintf(path, size, "%s", support_temporary_folder());
    jsn_image image;
    assert_ok(jsn_image_create(&image, SIDE, SIDE));
    for (int i = 0; i < 12; i++) {
        char name[400];
        (void)snprintf(name, sizeof name, "mkdir -p %s/%s", path, i % 2 ? "b" : "a");
        assert_int_equal(system(name), 0);
        (void)snprintf(name, sizeof name, "%s/%s/%02d.ppm", path, i % 2 ? "b" : "a", i);
        memset(image.data, i * 20, (size_t)SIDE * SIDE * 3);
        assert_ok(jsn_image_write(name, &image));
        if (i == 4 || i == 9)
            assert_int_equal(truncate(name, 100), 0);
    }
    jsn_image_release(&image);
}

static void test_broken_images_leave_the_others_in_place(void **state)
{
    (void)state;
    char folder[256];
    make_folder(folder, sizeof folder);
    source s;
    assert_int_equal(source_open(&s, folder), 0);
    for (size_t workers = 0; workers <= 2; workers++) {
        jsni_loader_options o = source_options(&s, 4, workers);
        o.order = JSNI_ORDER_KEPT;
        jsni_loader *loader = NULL;
        size_t total = 0;
        assert_ok(jsni_loader_create(&loader, &o));
        for (uint32_t epoch = 0; epoch < 2; epoch++) {
            assert_ok(jsni_loader_begin(loader, epoch, 0));
            for (;;) {
                const jsni_batch *b = NULL;
                assert_ok(jsni_loader_next(loader, &b));
                if (b == NULL)
                    break;
                total += b->samples;
                for (size_t i = 1; i < b->samples; i++)
                    assert_true(b->position[i] > b->position[i - 1]);
            }
        }
        assert_int_equal(total, 20);
        assert_int_equal(jsni_loader_bad_count(loader), 2);
        uint32_t position = 0;
        const char *reason = NULL;
        jsni_loader_bad(loader, 0, &position, &reason);
        assert_non_null(strstr(reason, "04.ppm"));
        jsni_loader_destroy(loader);

        /* One more than allowed is a failure that names the image. */
        o.max_bad = 1;
        assert_ok(jsni_loader_create(&loader, &o));
        assert_ok(jsni_loader_begin(loader, 0, 0));
        jsn_status status = JSN_OK;
        const jsni_batch *b = NULL;
        do
            status = jsni_loader_next(loader, &b);
        while (status == JSN_OK && b != NULL);
        assert_fails(status, JSN_ERR_DATA, "more than 1 broken image (");
        jsni_loader_destroy(loader);
    }
    source_close(&s);
    support_remove_folder(folder);
}

/* A whole epoch; the status of the first failure. */
static jsn_status go_through(jsni_loader *loader)
{
    const jsni_batch *b = NULL;
    jsn_status status = jsni_loader_begin(loader, 0, 0);
    do
        status = status == JSN_OK ? jsni_loader_next(loader, &b) : status;
    while (status == JSN_OK && b != NULL);
    return status;
}

/* A file that was there when the data was opened is no broken image; a link that leads
 * nowhere is, and so is what a table names and never was there. */
static void test_files_that_disappear_end_the_epoch(void **state)
{
    (void)state;
    char folder[256], name[400], table[400];
    make_folder(folder, sizeof folder);
    for (size_t workers = 0; workers <= 2; workers += 2) {
        source s;
        jsni_loader *loader = NULL;
        assert_int_equal(source_open(&s, folder), 0);
        jsni_loader_options o = source_options(&s, 4, workers);
        o.order = JSNI_ORDER_KEPT;
        assert_ok(jsni_loader_create(&loader, &o));
        (void)snprintf(name, sizeof name, "%s/b/%02d.ppm", folder, 7 - (int)workers);
        assert_int_equal(unlink(name), 0);
        assert_fails(go_through(loader), JSN_ERR_DATA,
                     "it was there when the data was opened; put it back, "
                     "and the same command continues");
        assert_non_null(strstr(jsn_last_error(), name));
        jsni_loader_destroy(loader);

        assert_int_equal(symlink("nowhere", name), 0);
        assert_ok(jsni_loader_create(&loader, &o));
        assert_ok(go_through(loader));
        assert_int_equal(jsni_loader_bad_count(loader), 3);
        jsni_loader_destroy(loader);
        source_close(&s);
        assert_int_equal(unlink(name), 0);
    }
    (void)snprintf(table, sizeof table, "%s/table.csv", folder);
    FILE *file = fopen(table, "w");
    assert_non_null(file);
    (void)fprintf(file, "path,label\na/00.ppm,x\nb/01.ppm,y\nb/07.ppm,y\n");
    assert_int_equal(fclose(file), 0);
    char spec[420];
    (void)snprintf(spec, sizeof spec, "csv:%s", table);
    source s;
    jsni_loader *loader = NULL;
    assert_int_equal(source_open(&s, spec), 0);
    jsni_loader_options o = source_options(&s, 4, 0);
    o.order = JSNI_ORDER_KEPT;
    assert_ok(jsni_loader_create(&loader, &o));
    assert_ok(go_through(loader));
    assert_int_equal(jsni_loader_bad_count(loader), 1);
    jsni_loader_destroy(loader);
    source_close(&s);

    /* What the folder of a table loses after the opening was there, although nobody has read
     * it; folders have the time of the last tick. */
    assert_int_equal(source_open(&s, spec), 0);
    o = source_options(&s, 4, 0);
    o.order = JSNI_ORDER_KEPT;
    assert_ok(jsni_loader_create(&loader, &o));
    const struct timespec ticks = {0, 50000000};
    (void)nanosleep(&ticks, NULL);
    (void)snprintf(name, sizeof name, "%s/b/01.ppm", folder);
    assert_int_equal(unlink(name), 0);
    assert_fails(go_through(loader), JSN_ERR_DATA, "it was there when the data");
    jsni_loader_destroy(loader);
    source_close(&s);
    support_remove_folder(folder);
}

static jsn_status run_epoch(void *user)
{
    (void)user;
    const jsni_loader_options o = source_options(&builtin, 16, 0);
    jsni_loader *loader = NULL;
    JSNI_TRY(jsni_loader_create(&loader, &o));
    jsn_status status = jsni_loader_begin(loader, 0, 0);
    const jsni_batch *b = NULL;
    do
        status = status == JSN_OK ? jsni_loader_next(loader, &b) : status;
    while (status == JSN_OK && b != NULL);
    jsni_loader_destroy(loader);
    return status;
}

static void test_failed_allocations_leave_nothing_behind(void **state)
{
    (void)state;
    support_walk_allocations(run_epoch, NULL);
}

/* Parts of JPEGs are decoded once a file is known to be whole, and reduced sizes where
 * they suffice: neither the first pass nor what is kept changes the stream, and without
 * reduced sizes it is that of whole images. */
static void test_parts_of_images_change_no_value(void **state)
{
    (void)state;
    char folder[256], spec[300], hex[6][JSNI_SHA256_HEX];
    static const float mean[3] = {0.5f, 0.5f, 0.5f}, std[3] = {0.25f, 0.25f, 0.25f};
    (void)snprintf(folder, sizeof folder, "%s", support_temporary_folder());
    (void)snprintf(spec, sizeof spec, "folder:%s", folder);
    jsn_image image;
    assert_ok(jsn_image_create(&image, 160, 120));
    for (size_t i = 0; i < 12; i++) {
        char path[400];
        for (size_t k = 0; k < (size_t)160 * 120 * 3; k++)
            image.data[k] = (uint8_t)(k * (i + 3) / 5 + k / 480 * i);
        (void)snprintf(path, sizeof path, "%s/%c", folder, i % 2 ? 'a' : 'b');
        (void)!mkdir(path, 0700);
        (void)snprintf(path, sizeof path, "%s/%c/%02zu.jpg", folder, i % 2 ? 'a' : 'b',
                       i);
        const jsn_status status = jsn_image_write(path, &image);
        if (status == JSN_ERR_UNSUPPORTED) {
            print_message("skipped: this build writes no JPEG\n");
            jsn_image_release(&image);
            support_remove_folder(folder);
            skip();
        }
        assert_ok(status);
    }
    jsn_image_release(&image);
    /* memory for all or for none; exact or scaled; two passes over the same epoch */
    for (size_t way = 0; way < 6; way++) {
        source s = {0};
        jsn_dataset_options how;
        jsn_dataset_options_init(&how);
        how.memory = way % 2 ? 1 : 1 << 24;
        assert_ok(jsn_dataset_open(&s.data, spec, &how));
        assert_ok(jsni_part_whole(&s.part, s.data, JSN_SPLIT_TRAIN));
        assert_ok(jsn_augment_create(&s.augment, "jitter", SIDE, SIDE, mean, std));
        jsni_loader_options o = source_options(&s, 3, way < 2 ? 0 : 2);
        o.classes = 2;
        o.scaled_decode = way < 4 ? 0 : 0.9;
        for (int pass = 0; pass < 2; pass++) {
            char again[JSNI_SHA256_HEX];
            jsni_sha256 sha;
            jsni_sha256_init(&sha);
            hash_stream(&o, 2, 0, &sha, 12);
            jsni_sha256_hex(&sha, pass == 0 ? hex[way] : again);
            if (pass == 1)
                assert_string_equal(again, hex[way]);
        }
        source_close(&s);
    }
    for (size_t way = 1; way < 4; way++)
        assert_string_equal(hex[way], hex[0]);
    assert_string_equal(hex[5], hex[4]);
    assert_string_not_equal(hex[4], hex[0]);
    support_remove_folder(folder);
}

static void test_too_few_images_are_refused(void **state)
{
    (void)state;
    const jsni_loader_options o = source_options(&builtin, 71, 0);
    jsni_loader *loader = NULL;
    assert_fails(jsni_loader_create(&loader, &o), JSN_ERR_DATA, "smaller --batch");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_stream_does_not_depend_on_workers_or_batch_size),
        cmocka_unit_test(test_an_epoch_continues_where_it_was_left),
        cmocka_unit_test(test_each_sample_comes_once_and_the_rest_is_dropped),
        cmocka_unit_test(test_balanced_order_shows_classes_equally_often),
        cmocka_unit_test(test_broken_images_leave_the_others_in_place),
        cmocka_unit_test(test_files_that_disappear_end_the_epoch),
        cmocka_unit_test(test_failed_allocations_leave_nothing_behind),
        cmocka_unit_test(test_parts_of_images_change_no_value),
        cmocka_unit_test(test_too_few_images_are_refused),
    };
    return cmocka_run_group_tests(tests, builtin_set_up, builtin_tear_down);
}
