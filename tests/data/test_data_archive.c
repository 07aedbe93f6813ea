/* Archives: the same samples from every kind, the cache, memory limits, and hostile
 * content. */
#define _POSIX_C_SOURCE 200809L
#include "fixture.h"

#include <dirent.h>
#include <sys/stat.h>

#include "core/alloc.h"
#include "core/file.h"
#include "data/dataset_part.h"
#include "jensen/limit.h"

static char folder[256], cache[300];

static int set_up(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "%s", support_temporary_folder());
    (void)snprintf(cache, sizeof cache, "%s/cache", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    support_remove_folder(folder);
    return 0;
}

/* Opens with the test's cache folder, or without a cache. */
static jsn_status open_archive(jsn_dataset **data, const char *path, bool cached,
                               size_t memory)
{
    jsn_dataset_options options;
    jsn_dataset_options_init(&options);
    options.cache = cached ? cache : "off";
    options.memory = memory;
    options.threads = 3;
    return jsn_dataset_open(data, path, &options);
}

static bool without_archives(const char *path)
{
    jsn_dataset *data = NULL;
    const jsn_status status = open_archive(&data, path, false, 0);
    jsn_dataset_close(data);
    if (status == JSN_ERR_UNSUPPORTED)
        print_message("skipped: this build reads no archives\n");
    return status == JSN_ERR_UNSUPPORTED;
}

enum { CLASSES = 3, EACH = 90 };

/* CLASSES x EACH pictures in train/ and a third in test/; `odd` gives one picture of
 * another size. */
static void write_tree(const char *root, bool odd)
{
    char name[200];
    for (unsigned k = 0; k < CLASSES; k++)
        for (unsigned i = 0; i < EACH; i++) {
            const unsigned seed = k * 1000 + i;
            (void)snprintf(name, sizeof name, "%s/train/c%u/%03u.ppm", root, k, i);
            fixture_image(folder, name, odd && seed == 1007 ? 9 : 6, 5, seed);
            (void)snprintf(name, sizeof name, "%s/test/c%u/%03u.ppm", root, k, i);
            if (i % 3 == 0)
                fixture_image(folder, name, 6, 5, seed + 500);
        }
}

static void check_tree(const jsn_dataset *data, bool odd)
{
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TRAIN), CLASSES * EACH);
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TEST), CLASSES * EACH / 3);
    assert_int_equal(jsn_dataset_about(data)->width, odd ? 0 : 6);
    for (unsigned n = 0; n < CLASSES * EACH; n++) {
        const unsigned seed = n / EACH * 1000 + n % EACH;
        assert_int_equal(jsn_dataset_label(data, JSN_SPLIT_TRAIN, n), n / EACH);
        fixture_check(data, JSN_SPLIT_TRAIN, n, odd && seed == 1007 ? 9 : 6, 5, seed);
    }
    for (unsigned n = 0; n < CLASSES * EACH / 3; n++)
        fixture_check(data, JSN_SPLIT_TEST, n, 6, 5,
                      n / (EACH / 3) * 1000 + n % (EACH / 3) * 3 + 500);
    assert_string_equal(jsn_dataset_path(data, JSN_SPLIT_TEST, 1), "test/c0/003.ppm");
}

static void check_archive(const char *path, bool odd, bool cached, size_t memory)
{
    jsn_dataset *data = NULL;
    assert_ok(open_archive(&data, path, cached, memory));
    check_tree(data, odd);
    jsn_dataset_close(data);
}

static void test_every_kind_of_archive_gives_the_same_samples(void **state)
{
    (void)state;
    write_tree("all", false);
    fixture_shell(folder, "cd all && tar -cf ../a.tar train test && "
                          "tar -czf ../a.tar.gz ./train ./test && "
                          "cd .. && tar -cJf a.tar.xz all"); /* a folder around it */
    if (without_archives(fixture_path(folder, "a.tar")))
        skip();
    fixture_shell(folder, "cd all && python3 -m zipfile -c ../a.zip train test");
    static const char *const names[] = {"a.tar", "a.tar.gz", "a.tar.xz", "a.zip"};
    for (size_t i = 0; i < 4; i++) {
        check_archive(fixture_path(folder, names[i]), false, false, 0);
        check_archive(fixture_path(folder, names[i]), false, true, 0);
        check_archive(fixture_path(folder, names[i]), false, true, 0);
    }
    jsn_dataset *data = NULL;
    assert_ok(open_archive(&data, fixture_path(folder, "all"), false, 0));
    check_tree(data, false);
    jsn_dataset_close(data);
}

