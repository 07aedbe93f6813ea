/* Folders of images: torchvision's order, splits, and what is refused. */
#define _POSIX_C_SOURCE 200809L
#include "fixture.h"

#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "data/dataset_impl.h"
#include "data/dataset_part.h"
#include "jensen/image_file.h"
#include "jensen/limit.h"

static jsn_dataset *open_ok(const char *name, const char *rest)
{
    char spec[600];
    jsn_dataset *data = NULL;
    (void)snprintf(spec, sizeof spec, "%s/%s%s", support_folder, name, rest);
    assert_ok(jsn_dataset_open(&data, spec, NULL));
    return data;
}

static void refused(const char *name, const char *words)
{
    jsn_dataset *data = NULL;
    assert_fails(jsn_dataset_open(&data, fixture_path(support_folder, name), NULL),
                 JSN_ERR_DATA, words);
    assert_null(data);
}

static void test_classes_and_samples_come_in_torchvisions_order(void **state)
{
    (void)state;
    /* What ImageFolder gives: classes by name (capitals first, "cat" before "cat-2");
     * inside a class, folder by folder in the order of their paths, then by name. */
    static const char *const want[] = {
        "Zebra/1.JPG",   "cat/10.png",     "cat/2.png",  "cat/b/x.jpeg",
        "cat/b-c/y.bmp", "cat/b/c/w.webp", "cat-2/a.ppm"};
    static const int labels[] = {0, 1, 1, 1, 1, 1, 2};
    for (size_t i = 0; i < 7; i++) {
        char name[100];
        (void)snprintf(name, sizeof name, "order/%s", want[i]);
        fixture_image(support_folder, name, 5, 4, (unsigned)i);
    }
    fixture_file(support_folder, "order/cat/notes.txt", "x", 1);
    fixture_image(support_folder, "order/outside.png", 5, 4, 50);
    fixture_image(support_folder, "order/.hidden/1.png", 5, 4, 51);
    fixture_image(support_folder, "order/cat/.hidden.png", 5, 4, 52);
    jsn_dataset *data = open_ok("order", "");
    assert_int_equal(jsn_dataset_about(data)->classes, 3);
    assert_string_equal(jsn_dataset_about(data)->kind, "folder");
    assert_string_equal(jsn_dataset_class(data, 2), "cat-2");
    assert_int_equal(jsn_dataset_about(data)->width, 5);
    assert_int_equal(jsn_dataset_about(data)->height, 4);
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TRAIN), 7);
    assert_null(jsni_dataset_pixels(data, JSN_SPLIT_TRAIN));
    for (size_t i = 0; i < 7; i++) {
        assert_string_equal(jsn_dataset_path(data, JSN_SPLIT_TRAIN, i), want[i]);
        assert_int_equal(jsn_dataset_label(data, JSN_SPLIT_TRAIN, i), labels[i]);
    }
    fixture_check(data, JSN_SPLIT_TRAIN, 0, 5, 4, 0);
    fixture_check(data, JSN_SPLIT_TRAIN, 3, 5, 4, 3);
    fixture_check(data, JSN_SPLIT_TRAIN, 6, 5, 4, 6);
    jsn_dataset_close(data);
}

