/* tests/repro/test_repro_numbers.c - the built-in numbers of the paper are those of the file,
 * and stand at the recipes that the file names. */
#include <math.h>

#include "format/csv.h"
#include "repro/repro_impl.h"
#include "support/support.h"
#include "train/recipe_find.h"

/* How the file names the table of a result, and the method of a recipe. */
static const char *const tables[][2] = {
    {"table1", "table1_cifar"},
    {"table2", "webvision"},
    {"table3", "consistency_ablation"},
    {"table4", "clean_noisy_ablation"},
    {"table5", "augmentation"},
    {"table6", "epochs"},
    {"table8", "instance_dependent"},
    {"table9", "animal10n"},
    {"table10", "food101n"},
    {"table12", "noisy_val_single_hp"},
    {"table13", "consistency"},
};
static const char *const names[][2] = {
    {"ce", "CE"},
    {"bs", "BS"},
    {"ls", "LS"},
    {"sce", "SCE"},
    {"gce", "GCE"},
    {"nce+rce", "NCE+RCE"},
    {"js", "JS"},
    {"gjs", "GJS"},
    {"gjs-2net", "GJS"},
    {"js-mean", "GJS_no_consistency"},
    {"full", "full"},
    {"no-cutout", "noCutout"},
    {"weak", "weak"},
    {"no-randaugment", "noRandAug"},
    {"200", "200ep"},
    {"400", "400ep"},
    {"cifar10", "CIFAR-10"},
    {"cifar100", "CIFAR-100"},
    {"webvision", "WebVision"},
    {"animal10n", "ANIMAL-10N"},
    {"food101n", "Food-101N"},
};

static const char *named(const char *const list[][2], size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i][0], name) == 0)
            return list[i][1];
    fail_msg("the file has no name for %s", name);
    return NULL;
}

static const char *name_of(const char *name)
{
    return named(names, sizeof names / sizeof names[0], name);
}

/* The row of the file is about the runs of the recipe. */
static void check_recipe(const jsni_csv *csv, size_t row, const char *recipe)
{
    static const char *const noises[] = {"real", "none", "symmetric", "asymmetric"};
    char method[96], noise[32];
    jsn_recipe r;
    double rate = 0.0;
    assert_ok(jsni_recipe_find(recipe, &r));
    if (strcmp(r.result, "table4") == 0)
        (void)snprintf(method, sizeof method, "clean=%s;noisy=%s;pi1=%s",
                       name_of(r.method), name_of(r.noisy), r.pi1);
    else if (strcmp(r.result, "table2") == 0)
        (void)snprintf(method, sizeof method, "%s[ResNet-50;ColorJitter;%snet]",
                       name_of(r.method), jsn_recipe_value(&r, "members"));
    else if (strcmp(r.result, "table5") == 0 || strcmp(r.result, "table6") == 0)
        (void)snprintf(method, sizeof method, "%s[%s]", name_of(r.method),
                       name_of(r.variant));
    else
        (void)snprintf(method, sizeof method, "%s", name_of(r.method));
    assert_string_equal(jsni_csv_cell(csv, row, 2), method);
    if (r.noise == JSN_RECIPE_INSTANCE)
        (void)snprintf(noise, sizeof noise, "instance_%s", r.variant);
    else
        (void)snprintf(noise, sizeof noise, "%s", noises[r.noise]);
    assert_string_equal(jsni_csv_cell(csv, row, 3), noise);
    if (r.noise != JSN_RECIPE_REAL) {
        assert_ok(jsni_csv_real(csv, row, 4, &rate));
        assert_close(rate, r.percent / 100.0, 1e-9, 0.0);
    }
    if (strcmp(jsni_csv_cell(csv, row, 1), "ILSVRC12") != 0)
        assert_string_equal(jsni_csv_cell(csv, row, 1), name_of(r.dataset));
}

static void test_built_in_numbers_are_those_of_the_file(void **state)
{
    (void)state;
    jsni_csv *csv = NULL;
    assert_ok(jsni_csv_read(&csv, JSN_TEST_GOLDEN "/paper_results.csv"));
    size_t r = 0;
    for (jsni_paper_result p = {0}; jsni_paper_next(&p); r++) {
        double mean = 0.0, deviation = NAN, bold = 0.0;
        assert_true(r < jsni_csv_rows(csv));
        assert_string_equal(jsni_csv_cell(csv, r, 0),
                            named(tables, sizeof tables / sizeof tables[0], p.result));
        if (p.recipe[0] != '\0')
            check_recipe(csv, r, p.recipe);
        if (p.title != NULL)
            assert_string_equal(jsni_csv_cell(csv, r, 2), p.title);
        assert_true(p.recipe[0] != '\0' || p.title != NULL);
        assert_int_equal(strstr(jsni_csv_cell(csv, r, 5), "top5") != NULL,
                         p.measure % 2);
        assert_int_equal(strcmp(jsni_csv_cell(csv, r, 1), "ILSVRC12") == 0,
                         p.measure / 2);
        assert_ok(jsni_csv_real(csv, r, 6, &mean));
        assert_ok(jsni_csv_real(csv, r, 8, &bold));
        assert_close(p.number.mean, mean, 0.0, 0.0);
        assert_int_equal(p.number.bold, (int)bold);
        if (jsni_csv_cell(csv, r, 7)[0] != '\0') {
            assert_ok(jsni_csv_real(csv, r, 7, &deviation));
            assert_close(p.number.deviation, deviation, 0.0, 0.0);
        } else {
            assert_true(isnan(p.number.deviation));
        }
    }
    assert_int_equal(jsni_csv_rows(csv), r);
    jsni_csv_destroy(csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_built_in_numbers_are_those_of_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