static void test_images_of_several_sizes_stay_encoded(void **state)
{
    (void)state;
    write_tree("odd", true);
    fixture_shell(folder, "cd odd && tar -cf ../odd.tar train test");
    if (without_archives(fixture_path(folder, "odd.tar")))
        skip();
    check_archive(fixture_path(folder, "odd.tar"), true, false, 0);
    check_archive(fixture_path(folder, "odd.tar"), true, true, 0);
    check_archive(fixture_path(folder, "odd.tar"), true, true, 0);
    /* What exceeds the memory goes through the cache file, or is refused. */
    jsn_dataset *data = NULL;
    assert_fails(open_archive(&data, fixture_path(folder, "odd.tar"), false, 9000),
                 JSN_ERR_DATA, "allowed, and the cache");
    assert_ok(jsn_limit_set("kept=1"));
    assert_fails(open_archive(&data, fixture_path(folder, "odd.tar"), false, 0),
                 JSN_ERR_DATA, "allowed (--limit kept), and the cache on disk is off");
    assert_ok(jsn_limit_set("kept=1TiB"));
    fixture_shell(folder, "rm -rf cache");
    check_archive(fixture_path(folder, "odd.tar"), true, true, 9000);
    check_archive(fixture_path(folder, "odd.tar"), true, true, 9000);
}

/* The only cache file. */
static const char *cache_file(void)
{
    static char path[700];
    DIR *dir = opendir(cache);
    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (strstr(entry->d_name, ".pack") != NULL)
            (void)snprintf(path, sizeof path, "%s/%s", cache, entry->d_name);
    (void)closedir(dir);
    return path;
}

static void test_a_damaged_or_stale_cache_is_not_used(void **state)
{
    (void)state;
    write_tree("all", false);
    fixture_shell(folder, "rm -rf cache && cd all && tar -cf ../c.tar train test");
    char path[400];
    (void)snprintf(path, sizeof path, "%s", fixture_path(folder, "c.tar"));
    if (without_archives(path))
        skip();
    check_archive(path, false, true, 0);
    char *bytes = NULL;
    size_t length = 0;
    assert_ok(jsni_file_read(cache_file(), 1 << 24, &bytes, &length));
    /* One byte anywhere: payload, lists, tail; and files cut short. */
    for (size_t at = 64; at < length; at += length / 37) {
        bytes[at] = (char)(bytes[at] ^ 1);
        assert_ok(jsni_file_write(cache_file(), bytes, length));
        check_archive(path, false, true, 0);
        bytes[at] = (char)(bytes[at] ^ 1);
    }
    for (size_t cut = 0; cut < length; cut += length / 5) {
        assert_ok(jsni_file_write(cache_file(), bytes, cut));
        check_archive(path, false, true, 0);
    }
    jsni_free(bytes);
    /* Another archive under the same name. */
    fixture_image(folder, "all/train/c0/000.ppm", 6, 5, 77);
    fixture_shell(folder, "cd all && tar -cf ../c.tar train test");
    jsn_dataset *data = NULL;
    assert_ok(open_archive(&data, path, true, 0));
    fixture_check(data, JSN_SPLIT_TRAIN, 0, 6, 5, 77);
    jsn_dataset_close(data);
    /* And one of the same size, told to be as old, written over it. */
    fixture_image(folder, "all/train/c0/000.ppm", 6, 5, 78);
    fixture_shell(folder,
                  "cp -p c.tar old.tar && cd all && tar -cf ../c.tar train test "
                  "&& touch -r ../old.tar ../c.tar");
    assert_ok(open_archive(&data, path, true, 0));
    fixture_check(data, JSN_SPLIT_TRAIN, 0, 6, 5, 78);
    jsn_dataset_close(data);
    /* A cache folder that cannot be written is no obstacle. */
    jsn_dataset_options options;
    jsn_dataset_options_init(&options);
    options.cache = "/dev/null/cache";
    assert_ok(jsn_dataset_open(&data, path, &options));
    fixture_check(data, JSN_SPLIT_TRAIN, 0, 6, 5, 78);
    jsn_dataset_close(data);
}