static void test_splits_share_the_training_classes(void **state)
{
    (void)state;
    fixture_image(support_folder, "splits/train/b/1.png", 3, 3, 1);
    fixture_image(support_folder, "splits/train/a/1.png", 3, 3, 2);
    fixture_image(support_folder, "splits/train/c/1.png", 3, 3, 3);
    fixture_image(support_folder, "splits/validation/c/2.png", 4, 3, 4);
    fixture_image(support_folder, "splits/test/b/3.png", 3, 3, 5);
    jsn_dataset *data = open_ok("splits", "");
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TRAIN), 3);
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_VAL), 1);
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TEST), 1);
    assert_int_equal(jsn_dataset_label(data, JSN_SPLIT_VAL, 0), 2);
    assert_int_equal(jsn_dataset_label(data, JSN_SPLIT_TEST, 0), 1);
    assert_string_equal(jsn_dataset_path(data, JSN_SPLIT_VAL, 0), "validation/c/2.png");
    fixture_check(data, JSN_SPLIT_VAL, 0, 4, 3, 4);
    jsn_dataset_close(data);

    data = open_ok("splits", ",split=val");
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TRAIN), 0);
    assert_int_equal(jsn_dataset_about(data)->main_split, JSN_SPLIT_VAL);
    assert_int_equal(jsn_dataset_about(data)->classes, 3);
    jsn_dataset_close(data);

    fixture_image(support_folder, "splits/test/d/4.png", 3, 3, 6);
    refused("splits", "'d' is not a class of the training split");
    fixture_image(support_folder, "beside/train/b/1.png", 3, 3, 1);
    fixture_image(support_folder, "beside/extra/b/1.png", 3, 3, 1);
    refused("beside", "images in 'extra' beside it; move");
    fixture_image(support_folder, "twice/train/b/1.png", 3, 3, 1);
    fixture_image(support_folder, "twice/val/b/1.png", 3, 3, 1);
    fixture_image(support_folder, "twice/validation/b/1.png", 3, 3, 1);
    refused("twice", "both val/ and validation/");
}

typedef struct heard {
    char text[4][300];
    size_t count;
} heard;

static void hear(void *user, jsn_log_level level, const char *text)
{
    heard *h = user;
    assert_int_equal(level, JSN_LOG_WARNING);
    assert_true(h->count < 4);
    (void)snprintf(h->text[h->count++], sizeof h->text[0], "%.299s", text);
}

static jsn_dataset *open_heard(const char *name, heard *h)
{
    jsn_dataset *data = NULL;
    const jsn_logger logger = {h, hear, NULL};
    const jsn_dataset_options options = {.logger = &logger};
    *h = (heard){0};
    assert_ok(jsn_dataset_open(&data, fixture_path(support_folder, name), &options));
    return data;
}

static void test_splits_have_their_usual_names(void **state)
{
    (void)state;
    static const char *const names[][JSN_SPLITS] = {{"Train", "VAL", "Test"},
                                                    {"training", "valid", "testing"},
                                                    {"TRAINING", "Validation", "test"}};
    for (size_t i = 0; i < 3; i++) {
        char root[20], name[100];
        (void)snprintf(root, sizeof root, "usual%zu", i);
        for (unsigned s = 0; s < JSN_SPLITS; s++) {
            (void)snprintf(name, sizeof name, "%s/%s/a/1.png", root, names[i][s]);
            fixture_image(support_folder, name, 3, 3, s);
        }
        jsn_dataset *data = open_ok(root, "");
        assert_int_equal(jsn_dataset_about(data)->classes, 1);
        for (unsigned s = 0; s < JSN_SPLITS; s++)
            fixture_check(data, (jsn_split)s, 0, 3, 3, s);
        (void)snprintf(name, sizeof name, "%s/a/1.png", names[i][1]);
        assert_string_equal(jsn_dataset_path(data, JSN_SPLIT_VAL, 0), name);
        jsn_dataset_close(data);
    }
    /* No such names: these are classes. */
    fixture_image(support_folder, "unusual/trains/a/1.png", 3, 3, 1);
    fixture_image(support_folder, "unusual/tes/a/1.png", 3, 3, 1);
    fixture_image(support_folder, "unusual/train/1.png", 3, 3, 1);
    jsn_dataset *data = open_ok("unusual", "");
    assert_int_equal(jsn_dataset_about(data)->classes, 3);
    jsn_dataset_close(data);
}

