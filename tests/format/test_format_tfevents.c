/* TensorBoard event files: the checksum against published values, the bytes of a record
 * worked out by hand, and what happens to a file when a run goes on. */
#include "support/support.h"

#include "core/alloc.h"
#include "core/file.h"
#include "format/tfevents.h"

static void test_crc32c_gives_the_published_values(void **state)
{
    (void)state;
    /* RFC 3720 B.4, and the usual check value. */
    uint8_t bytes[32];
    memset(bytes, 0, sizeof bytes);
    assert_int_equal(jsni_crc32c(bytes, 32), 0x8a9136aau);
    memset(bytes, 0xff, sizeof bytes);
    assert_int_equal(jsni_crc32c(bytes, 32), 0x62a8ab43u);
    for (int i = 0; i < 32; i++)
        bytes[i] = (uint8_t)i;
    assert_int_equal(jsni_crc32c(bytes, 32), 0x46dd794eu);
    for (int i = 0; i < 32; i++)
        bytes[i] = (uint8_t)(31 - i);
    assert_int_equal(jsni_crc32c(bytes, 32), 0x113fdb5cu);
    assert_int_equal(jsni_crc32c("123456789", 9), 0xe3069283u);
    assert_int_equal(jsni_crc32c("", 0), 0);
}

static void test_records_have_the_bytes_that_tensorboard_reads(void **state)
{
    (void)state;
    char *path = jsni_path_join(support_folder, "events.a"), *data = NULL;
    size_t length = 0;
    jsni_tfevents *f = NULL;
    assert_ok(jsni_tfevents_open(&f, NULL, path, 0, 1.0));
    assert_ok(jsni_tfevents_add(f, "loss", 300, 2.0, 0.5f));
    assert_ok(jsni_tfevents_close(f, JSN_OK));
    assert_ok(jsni_file_read(path, 1000, &data, &length));
    /* Every event file of TensorFlow starts with these 12 bytes: a record of 24 bytes
     * and the masked checksum of that number. */
    assert_memory_equal(data, "\x18\0\0\0\0\0\0\0\xa3\x7f\x4b\x22", 12);
    /* wall_time 1.0, file_version. */
    assert_memory_equal(data + 12,
                        "\x09\0\0\0\0\0\0\xf0\x3f\x1a\x0d"
                        "brain.Event:2",
                        24);
    /* wall_time 2.0; step 300 = 0xac 0x02; summary 15: value 13: tag "loss", float. */
    static const char event[] = "\x09\0\0\0\0\0\0\0\x40"
                                "\x10\xac\x02"
                                "\x2a\x0d"
                                "\x0a\x0b"
                                "\x0a\x04loss"
                                "\x15\0\0\0\x3f";
    assert_int_equal(data[40], sizeof event - 1);
    assert_memory_equal(data + 52, event, sizeof event - 1);
    assert_int_equal(length, 40 + 12 + sizeof event - 1 + 4);
    /* The checksum of the data, unmasked as the TFRecord description says. */
    uint32_t stored = 0;
    memcpy(&stored, data + length - 4, 4);
    stored -= 0xa282ead8u;
    assert_int_equal(stored << 15 | stored >> 17, jsni_crc32c(event, sizeof event - 1));
    jsni_free(data);
    jsni_free(path);
}

/* Writes steps 0, 10, ... 40 into a file of its own; returns its length. */
static size_t write_five(const char *path)
{
    jsni_tfevents *f = NULL;
    char *data = NULL;
    size_t length = 0;
    assert_ok(jsni_tfevents_open(&f, NULL, path, INT64_MAX, 5.0));
    for (int step = 0; step < 50; step += 10)
        assert_ok(jsni_tfevents_add(f, "acc", step, 6.0, (float)step));
    assert_ok(jsni_tfevents_close(f, JSN_OK));
    assert_ok(jsni_file_read(path, 10000, &data, &length));
    jsni_free(data);
    return length;
}

static size_t reopen(const char *path, int64_t last_step)
{
    jsni_tfevents *f = NULL;
    char *data = NULL;
    size_t length = 0;
    assert_ok(jsni_tfevents_open(&f, NULL, path, last_step, 5.0));
    assert_ok(jsni_tfevents_close(f, JSN_OK));
    assert_ok(jsni_file_read(path, 10000, &data, &length));
    jsni_free(data);
    return length;
}