static void test_a_broken_image_spoils_only_itself(void **state)
{
    (void)state;
    write_tree("broken", false);
    fixture_file(folder, "broken/train/c1/004.ppm", "P6 oops", 7);
    fixture_shell(folder, "cd broken && tar -cf ../broken.tar train test");
    if (without_archives(fixture_path(folder, "broken.tar")))
        skip();
    for (int opening = 0; opening < 2; opening++) {
        jsn_dataset *data = NULL;
        jsn_image image = {0};
        assert_ok(open_archive(&data, fixture_path(folder, "broken.tar"), true, 0));
        assert_fails(jsn_dataset_image(data, JSN_SPLIT_TRAIN, EACH + 4, &image),
                     JSN_ERR_DATA, "train/c1/004.ppm");
        fixture_check(data, JSN_SPLIT_TRAIN, EACH + 5, 6, 5, 1005);
        jsn_image_release(&image);
        jsn_dataset_close(data);
    }
}

typedef struct hostile {
    const char *name;
    size_t length;
    char type;
} hostile;

static void test_hostile_members_are_refused_or_skipped(void **state)
{
    (void)state;
#define NAME(text) text, sizeof text - 1
    static const hostile refused[] = {
        {NAME("../x/1.ppm"), '0'},
        {NAME("a/../../1.ppm"), '0'},
        {NAME("/etc/a/1.ppm"), '0'},
        {NAME("a/.."), '0'},
        {NAME(".."), '5'},
        {NAME("a/b/../c.ppm"), '0'},
        {NAME("\\abs\\1.ppm"), '0'},
        {NAME("//a/1.ppm"), '0'},
        {NAME("a/\x01/1.ppm"), '0'},
        {NAME("a/1\n.ppm"), '0'},
        {NAME("a/\x1b[2J/1.ppm"), '0'},
        {NAME("a/\x7f/1.ppm"), '0'},
        {NAME("a/\xff\xfe/1.ppm"), '0'},
        {NAME("a/\xc0\xaf/1.ppm"), '0'},
        {NAME("a/caf\xe9/1.ppm"), '0'},
        {NAME("a/\xed\xa0\x80/1.ppm"), '0'},
        {NAME("./../1.ppm"), '0'},
        {NAME("a/./../../1.ppm"), '0'},
        {NAME("../"), '5'},
        {NAME("/"), '5'},
        {NAME("/dev/null"), '3'},
        {NAME("../../etc/passwd"), '2'},
        {NAME("../../etc/passwd"), '1'},
    };
    static const hostile skipped[] = {
        {NAME("a/link"), '2'},           {NAME("a/hard"), '1'},
        {NAME("a/device.ppm"), '3'},     {NAME("a/block.ppm"), '4'},
        {NAME("a/fifo.ppm"), '6'},       {NAME("a/.hidden.ppm"), '0'},
        {NAME("__MACOSX/a/1.ppm"), '0'}, {NAME("./"), '5'},
        {NAME("a/notes.txt"), '0'},      {NAME("a/1.ppm.exe"), '0'},
        {NAME(".c/1.ppm"), '0'},         {NAME(".d/"), '5'},
    };
#undef NAME
    uint8_t ppm[400];
    const size_t length = fixture_ppm(ppm, sizeof ppm, 4, 4, 1);
    fixture_tar tar;
    char path[400];
    (void)snprintf(path, sizeof path, "%s", fixture_path(folder, "h.tar"));
    for (size_t i = 0; i < sizeof refused / sizeof refused[0] + 1; i++) {
        const bool all_skipped = i == sizeof refused / sizeof refused[0];
        fixture_tar_begin(&tar, path);
        fixture_tar_add(&tar, "a/1.ppm", 7, '0', ppm, length);
        fixture_tar_add(&tar, "b/1.ppm", 7, '0', ppm, length);
        const hostile *from = all_skipped ? skipped : &refused[i];
        for (size_t k = 0; k < (all_skipped ? sizeof skipped / sizeof skipped[0] : 1);
             k++)
            fixture_tar_add(&tar, from[k].name, from[k].length, from[k].type, ppm,
                            from[k].type == '0' ? length : 0);
        fixture_tar_end(&tar);
        jsn_dataset *data = NULL;
        const jsn_status status = open_archive(&data, path, false, 0);
        if (status == JSN_ERR_UNSUPPORTED)
            skip();
        if (all_skipped) {
            assert_ok(status);
            assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TRAIN), 2);
        } else if (status != JSN_ERR_DATA) {
            fail_msg("member %zu, '%s': %s", i, from->name, jsn_status_text(status));
        }
        jsn_dataset_close(data);
    }
}