static void test_images_that_are_not_used_are_told_of(void **state)
{
    (void)state;
    heard h;
    fixture_image(support_folder, "told/train/a/1.png", 3, 3, 1);
    fixture_image(support_folder, "told/train/b/2.png", 3, 3, 2);
    jsn_dataset_close(open_heard("told", &h));
    assert_int_equal(h.count, 0);
    fixture_image(support_folder, "told/Test/3.png", 3, 3, 3);
    fixture_image(support_folder, "told/train/4.png", 3, 3, 4);
    fixture_image(support_folder, "told/5.png", 3, 3, 5);
    jsn_dataset *data = open_heard("told", &h);
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TRAIN), 2);
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TEST), 0);
    jsn_dataset_close(data);
    assert_int_equal(h.count, 2);
    assert_non_null(strstr(h.text[0],
                           "Test/ is not used, because it has no class folders; "
                           "it holds 1 image, such as 'Test/3.png'"));
    assert_non_null(strstr(h.text[1], "2 images are outside the class folders"));
    assert_int_equal(
        symlink("/no/such", fixture_path(support_folder, "told/train/b/dead.png")), 0);
    assert_int_equal(symlink("/no/such", fixture_path(support_folder, "told/c")), 0);
    data = open_heard("told", &h);
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TRAIN), 3);
    jsn_image image = {0};
    assert_fails(jsn_dataset_image(data, JSN_SPLIT_TRAIN, 2, &image), JSN_ERR_DATA,
                 "dead.png");
    jsn_image_release(&image);
    jsn_dataset_close(data);
    assert_int_equal(h.count, 3);
    assert_non_null(strstr(h.text[2], "1, such as 'c'"));
    /* A class folder without images is no class. */
    assert_int_equal(mkdir(fixture_path(support_folder, "told/train/a0"), 0777), 0);
    data = open_heard("told", &h);
    assert_int_equal(jsn_dataset_about(data)->classes, 2);
    jsn_dataset_close(data);
    assert_int_equal(h.count, 4);
    assert_non_null(strstr(h.text[0], "1 class folder holds no images"));
    assert_non_null(strstr(h.text[0], "'train/a0'"));
}

static void test_folders_that_make_no_data_set_get_a_sentence(void **state)
{
    (void)state;
    assert_int_equal(mkdir(fixture_path(support_folder, "nothing"), 0777), 0);
    refused("nothing", "no images in class folders");
    fixture_image(support_folder, "flat/1.png", 3, 3, 1);
    refused("flat", "no images in class folders");
    fixture_image(support_folder, "latin/caf\xe9/1.png", 3, 3, 1);
    refused("latin", "not UTF-8");
    fixture_image(support_folder, "circle/a/1.png", 3, 3, 1);
    assert_int_equal(symlink("..", fixture_path(support_folder, "circle/a/up")), 0);
    refused("circle", "a/up: a link to a folder that contains it");
    jsn_dataset *data = NULL;
    assert_fails(jsn_dataset_open(&data, fixture_path(support_folder, "missing"), NULL),
                 JSN_ERR_DATA, "not a file or folder");
    assert_fails(jsn_dataset_open(&data, "cifar11:no/such", NULL), JSN_ERR_UNKNOWN_NAME,
                 "not a file or folder");
    assert_fails(jsn_dataset_open(&data, "folder:no/such", NULL), JSN_ERR_DATA,
                 "no such file or folder");
    char spec[500];
    (void)snprintf(spec, sizeof spec, "cifar10:%s",
                   fixture_path(support_folder, "flat2"));
    fixture_image(support_folder, "flat2/zebra/1.png", 32, 32, 1);
    assert_fails(jsn_dataset_open(&data, spec, NULL), JSN_ERR_DATA,
                 "'zebra' is not a class of cifar10");
    fixture_image(support_folder, "few/truck/1.png", 32, 32, 1);
    fixture_image(support_folder, "few/cat/1.png", 32, 32, 1);
    (void)snprintf(spec, sizeof spec, "cifar10:%s",
                   fixture_path(support_folder, "few"));
    assert_ok(jsn_dataset_open(&data, spec, NULL));
    assert_int_equal(jsn_dataset_about(data)->classes, 10);
    assert_int_equal(jsn_dataset_label(data, JSN_SPLIT_TRAIN, 1), 9);
    assert_string_equal(jsn_dataset_about(data)->asymmetric, "cifar10");
    jsn_dataset_close(data);
}

