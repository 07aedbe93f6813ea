/* Data sets with layouts of their own, in fixtures written as their publishers describe
 * them: IDX, CSV, WebVision, ImageNet, ANIMAL-10N, Food-101N, Clothing1M, WebDataset. */
#define _POSIX_C_SOURCE 200809L
#include "fixture.h"

#include <sys/stat.h>

#include "core/alloc.h"

static void write_text(const char *name, const char *text)
{
    fixture_file(support_folder, name, text, strlen(text));
}

/* kind:folder/name + rest */
static const char *spec_of(const char *kind, const char *name, const char *rest)
{
    static char spec[1200];
    (void)snprintf(spec, sizeof spec, "%s:%s/%s%s", kind, support_folder, name, rest);
    return spec;
}

static jsn_dataset *open_ok(const char *spec)
{
    jsn_dataset *data = NULL;
    const jsn_dataset_options options = {.cache = "off"};
    assert_ok(jsn_dataset_open(&data, spec, &options));
    return data;
}

static void refused(const char *spec, const char *words)
{
    jsn_dataset *data = NULL;
    const jsn_dataset_options options = {.cache = "off"};
    assert_fails(jsn_dataset_open(&data, spec, &options), JSN_ERR_DATA, words);
    assert_null(data);
}

/* A text that makes a data set wrong, and words of the refusal. */
typedef struct wrong_text {
    const char *text, *words;
} wrong_text;

/* `spec` is refused with each of the texts in turn as the file `name`. */
static void refused_texts(const char *name, const char *spec, const wrong_text *texts,
                          size_t count)
{
    for (size_t i = 0; i < count; i++) {
        write_text(name, texts[i].text);
        refused(spec, texts[i].words);
    }
}

static void check_row(const jsn_dataset *data, jsn_split split, size_t index,
                      const char *path, int label, unsigned seed)
{
    assert_string_equal(jsn_dataset_path(data, split, index), path);
    assert_int_equal(jsn_dataset_label(data, split, index), label);
    fixture_check(data, split, index, 4, 3, seed);
}

static void image(const char *name, unsigned seed)
{
    fixture_image(support_folder, name, 4, 3, seed);
}

static void test_idx(void **state)
{
    (void)state;
    /* MNIST's own header values: 0x803 and 0x801, big-endian sizes. */
    static const uint8_t images[] = {0, 0, 8, 3, 0, 0, 0, 2, 0,   0,  0,  2,  0,  0,
                                     0, 3, 1, 2, 3, 4, 5, 6, 250, 11, 12, 13, 14, 15};
    static const uint8_t labels[] = {0, 0, 8, 1, 0, 0, 0, 2, 7, 0};
    fixture_file(support_folder, "mnist/train-images-idx3-ubyte", images,
                 sizeof images);
    fixture_file(support_folder, "mnist/train-labels-idx1-ubyte", labels,
                 sizeof labels);
    fixture_file(support_folder, "mnist/t10k-images.idx3-ubyte", images, sizeof images);
    fixture_file(support_folder, "mnist/t10k-labels.idx1-ubyte", labels, sizeof labels);
    jsn_dataset *data = open_ok(spec_of("idx", "mnist", ""));
    assert_int_equal(jsn_dataset_about(data)->classes, 8);
    assert_int_equal(jsn_dataset_about(data)->width, 3);
    assert_int_equal(jsn_dataset_about(data)->height, 2);
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TEST), 2);
    assert_int_equal(jsn_dataset_label(data, JSN_SPLIT_TRAIN, 0), 7);
    assert_string_equal(jsn_dataset_path(data, JSN_SPLIT_TRAIN, 0), "train/7/0000.png");
    jsn_image picture = {0};
    assert_ok(jsn_dataset_image(data, JSN_SPLIT_TRAIN, 1, &picture));
    static const uint8_t want[] = {250, 250, 250, 11, 11, 11, 12, 12, 12,
                                   13,  13,  13,  14, 14, 14, 15, 15, 15};
    assert_memory_equal(picture.data, want, sizeof want);
    jsn_image_release(&picture);
    jsn_dataset_close(data);
    /* Damage: every cut, another type, sizes that do not fit. */
    for (size_t cut = 0; cut < sizeof images; cut++) {
        fixture_file(support_folder, "mnist/train-images-idx3-ubyte", images, cut);
        refused(spec_of("idx", "mnist", ""), "train-images");
    }
    fixture_file(support_folder, "mnist/train-images-idx3-ubyte", labels,
                 sizeof labels);
    refused(spec_of("idx", "mnist", ""), "3 dimensions");
    uint8_t huge[sizeof images];
    memcpy(huge, images, sizeof images);
    memset(huge + 4, 0x7f, 12);
    fixture_file(support_folder, "mnist/train-images-idx3-ubyte", huge, sizeof images);
    refused(spec_of("idx", "mnist", ""), "header");
    assert_int_equal(
        remove(fixture_path(support_folder, "mnist/train-labels-idx1-ubyte")), 0);
    refused(spec_of("idx", "mnist", ""), "only one of");
}