static void note(void *user, jsn_log_level level, const char *text)
{
    (void)level;
    (void)snprintf(user, 300, "%.299s", text);
}

/* Links to files are those files; what leads nowhere is a broken image. */
static void check_links(const char *path, const char *use_cache, size_t memory,
                        char heard[300])
{
    /* Sorted; the picture of each, or -1. */
    static const int want[] = {1, 1, -1, 1, -1, -1, 2, 2, 2, 1};
    static const char *const names[] = {
        "a/1.ppm",   "a/chain.ppm", "a/circle.ppm", "a/hard.ppm", "a/lost.ppm",
        "a/out.ppm", "b/2.ppm",     "b/b.ppm",      "b/deep.ppm", "b/soft.ppm"};
    jsn_dataset *data = NULL;
    jsn_image image = {0};
    const jsn_logger logger = {heard, note, NULL};
    jsn_dataset_options options = {
        .logger = &logger, .cache = use_cache, .memory = memory, .threads = 2};
    heard[0] = '\0';
    assert_ok(jsn_dataset_open(&data, path, &options));
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TRAIN), 10);
    for (size_t i = 0; i < 10; i++) {
        assert_string_equal(jsn_dataset_path(data, JSN_SPLIT_TRAIN, i), names[i]);
        if (want[i] >= 0)
            fixture_check(data, JSN_SPLIT_TRAIN, i, 6, 5, (unsigned)want[i]);
        else
            assert_fails(jsn_dataset_image(data, JSN_SPLIT_TRAIN, i, &image),
                         JSN_ERR_DATA, names[i]);
    }
    jsn_image_release(&image);
    jsn_dataset_close(data);
}

static void test_links_are_the_files_they_lead_to(void **state)
{
    (void)state;
    char heard[300], path[400];
    fixture_image(folder, "l/a/1.ppm", 6, 5, 1);
    fixture_image(folder, "l/b/2.ppm", 6, 5, 2);
    fixture_shell(folder,
                  "cd l && ln a/1.ppm a/hard.ppm && ln b/2.ppm b/b.ppm && "
                  "ln -s ../a/1.ppm b/soft.ppm && ln -s ../b/./soft.ppm a/chain.ppm && "
                  "ln -s ../a/../b//2.ppm b/deep.ppm && ln -s gone.ppm a/lost.ppm && "
                  "ln -s circle.ppm a/circle.ppm && ln -s ../../a/1.ppm a/out.ppm && "
                  "tar -cf ../l.tar a/1.ppm a/hard.ppm b a/chain.ppm a/lost.ppm "
                  "a/circle.ppm a/out.ppm");
    (void)snprintf(path, sizeof path, "%s", fixture_path(folder, "l.tar"));
    if (without_archives(path))
        skip();
    check_links(path, "off", 0, heard);
    assert_non_null(
        strstr(heard, "l.tar: 3 links lead to no file in the archive, such as 'a/"));
    fixture_shell(folder, "rm -rf cache");
    check_links(path, cache, 0, heard);
    check_links(path, cache, 0, heard); /* from the cache: the images stay broken */
    fixture_shell(folder, "rm -rf cache");
    check_links(path, cache, 100, heard); /* spilled */
    check_links(path, cache, 100, heard);

    /* Pixels, where nothing is broken; and not when the links make them too many. */
    fixture_shell(folder, "cd l && tar -cf ../m.tar a/1.ppm a/hard.ppm b");
    (void)snprintf(path, sizeof path, "%s", fixture_path(folder, "m.tar"));
    for (int small = 0; small < 2; small++) {
        jsn_dataset *data = NULL;
        assert_ok(open_archive(&data, path, false, small ? 6 * 5 * 3 * 4 : 0));
        assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TRAIN), 6);
        assert_int_equal(jsni_dataset_pixels(data, JSN_SPLIT_TRAIN) == NULL, small);
        for (size_t i = 0; i < 6; i++)
            fixture_check(data, JSN_SPLIT_TRAIN, i, 6, 5, i < 2 || i == 5 ? 1 : 2);
        jsn_dataset_close(data);
    }
    /* A class that is a link to a folder is passed over like any without images. */
    jsn_dataset *data = NULL;
    fixture_shell(folder, "cd l && ln -s b c && tar -cf ../n.tar a/1.ppm b c");
    assert_ok(open_archive(&data, fixture_path(folder, "n.tar"), false, 0));
    assert_int_equal(jsn_dataset_about(data)->classes, 2);
    jsn_dataset_close(data);
}