static void test_bad_images_fail_alone_and_with_their_path(void **state)
{
    (void)state;
    fixture_image(support_folder, "bad/a/1.png", 3, 3, 1);
    fixture_file(support_folder, "bad/a/2.png", "", 0);
    fixture_file(support_folder, "bad/b/3.jpg", "text, not an image", 18);
    fixture_image(support_folder, "bad/b/4.png", 7, 3, 4);
    fixture_image(support_folder, "bad/b/5.png", 3, 3, 5);
    assert_int_equal(chmod(fixture_path(support_folder, "bad/b/5.png"), 0), 0);
    jsn_dataset *data = open_ok("bad", "");
    assert_int_equal(jsn_dataset_about(data)->width, 0); /* sizes vary */
    jsn_image image = {0};
    assert_fails(jsn_dataset_image(data, JSN_SPLIT_TRAIN, 1, &image), JSN_ERR_DATA,
                 "bad/a/2.png: the file is empty");
    assert_fails(jsn_dataset_image(data, JSN_SPLIT_TRAIN, 2, &image), JSN_ERR_DATA,
                 "bad/b/3.jpg: not an image");
    if (geteuid() != 0)
        assert_fails(jsn_dataset_image(data, JSN_SPLIT_TRAIN, 4, &image), JSN_ERR_DATA,
                     "bad/b/5.png");
    jsn_image_release(&image);
    fixture_check(data, JSN_SPLIT_TRAIN, 0, 3, 3, 1);
    fixture_check(data, JSN_SPLIT_TRAIN, 3, 7, 3, 4);
    jsn_dataset_close(data);
}

static void test_decoded_images_are_kept_while_memory_allows(void **state)
{
    (void)state;
    fixture_image(support_folder, "kept/a/1.png", 10, 10, 1);
    fixture_image(support_folder, "kept/b/2.png", 10, 10, 2);
    /* Room for one image of 300 bytes and its head, not for two. */
    const jsn_dataset_options options = {.memory = 400};
    jsn_dataset *data = NULL;
    assert_ok(jsn_dataset_open(&data, fixture_path(support_folder, "kept"), &options));
    fixture_check(data, JSN_SPLIT_TRAIN, 0, 10, 10, 1);
    fixture_check(data, JSN_SPLIT_TRAIN, 1, 10, 10, 2);
    assert_int_equal(remove(fixture_path(support_folder, "kept/a/1.png")), 0);
    assert_int_equal(remove(fixture_path(support_folder, "kept/b/2.png")), 0);
    fixture_check(data, JSN_SPLIT_TRAIN, 0, 10, 10, 1);
    jsn_image image = {0};
    assert_fails(jsn_dataset_image(data, JSN_SPLIT_TRAIN, 1, &image), JSN_ERR_DATA,
                 "2.png");
    jsn_image_release(&image);
    jsn_dataset_close(data);
}

/* It holds for what is chosen, which data sets of a run share, and for what was asked for. */
static void test_a_limit_bounds_what_is_kept(void **state)
{
    (void)state;
    const jsn_dataset_options options = {.memory = 400};
    jsn_dataset *data = NULL;
    fixture_image(support_folder, "limited/a/1.png", 10, 10, 1);
    fixture_image(support_folder, "limited/b/2.png", 10, 10, 2);
    const size_t free_quarter = jsni_dataset_memory();
    assert_true(free_quarter > 399);
    assert_ok(jsn_limit_set("kept=399"));
    assert_int_equal(jsni_dataset_memory(), 399);
    for (int given = 0; given < 2; given++) {
        assert_ok(jsn_dataset_open(&data, fixture_path(support_folder, "limited"),
                                   given ? &options : NULL));
        assert_int_equal(jsni_dataset_memory_left(data), 399);
        jsn_dataset_close(data);
    }
    assert_ok(jsn_limit_set("kept=1"));
    assert_ok(jsn_dataset_open(&data, fixture_path(support_folder, "limited"), NULL));
    fixture_check(data, JSN_SPLIT_TRAIN, 0, 10, 10, 1);
    fixture_image(support_folder, "limited/a/1.png", 10, 10, 3);
    fixture_check(data, JSN_SPLIT_TRAIN, 0, 10, 10, 3); /* decoded again */
    jsn_dataset_close(data);
    assert_ok(jsn_limit_set("kept=1TiB"));
}

static jsn_status open_splits(void *user)
{
    jsn_dataset *data = NULL;
    jsn_status status = jsn_dataset_open(&data, user, NULL);
    jsn_image image = {0};
    if (status == JSN_OK)
        status = jsn_dataset_image(data, JSN_SPLIT_TRAIN, 0, &image);
    jsn_image_release(&image);
    jsn_dataset_close(data);
    return status;
}

