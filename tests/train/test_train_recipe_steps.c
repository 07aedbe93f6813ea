/* Every recipe runs: two steps on small data with the classes of its data set, with its
 * own loss, views, noise, augmentation, optimiser and schedule, on a small network; and
 * one step of every network that recipes name, at its own image size. */
#define _POSIX_C_SOURCE 200809L /* mkdir */
#include "support/support.h"

#include <sys/stat.h>

#include "jensen/recipe.h"
#include "jensen/train.h"
#include "train/recipe_find.h"

static char folder[512]; /* of the fixtures */

static const char *below(const char *name)
{
    static char path[4][640];
    static int turn;
    turn = (turn + 1) % 4;
    (void)snprintf(path[turn], sizeof path[0], "%s/%s", folder, name);
    return path[turn];
}

/* CIFAR records with labels 0, 1, ..., classes-1, 0, ... and any pixels. */
static void write_cifar(const char *name, int label_bytes, int classes, int records)
{
    FILE *file = fopen(below(name), "wb");
    assert_non_null(file);
    uint8_t record[2 + 3072];
    uint32_t number = 1;
    for (int i = 0; i < records; i++) {
        record[0] = 0;
        record[label_bytes - 1] = (uint8_t)(i % classes);
        for (int k = 0; k < 3072; k++) {
            number = number * 1664525u + 1013904223u;
            record[label_bytes + k] = (uint8_t)(number >> 24);
        }
        const size_t bytes = (size_t)label_bytes + 3072;
        assert_int_equal(fwrite(record, 1, bytes, file), bytes);
    }
    assert_int_equal(fclose(file), 0);
}

static void write_folders(const char *name, int classes, int each, int width,
                          int height)
{
    assert_int_equal(mkdir(below(name), 0777), 0);
    for (int k = 0; k < classes; k++) {
        char path[700];
        (void)snprintf(path, sizeof path, "%s/%s/class%03d", folder, name, k);
        assert_int_equal(mkdir(path, 0777), 0);
        for (int i = 0; i < each; i++) {
            char image[800];
            (void)snprintf(image, sizeof image, "%s/%d.ppm", path, i);
            FILE *file = fopen(image, "wb");
            assert_non_null(file);
            (void)fprintf(file, "P6\n%d %d\n255\n", width, height);
            for (int b = 0; b < width * height * 3; b++)
                (void)fputc((k * 31 + i * 7 + b) & 255, file);
            assert_int_equal(fclose(file), 0);
        }
    }
}

static int make_fixtures(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "%s", support_temporary_folder());
    assert_int_equal(mkdir(below("cifar10"), 0777), 0);
    assert_int_equal(mkdir(below("cifar100"), 0777), 0);
    for (int i = 1; i <= 5; i++) {
        char name[40];
        (void)snprintf(name, sizeof name, "cifar10/data_batch_%d.bin", i);
        write_cifar(name, 1, 10, 20);
    }
    write_cifar("cifar10/test_batch.bin", 1, 10, 10);
    write_cifar("cifar100/train.bin", 2, 100, 1000);
    write_cifar("cifar100/test.bin", 2, 100, 100);
    write_folders("fifty", 50, 10, 40, 36);
    /* ANIMAL-10N's are all 64x64, and its recipes resize nothing. */
    write_folders("ten", 10, 10, 64, 64);
    write_folders("ten-small", 10, 10, 32, 32);
    write_folders("food", 101, 10, 40, 36);
    return 0;
}

static int remove_fixtures(void **state)
{
    (void)state;
    support_remove_folder(folder);
    return 0;
}

/* `small`: for an image-size of 32. */
static const char *data_of(const char *dataset, bool small)
{
    const struct {
        const char *dataset, *kind, *name;
    } rows[] = {
        {"cifar10", "cifar10", "cifar10"},
        {"cifar100", "cifar100", "cifar100"},
        {"webvision", "folder", "fifty"},
        {"animal10n", "folder", small ? "ten-small" : "ten"},
        {"food101n", "folder", "food"},
        {"clothing1m", "folder", "food"},
    };
    static char spec[800];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].dataset, dataset) == 0) {
            (void)snprintf(spec, sizeof spec, "%s:%s", rows[i].kind,
                           below(rows[i].name));
            return spec;
        }
    fail_msg("no fixture for the data set '%s'", dataset);
    return NULL;
}

static void set(jsn_train_config *config, const char *name, const char *value)
{
    assert_ok(jsn_train_config_set(config, name, value));
}

/* Trains the recipe with what `overrides` (name, value, ..., NULL) says instead. */
static void run_recipe(const jsn_recipe *recipe, const char *const *overrides)
{
    const char *noise = jsn_recipe_value(recipe, "noise");
    jsn_train_config config;
    jsn_train_result result;
    jsn_train_config_clear(&config);
    set(&config, "recipe", recipe->name);
    set(&config, "out", below("run"));
    set(&config, "threads", "1");
    set(&config, "workers", "0");
    set(&config, "epochs", "1");
    for (; *overrides != NULL; overrides += 2)
        set(&config, overrides[0], overrides[1]);
    set(&config, "data", data_of(recipe->dataset, config.image_size == 32));
    /* Its posteriors come from another run, which nobody has trained here, and labels from
     * a file that is not there. */
    if (noise != NULL &&
        (strncmp(noise, "instance", 8) == 0 || strncmp(noise, "file:", 5) == 0))
        set(&config, "noise", "sym:rate=0.3");
    const jsn_status status = jsn_train(&config, NULL, NULL, NULL, &result);
    if (status != JSN_OK)
        fail_msg("%s: %s", recipe->name, jsn_last_error());
    assert_int_equal(result.epochs, 1);
    assert_int_equal(strlen(result.weights_sha256), 64);
    jsn_train_config_release(&config);
    support_remove_folder(below("run"));
}

static void test_every_recipe_runs_two_steps(void **state)
{
    (void)state;
    static const char *const overrides[] = {
        "network", "mlp:width=16", "image-size", "32",          "batch", "4", "device",
        "ref",     "max-steps",    "2",          "consistency", "never", NULL};
    assert_true(jsni_recipe_count() > 0);
    for (size_t i = 0; i < jsni_recipe_count(); i++) {
        jsn_recipe recipe;
        assert_ok(jsn_recipe_at(i, &recipe));
        run_recipe(&recipe, overrides);
    }
}

/* The first recipe of each network, unless an earlier one has it. */
static void test_every_network_of_a_recipe_runs_a_step(void **state)
{
    (void)state;
    static const char *const overrides[] = {
        "batch", "2",      "max-steps", "1", "val-fraction", "0", "consistency",
        "never", "device", "cpu",       NULL};
    char seen[16][JSN_RECIPE_TEXT];
    size_t networks = 0;
    for (size_t i = 0; i < jsni_recipe_count(); i++) {
        jsn_recipe recipe;
        assert_ok(jsn_recipe_at(i, &recipe));
        const char *network = jsn_recipe_value(&recipe, "network");
        size_t k = 0;
        while (k < networks && strcmp(seen[k], network) != 0)
            k++;
        if (k < networks)
            continue;
        assert_true(networks < 16);
        (void)snprintf(seen[networks++], sizeof seen[0], "%s", network);
        run_recipe(&recipe, overrides);
        print_message("%s: %s\n", recipe.name, network);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_recipe_runs_two_steps),
        cmocka_unit_test(test_every_network_of_a_recipe_runs_a_step),
    };
    return cmocka_run_group_tests(tests, make_fixtures, remove_fixtures);
}