static void test_a_run_that_goes_on_drops_what_it_writes_again(void **state)
{
    (void)state;
    enum { VERSION = 40, FIRST = 16 + 9 + 14, OTHER = FIRST + 2 };
    char *path = jsni_path_join(support_folder, "events.b");
    assert_int_equal(write_five(path), VERSION + FIRST + 4 * OTHER);
    assert_int_equal(reopen(path, 40), VERSION + FIRST + 4 * OTHER);
    assert_int_equal(reopen(path, 25), VERSION + FIRST + 2 * OTHER);
    assert_int_equal(reopen(path, 0), VERSION + FIRST);
    jsni_free(path);
}

static void test_a_torn_or_damaged_end_is_cut_off(void **state)
{
    (void)state;
    char *path = jsni_path_join(support_folder, "events.c"), *whole = NULL;
    size_t length = write_five(path);
    assert_ok(jsni_file_read(path, 10000, &whole, &length));
    for (size_t n = 0; n < length; n++) {
        assert_ok(jsni_file_write(path, whole, n));
        const size_t kept = reopen(path, INT64_MAX);
        assert_true(kept <= n || n < 40);
        assert_true(kept == 40 || (kept >= 79 && (kept - 79) % 41 == 0));
    }
    whole[100] = (char)(whole[100] ^ 1);
    assert_ok(jsni_file_write(path, whole, length));
    assert_int_equal(reopen(path, INT64_MAX), 79);
    memset(whole, 'x', length);
    assert_ok(jsni_file_write(path, whole, length));
    jsni_tfevents *f = NULL;
    assert_fails(jsni_tfevents_open(&f, NULL, path, 0, 0.0), JSN_ERR_DATA,
                 "not an event file");
    jsni_free(whole);
    jsni_free(path);
}

static void test_bad_arguments_and_places_are_refused(void **state)
{
    (void)state;
    jsni_tfevents *f = NULL;
    char tag[1200];
    char *path = jsni_path_join(support_folder, "events.d");
    assert_fails(jsni_tfevents_open(&f, NULL, "/no/such/folder/e", 0, 0.0), JSN_ERR_IO,
                 "cannot be written");
    assert_ok(jsni_tfevents_open(&f, NULL, path, 0, 0.0));
    memset(tag, 't', sizeof tag);
    tag[1001] = '\0';
    assert_fails(jsni_tfevents_add(f, tag, 1, 0.0, 0.0f), JSN_ERR_ARGUMENT, "tag");
    tag[1000] = '\0';
    assert_ok(jsni_tfevents_add(f, tag, INT64_MAX, 0.0, 0.0f));
    assert_fails(jsni_tfevents_add(f, "t", -1, 0.0, 0.0f), JSN_ERR_ARGUMENT,
                 "negative");
    assert_int_equal(jsni_tfevents_close(f, JSN_ERR_STOPPED), JSN_ERR_STOPPED);
    assert_ok(jsni_tfevents_close(NULL, JSN_OK));
    jsni_free(path);
}

static jsn_status open_and_add(void *path)
{
    jsni_tfevents *f = NULL;
    jsn_status status = jsni_tfevents_open(&f, NULL, path, 0, 0.0);
    if (status == JSN_OK)
        status = jsni_tfevents_add(f, "a", 0, 0.0, 1.0f);
    return jsni_tfevents_close(f, status);
}

static void test_no_memory_is_a_failure_not_a_crash(void **state)
{
    (void)state;
    char path[300];
    (void)snprintf(path, sizeof path, "%s/events.e", support_folder);
    support_walk_allocations(open_and_add, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crc32c_gives_the_published_values),
        cmocka_unit_test(test_records_have_the_bytes_that_tensorboard_reads),
        cmocka_unit_test(test_a_run_that_goes_on_drops_what_it_writes_again),
        cmocka_unit_test(test_a_torn_or_damaged_end_is_cut_off),
        cmocka_unit_test(test_bad_arguments_and_places_are_refused),
        cmocka_unit_test(test_no_memory_is_a_failure_not_a_crash),
    };
    return cmocka_run_group_tests(tests, support_folder_begin, support_folder_end);
}