static void test_csv_with_names_numbers_and_splits(void **state)
{
    (void)state;
    image("tab/pics/a.png", 1);
    image("tab/pics/b.png", 2);
    image("tab/c.png", 3);
    write_text("tab/t.csv", "path,label,split\npics/a.png,dog,train\n"
                            "\"pics/b.png\",cat,test\n./c.png,\"a, b\",validation\n");
    jsn_dataset *data = open_ok(spec_of("csv", "tab/t.csv", ""));
    assert_int_equal(jsn_dataset_about(data)->classes, 3);
    assert_string_equal(jsn_dataset_class(data, 0), "a, b");
    check_row(data, JSN_SPLIT_TRAIN, 0, "pics/a.png", 2, 1);
    check_row(data, JSN_SPLIT_TEST, 0, "pics/b.png", 1, 2);
    check_row(data, JSN_SPLIT_VAL, 0, "c.png", 0, 3);
    assert_null(jsn_dataset_soft_labels(data, JSN_SPLIT_TRAIN));
    jsn_dataset_close(data);

    write_text("tab/metadata.csv",
               "file_name,worse,label\nc.png,4,1\npics/a.png,0,3\n");
    data = open_ok(spec_of("csv", "tab", ""));
    assert_int_equal(jsn_dataset_about(data)->classes, 4);
    check_row(data, JSN_SPLIT_TRAIN, 1, "pics/a.png", 3, 1);
    jsn_dataset_close(data);
    data = open_ok(spec_of("csv", "tab", ",label=worse"));
    assert_int_equal(jsn_dataset_about(data)->classes, 5);
    check_row(data, JSN_SPLIT_TRAIN, 0, "c.png", 4, 3);
    jsn_dataset_close(data);

    image("hf/train/x.png", 5);
    image("hf/test/y.png", 6);
    write_text("hf/train/metadata.csv", "file_name,label\nx.png,1\n");
    write_text("hf/test/metadata.csv", "file_name,label\ny.png,0\n");
    data = open_ok(spec_of("csv", "hf", ""));
    check_row(data, JSN_SPLIT_TRAIN, 0, "train/x.png", 1, 5);
    check_row(data, JSN_SPLIT_TEST, 0, "test/y.png", 0, 6);
    jsn_dataset_close(data);
}

static void test_csv_with_soft_labels(void **state)
{
    (void)state;
    image("soft/a.png", 1);
    image("soft/b.png", 2);
    write_text("soft/t.csv",
               "path,p_cat,p_dog,p_owl\na.png,1e-300,3e-300,0\nb.png,0.5,0.25,0.25\n");
    jsn_dataset *data = open_ok(spec_of("csv", "soft/t.csv", ""));
    const float *soft = jsn_dataset_soft_labels(data, JSN_SPLIT_TRAIN);
    assert_non_null(soft);
    static const double want[] = {0.25, 0.75, 0, 0.5, 0.25, 0.25};
    for (size_t i = 0; i < 6; i++)
        assert_close(soft[i], want[i], 1e-7, 0);
    assert_string_equal(jsn_dataset_class(data, 1), "dog");
    check_row(data, JSN_SPLIT_TRAIN, 0, "a.png", 1, 1);
    check_row(data, JSN_SPLIT_TRAIN, 1, "b.png", 0, 2);
    jsn_dataset_close(data);
    static const wrong_text wrong[] = {
        {"path,p_cat,p_dog\na.png,1,-1\n", "t.csv:2: a weight"},
        {"path,p_cat,p_dog\na.png,0,0\n", "all zero"},
        {"path,p_cat,p_dog\na.png,x,0\n", "t.csv"},
        {"path,p_cat\na.png,x\n", "no column 'label'"},
        {"file,label\n../../etc/passwd,x\n", "leads outside"},
        {"file,label\na.png,x\n/etc/passwd,x\n", "t.csv:3: the path is absolute"},
        {"name,label\na.png,x\n", "no column 'path'"},
        {"path,label,split\na.png,x,tset\n", "t.csv:2: the split"},
        {"path,label\n", "no samples"},
        {"path,label\na.png,x\nb.png,\n", "t.csv:3: the label is empty"},
    };
    refused_texts("soft/t.csv", spec_of("csv", "soft/t.csv", ""), wrong,
                  sizeof wrong / sizeof wrong[0]);
}