static void test_opening_a_folder_survives_lack_of_memory(void **state)
{
    (void)state;
    char path[400];
    (void)snprintf(path, sizeof path, "%s", fixture_path(support_folder, "order"));
    jsn_status status = JSN_ERR_MEMORY;
    /* Keeping a decoded copy and probing sizes may fail quietly, so the walk of the
     * support library, which wants every failure heard, does not fit: what counts is
     * that each try ends in success or in JSN_ERR_MEMORY. */
    for (size_t n = 0; n < 200; n++) {
        jsni_alloc_fail_at(n);
        status = open_splits(path);
        (void)jsni_alloc_fail_off();
        assert_true(status == JSN_OK || status == JSN_ERR_MEMORY);
    }
    assert_ok(open_splits(path));
}

static void test_new_images_are_found_outside_runs(void **state)
{
    (void)state;
    static const char *const images[] = {
        "new/a/2.PNG",      "new/a/b/1.jpg",          "new/c.gif",
        "new/.hid/1.png",   "new/runs/x/d/thumb.png", "new/y/plot.png",
        "new/locked/1.png",
    };
    static const char *const want[] = {"new/a/2.PNG", "new/a/b/1.jpg", "new/c.gif",
                                       "new/locked/1.png"};
    jsn_texts paths = {0}, runs = {0};
    for (size_t i = 0; i < sizeof images / sizeof images[0]; i++)
        fixture_image(support_folder, images[i], 3, 2, (unsigned)i);
    fixture_file(support_folder, "new/a/notes.txt", "x", 1);
    fixture_file(support_folder, "new/runs/x/config.yaml", "x", 1);
    fixture_file(support_folder, "new/runs/x/environment.json", "x", 1);
    fixture_file(support_folder, "new/y/config.yaml", "x", 1);
    fixture_file(support_folder, "new/y/environment.json", "x", 1);
    fixture_file(support_folder, "new/locked/.lock", "x", 1); /* of somebody else */
    fixture_file(support_folder, "new/killed/.lock", "x", 1);
    assert_ok(jsn_image_find(&paths, fixture_path(support_folder, "new"), &runs));
    assert_int_equal(paths.count, 4);
    for (size_t i = 0; i < paths.count; i++)
        assert_string_equal(paths.items[i], fixture_path(support_folder, want[i]));
    assert_int_equal(runs.count, 3);
    assert_string_equal(runs.items[0], fixture_path(support_folder, "new/killed"));
    assert_string_equal(runs.items[1], fixture_path(support_folder, "new/runs/x"));
    /* What is no folder is taken as it is named; runs need not be asked for. */
    assert_ok(jsn_image_find(&paths, "nowhere.txt", NULL));
    assert_string_equal(paths.items[4], "nowhere.txt");
    assert_ok(jsn_image_find(&paths, fixture_path(support_folder, "new/y"), NULL));
    assert_int_equal(paths.count, 5);
    jsn_texts_release(&paths);
    jsn_texts_release(&runs);
}

static jsn_status find_all(void *user)
{
    jsn_texts paths = {0}, runs = {0};
    (void)user;
    const jsn_status status =
        jsn_image_find(&paths, fixture_path(support_folder, "new"), &runs);
    jsn_texts_release(&paths);
    jsn_texts_release(&runs);
    return status;
}

static void test_finding_survives_failed_allocations(void **state)
{
    (void)state;
    support_walk_allocations(find_all, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes_and_samples_come_in_torchvisions_order),
        cmocka_unit_test(test_splits_share_the_training_classes),
        cmocka_unit_test(test_splits_have_their_usual_names),
        cmocka_unit_test(test_images_that_are_not_used_are_told_of),
        cmocka_unit_test(test_folders_that_make_no_data_set_get_a_sentence),
        cmocka_unit_test(test_bad_images_fail_alone_and_with_their_path),
        cmocka_unit_test(test_decoded_images_are_kept_while_memory_allows),
        cmocka_unit_test(test_a_limit_bounds_what_is_kept),
        cmocka_unit_test(test_opening_a_folder_survives_lack_of_memory),
        cmocka_unit_test(test_new_images_are_found_outside_runs),
        cmocka_unit_test(test_finding_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, support_folder_begin, support_folder_end);
}
