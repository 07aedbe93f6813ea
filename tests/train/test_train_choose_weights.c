/* Which weights photographs start from, on a CPU and on a GPU; no card is needed to choose. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/support.h"
#include "train/choose_weights.h"

static const char *cache;

/* Weights of a name in the cache, or none of it. */
static void keep(const char *name, int there)
{
    char folder[600], record[700];
    (void)snprintf(folder, sizeof folder, "%s/weights/%s", cache, name);
    (void)snprintf(record, sizeof record, "%s/weights.json", folder);
    if (!there) {
        assert_int_equal(remove(record), 0);
        return;
    }
    (void)mkdir(folder, 0700);
    FILE *file = fopen(record, "w");
    assert_non_null(file);
    assert_int_equal(fputs("{}", file) < 0, 0);
    assert_int_equal(fclose(file), 0);
}

/* The choice for images of that side is `init`, NULL: nothing, and `finetune`. */
static void check(bool gpu, size_t side, jsni_begun begun, const jsni_suitable *with,
                  const char *init, const char *finetune)
{
    jsn_train_config config;
    jsni_look seen = {.side = side, .gpu = gpu};
    jsn_train_config_clear(&config);
    if (jsni_weights_wanted(&config, &seen))
        assert_ok(jsni_choose_weights(&config, &seen, begun, with, NULL));
    if (init == NULL) {
        assert_null(config.init);
        assert_null(config.finetune);
    } else {
        assert_non_null(config.init);
        assert_string_equal(config.init, init);
        assert_string_equal(config.finetune, finetune);
        assert_string_equal(seen.init_network, init);
        /* 0: the network's own, which is 224 of all of them */
        assert_int_equal(seen.init_size, strncmp(init, "eff", 3) == 0 ? 224 : 0);
    }
    jsn_train_config_release(&config);
}

static void test_the_best_of_the_cache_is_taken(void **state)
{
    (void)state;
    check(false, 300, JSNI_BEGUN_NOT, NULL, NULL, NULL);
    check(true, 300, JSNI_BEGUN_NOT, NULL, NULL, NULL);
    keep("efficientnet-lite0", 1);
    check(false, 300, JSNI_BEGUN_NOT, NULL, "efficientnet-lite0", "head");
    check(true, 300, JSNI_BEGUN_NOT, NULL, "efficientnet-lite0", "all");
    keep("resnet18", 1);
    check(true, 300, JSNI_BEGUN_NOT, NULL, "resnet18", "all");
    keep("resnet50", 1);
    check(true, 300, JSNI_BEGUN_NOT, NULL, "resnet50", "all");
    check(false, 300, JSNI_BEGUN_NOT, NULL, "efficientnet-lite0", "head");
    check(true, 32, JSNI_BEGUN_NOT, NULL, NULL, NULL); /* no photographs */
}

static void test_a_run_goes_on_as_it_began(void **state)
{
    (void)state;
    const jsni_suitable *large = jsni_weights_suitable(true, 0);
    keep("resnet50", 0);
    check(true, 300, JSNI_BEGUN_WITH, large, "resnet50", "all");
    check(true, 300, JSNI_BEGUN_WITHOUT, NULL, NULL, NULL);
    check(false, 300, JSNI_BEGUN_WITHOUT, NULL, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_best_of_the_cache_is_taken),
        cmocka_unit_test(test_a_run_goes_on_as_it_began),
    };
    char weights[600];
    cache = support_temporary_folder();
    (void)snprintf(weights, sizeof weights, "%s/weights", cache);
    (void)mkdir(weights, 0700);
    (void)setenv("JENSEN_CACHE", cache, 1);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    support_remove_folder(cache);
    return failed;
}