static void test_webvision(void **state)
{
    (void)state;
    image("wv/google/q0001/a.jpg", 1);
    image("wv/google/q0050/b b.jpg", 2);
    image("wv/flickr/q0001/c.jpg", 3);
    image("wv/val_images_256/val000001.jpg", 4);
    write_text(
        "wv/info/train_filelist_google.txt",
        "google/q0001/a.jpg 0\ngoogle/q0050/b b.jpg 49\ngoogle/q0060/x.jpg 50\n");
    write_text("wv/info/train_filelist_flickr.txt", "flickr/q0001/c.jpg 7\n");
    write_text("wv/info/val_filelist.txt", "val000001.jpg 3\nval000002.jpg 999\n");
    jsn_dataset *data = open_ok(spec_of("webvision", "wv", ",classes=50"));
    assert_int_equal(jsn_dataset_about(data)->classes, 50);
    assert_close(jsn_dataset_about(data)->mean[0], 0.485, 1e-7, 0);
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TRAIN), 2);
    check_row(data, JSN_SPLIT_TRAIN, 1, "google/q0050/b b.jpg", 49, 2);
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TEST), 1);
    check_row(data, JSN_SPLIT_TEST, 0, "val_images_256/val000001.jpg", 3, 4);
    jsn_dataset_close(data);
    data = open_ok(spec_of("webvision", "wv", ",flickr=1"));
    assert_int_equal(jsn_dataset_about(data)->classes, 1000);
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TRAIN), 4);
    check_row(data, JSN_SPLIT_TRAIN, 3, "flickr/q0001/c.jpg", 7, 3);
    jsn_image picture = {0}; /* listed, but absent */
    assert_fails(jsn_dataset_image(data, JSN_SPLIT_TEST, 1, &picture), JSN_ERR_DATA,
                 "val000002.jpg");
    jsn_image_release(&picture);
    jsn_dataset_close(data);
    write_text("wv/info/synsets.txt", "n01440764 tench\nn01443537 goldfish\n");
    data = open_ok(spec_of("webvision", "wv", ",classes=2"));
    assert_string_equal(jsn_dataset_class(data, 1), "n01443537 goldfish");
    jsn_dataset_close(data);
    static const wrong_text wrong[] = {
        {"val000001.jpg\n", "val_filelist.txt:1: expected"},
        {"val000001.jpg 1000\n", "1000 or more"},
        {"../../x.jpg 1\n", "leads outside"},
    };
    refused_texts("wv/info/val_filelist.txt", spec_of("webvision", "wv", ",classes=2"),
                  wrong, sizeof wrong / sizeof wrong[0]);
}

static void test_imagenet(void **state)
{
    (void)state;
    image("in/val/n01443537/ILSVRC2012_val_00000236.JPEG", 1);
    image("in/val/n01440764/ILSVRC2012_val_00000293.JPEG", 2);
    image("in/val/n01440764/ILSVRC2012_val_00000262.JPEG", 3);
    image("in/val/n01484850/ILSVRC2012_val_00002338.JPEG", 4);
    jsn_dataset *data = open_ok(spec_of("imagenet", "in", ",classes=2"));
    assert_int_equal(jsn_dataset_about(data)->classes, 2);
    assert_string_equal(jsn_dataset_class(data, 0), "n01440764");
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TEST), 3);
    assert_int_equal(jsn_dataset_about(data)->main_split, JSN_SPLIT_TEST);
    check_row(data, JSN_SPLIT_TEST, 0, "val/n01440764/ILSVRC2012_val_00000262.JPEG", 0,
              3);
    check_row(data, JSN_SPLIT_TEST, 2, "val/n01443537/ILSVRC2012_val_00000236.JPEG", 1,
              1);
    jsn_dataset_close(data);
    image("flat/val/ILSVRC2012_val_00000001.JPEG", 5);
    refused(spec_of("imagenet", "flat", ""), "neither val/WNID/");
    write_text("flat/val.txt", "ILSVRC2012_val_00000001.JPEG 65\n"
                               "ILSVRC2012_val_00000002.JPEG 970\n");
    data = open_ok(spec_of("imagenet", "flat", ",classes=66"));
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TEST), 1);
    check_row(data, JSN_SPLIT_TEST, 0, "val/ILSVRC2012_val_00000001.JPEG", 65, 5);
    jsn_dataset_close(data);
}