static void test_archives_that_are_none_or_repeat_a_member(void **state)
{
    (void)state;
    uint8_t ppm[400];
    const size_t length = fixture_ppm(ppm, sizeof ppm, 4, 4, 1);
    jsn_dataset *data = NULL;
    fixture_tar tar;
    fixture_tar_begin(&tar, fixture_path(folder, "twice.tar"));
    fixture_tar_add(&tar, "a/1.ppm", 7, '0', ppm, length);
    fixture_tar_add(&tar, "b/1.ppm", 7, '0', ppm, length);
    fixture_tar_add(&tar, "./a/1.ppm", 9, '0', ppm, length);
    fixture_tar_end(&tar);
    if (without_archives(fixture_path(folder, "twice.tar")))
        skip();
    assert_fails(open_archive(&data, fixture_path(folder, "twice.tar"), false, 0),
                 JSN_ERR_DATA, "'a/1.ppm' twice");
    fixture_file(folder, "text.tar.xz", "no archive at all", 17);
    assert_fails(open_archive(&data, fixture_path(folder, "text.tar.xz"), false, 0),
                 JSN_ERR_DATA, "cannot be read as an archive");
    fixture_file(folder, "void.zip", "", 0);
    assert_int_equal(open_archive(&data, fixture_path(folder, "void.zip"), false, 0),
                     JSN_ERR_DATA);
    fixture_tar_begin(&tar, fixture_path(folder, "none.tar"));
    fixture_tar_add(&tar, "readme.txt", 10, '0', "hello", 5);
    fixture_tar_end(&tar);
    assert_fails(open_archive(&data, fixture_path(folder, "none.tar"), false, 0),
                 JSN_ERR_DATA, "no images");
    fixture_shell(folder, "head -c 3000 twice.tar > cut.tar");
    assert_int_equal(open_archive(&data, fixture_path(folder, "cut.tar"), false, 0),
                     JSN_ERR_DATA);
    /* A bomb: 200 MB of zeros in an image's place, 200 kB in the archive. */
    fixture_shell(folder, "mkdir -p bomb/a && head -c 200000000 /dev/zero > "
                          "bomb/a/1.ppm && tar -C bomb -czf bomb.tar.gz a && "
                          "rm bomb/a/1.ppm");
    assert_fails(open_archive(&data, fixture_path(folder, "bomb.tar.gz"), false, 0),
                 JSN_ERR_DATA, "more than 100 times its size when expanded");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_of_archive_gives_the_same_samples),
        cmocka_unit_test(test_images_of_several_sizes_stay_encoded),
        cmocka_unit_test(test_a_damaged_or_stale_cache_is_not_used),
        cmocka_unit_test(test_a_broken_image_spoils_only_itself),
        cmocka_unit_test(test_hostile_members_are_refused_or_skipped),
        cmocka_unit_test(test_links_are_the_files_they_lead_to),
        cmocka_unit_test(test_archives_that_are_none_or_repeat_a_member),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