static void test_animal10n(void **state)
{
    (void)state;
    image("an/training/9_12.jpg", 1);
    image("an/training/0_7.jpg", 2);
    image("an/testing/4_1.jpg", 3);
    jsn_dataset *data = open_ok(spec_of("animal10n", "an", ""));
    assert_int_equal(jsn_dataset_about(data)->classes, 10);
    assert_string_equal(jsn_dataset_class(data, 9), "guinea pig");
    check_row(data, JSN_SPLIT_TRAIN, 0, "training/0_7.jpg", 0, 2);
    check_row(data, JSN_SPLIT_TRAIN, 1, "training/9_12.jpg", 9, 1);
    check_row(data, JSN_SPLIT_TEST, 0, "testing/4_1.jpg", 4, 3);
    jsn_dataset_close(data);
    image("an/training/10_7.jpg", 2);
    refused(spec_of("animal10n", "an", ""), "'10_7.jpg' is not named");
}

static void test_food101n(void **state)
{
    (void)state;
    image("fn/images/apple_pie/a1.jpg", 1);
    image("fn/images/waffles/b2.jpg", 2);
    image("f101/images/waffles/1005755.jpg", 3);
    write_text("fn/meta/classes.txt", "class_name\napple_pie\nwaffles\n");
    write_text("fn/meta/imagelist.tsv", "class_name/key\nwaffles/b2.jpg\n"
                                        "apple_pie/a1.jpg\n");
    write_text("f101/meta/test.txt", "waffles/1005755\n");
    char rest[400];
    (void)snprintf(rest, sizeof rest, ",test=%s", fixture_path(support_folder, "f101"));
    jsn_dataset *data = open_ok(spec_of("food101n", "fn", rest));
    assert_int_equal(jsn_dataset_about(data)->classes, 2);
    assert_string_equal(jsn_dataset_class(data, 0), "apple_pie");
    check_row(data, JSN_SPLIT_TRAIN, 0, "images/waffles/b2.jpg", 1, 2);
    check_row(data, JSN_SPLIT_TRAIN, 1, "images/apple_pie/a1.jpg", 0, 1);
    check_row(data, JSN_SPLIT_TEST, 0, "images/waffles/1005755.jpg", 1, 3);
    jsn_dataset_close(data);
    write_text("fn/meta/imagelist.tsv", "class_name/key\nsushi/b2.jpg\n");
    refused(spec_of("food101n", "fn", ""), "imagelist.tsv:2: expected");
    write_text("fn/meta/classes.txt", "class_name\napple_pie\napple_pie\n");
    refused(spec_of("food101n", "fn", ""), "named before");
}

/* Noisy labels to train on, clean ones to judge by, or to train on as well; the label files
 * hold more images than any list, and in another order. */
static void test_clothing1m(void **state)
{
    (void)state;
    image("c1m/images/0/12/3,7.jpg", 1);
    image("c1m/images/9/0/1,2.jpg", 2);
    image("c1m/images/4/4/5,5.jpg", 3);
    write_text("c1m/noisy_train_key_list.txt",
               "images/9/0/1,2.jpg\nimages/0/12/3,7.jpg\n");
    write_text("c1m/noisy_label_kv.txt",
               "images/0/12/3,7.jpg 13\nimages/4/4/5,5.jpg 2\nimages/9/0/1,2.jpg 0\n"
               "images/0/12/3,7.jpg 13\n");
    write_text("c1m/clean_train_key_list.txt", "images/0/12/3,7.jpg\n");
    write_text("c1m/clean_val_key_list.txt", "images/9/0/1,2.jpg\n");
    write_text("c1m/clean_test_key_list.txt", "images/4/4/5,5.jpg\n");
    write_text("c1m/clean_label_kv.txt",
               "images/9/0/1,2.jpg 5\nimages/4/4/5,5.jpg 11\nimages/0/12/3,7.jpg 4\n");
    jsn_dataset *data = open_ok(spec_of("clothing1m", "c1m", ""));
    assert_int_equal(jsn_dataset_about(data)->classes, 14);
    assert_string_equal(jsn_dataset_class(data, 13), "13");
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TRAIN), 2);
    check_row(data, JSN_SPLIT_TRAIN, 0, "images/9/0/1,2.jpg", 0, 2);
    check_row(data, JSN_SPLIT_TRAIN, 1, "images/0/12/3,7.jpg", 13, 1);
    check_row(data, JSN_SPLIT_VAL, 0, "images/9/0/1,2.jpg", 5, 2);
    check_row(data, JSN_SPLIT_TEST, 0, "images/4/4/5,5.jpg", 11, 3);
    jsn_dataset_close(data);
    write_text("c1m/category_names_eng.txt",
               "T-Shirt\nShirt\nKnitwear\nChiffon\nSweater\n"
               "Hoodie\nWindbreaker\nJacket\nDowncoat\nSuit\n"
               "Shawl\nDress\nVest\nUnderwear\n");
    data = open_ok(spec_of("clothing1m", "c1m", ",clean=1"));
    assert_string_equal(jsn_dataset_class(data, 13), "Underwear");
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TRAIN), 1);
    check_row(data, JSN_SPLIT_TRAIN, 0, "images/0/12/3,7.jpg", 4, 1);
    jsn_dataset_close(data);
    data = open_ok(spec_of("clothing1m", "c1m", ",split=test"));
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TRAIN), 0);
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TEST), 1);
    jsn_dataset_close(data);
}

static void test_clothing1m_with_wrong_lists(void **state)
{
    (void)state;
    write_text("bad/annotations/clean_label_kv.txt", "images/0/a.jpg 1\n");
    write_text("bad/annotations/clean_val_key_list.txt", "images/0/a.jpg\n");
    write_text("bad/annotations/clean_test_key_list.txt", "images/0/a.jpg\n");
    write_text("bad/annotations/noisy_train_key_list.txt", "images/0/a.jpg\n");
    refused(spec_of("clothing1m", "bad", ""), "annotations/noisy_label_kv.txt");
    static const wrong_text labels[] = {
        {"images/0/a.jpg\n", "noisy_label_kv.txt:1: expected a path and a class"},
        {"images/0/b.jpg 2\nimages/0/a.jpg x\n", "noisy_label_kv.txt:2: expected"},
        {"images/0/a.jpg -1\n", "noisy_label_kv.txt:1: expected"},
        {"images/0/a.jpg 14\n", "noisy_label_kv.txt:1: a class number of 14 or more"},
        {"images/0/a.jpg 3\nimages/0/b.jpg 2\nimages/0/a.jpg 4\n",
         "noisy_label_kv.txt:3: 'images/0/a.jpg' has another label in line 1"},
        {"images/0/b.jpg 2\n",
         "noisy_train_key_list.txt:1: 'images/0/a.jpg' has no label"},
        {"", "noisy_train_key_list.txt:1: 'images/0/a.jpg' has no label"},
    };
    refused_texts("bad/annotations/noisy_label_kv.txt",
                  spec_of("clothing1m", "bad", ""), labels,
                  sizeof labels / sizeof labels[0]);
    write_text("bad/annotations/noisy_label_kv.txt",
               "images/0/a.jpg 1\n../a.jpg 1\n/etc/a.jpg 1\n");
    static const wrong_text keys[] = {
        {"images/0/a.jpg\n../a.jpg\n", "noisy_train_key_list.txt:2: '../a.jpg' leads"},
        {"/etc/a.jpg\n",
         "noisy_train_key_list.txt:1: '/etc/a.jpg' is an absolute path"},
        {"images/0/\x01.jpg\n", "noisy_train_key_list.txt:1: a name holds the control"},
    };
    refused_texts("bad/annotations/noisy_train_key_list.txt",
                  spec_of("clothing1m", "bad", ""), keys, sizeof keys / sizeof keys[0]);
    refused(spec_of("clothing1m", "bad/annotations", ",clean=1"),
            "clean_train_key_list.txt");
}

static void add_to_tar(fixture_tar *tar, const char *name, const char *text,
                       unsigned seed)
{
    uint8_t ppm[200];
    if (text != NULL)
        fixture_tar_add(tar, name, strlen(name), '0', text, strlen(text));
    else
        fixture_tar_add(tar, name, strlen(name), '0', ppm,
                        fixture_ppm(ppm, sizeof ppm, 4, 3, seed));
}

static void test_webdataset(void **state)
{
    (void)state;
    fixture_tar tar;
    fixture_tar_begin(&tar, fixture_path(support_folder, "t-000.tar"));
    add_to_tar(&tar, "a/0001.jpg", NULL, 1);
    add_to_tar(&tar, "a/0001.cls", "3\n", 0);
    add_to_tar(&tar, "a/0002.cls", "0", 0);
    add_to_tar(&tar, "a/0002.png", NULL, 2);
    add_to_tar(&tar, "a/0002.txt", "a caption", 0);
    fixture_tar_end(&tar);
    fixture_tar_begin(&tar, fixture_path(support_folder, "t-001.tar"));
    add_to_tar(&tar, "x.seg.jpg", NULL, 3);
    add_to_tar(&tar, "x.json", "{\"label\": 5, \"url\": \"u\"}", 0);
    fixture_tar_end(&tar);
    jsn_dataset *data = NULL;
    const jsn_dataset_options options = {.cache = "off"};
    if (jsn_dataset_open(&data, spec_of("wds", "t-*.tar", ""), &options) ==
        JSN_ERR_UNSUPPORTED)
        skip();
    assert_non_null(data);
    assert_int_equal(jsn_dataset_about(data)->classes, 6);
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TRAIN), 3);
    check_row(data, JSN_SPLIT_TRAIN, 0, "t-000.tar/a/0001.jpg", 3, 1);
    check_row(data, JSN_SPLIT_TRAIN, 1, "t-000.tar/a/0002.png", 0, 2);
    check_row(data, JSN_SPLIT_TRAIN, 2, "t-001.tar/x.seg.jpg", 5, 3);
    jsn_dataset_close(data);
    char rest[400];
    (void)snprintf(rest, sizeof rest, ",test=%s",
                   fixture_path(support_folder, "t-001.tar"));
    assert_int_equal(mkdir(fixture_path(support_folder, "beside"), 0700), 0);
    data = open_ok(spec_of("wds", "beside/../t-{000..001}.tar", rest));
    assert_int_equal(jsn_dataset_samples(data, JSN_SPLIT_TRAIN), 3);
    check_row(data, JSN_SPLIT_TEST, 0, "t-001.tar/x.seg.jpg", 5, 3);
    jsn_dataset_close(data);
    refused(spec_of("wds", "none-*.tar", ""), "no file has such a name");
    refused(spec_of("wds", "t-{000..002}.tar", ""), "t-002.tar");
    fixture_tar_begin(&tar, fixture_path(support_folder, "u.tar"));
    add_to_tar(&tar, "1.jpg", NULL, 1);
    fixture_tar_end(&tar);
    refused(spec_of("wds", "u.tar", ""), "1.jpg has no label");
    fixture_tar_begin(&tar, fixture_path(support_folder, "u.tar"));
    add_to_tar(&tar, "1.jpg", NULL, 1);
    add_to_tar(&tar, "1.cls", "cat", 0);
    fixture_tar_end(&tar);
    refused(spec_of("wds", "u.tar", ""), "1.cls is not a class number");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_idx),
        cmocka_unit_test(test_csv_with_names_numbers_and_splits),
        cmocka_unit_test(test_csv_with_soft_labels),
        cmocka_unit_test(test_webvision),
        cmocka_unit_test(test_imagenet),
        cmocka_unit_test(test_animal10n),
        cmocka_unit_test(test_food101n),
        cmocka_unit_test(test_clothing1m),
        cmocka_unit_test(test_clothing1m_with_wrong_lists),
        cmocka_unit_test(test_webdataset),
    };
    return cmocka_run_group_tests(tests, support_folder_begin, support_folder_end);
}
