/* Every table behind one function: jsn_catalog_at(). */
#include <stdbool.h>
#include <string.h>

#include "jensen/catalog.h"
#include "support/support.h"

/* Some that the documents name, one a table. */
static const char *const known[JSN_CATALOGS] = {
    [JSN_CATALOG_LOSSES] = "gjs",
    [JSN_CATALOG_METHODS] = "elr",
    [JSN_CATALOG_NOISE] = "sym",
    [JSN_CATALOG_DATASETS] = "cifar10",
    [JSN_CATALOG_NETWORKS] = "preactresnet34",
    [JSN_CATALOG_OPTIMISERS] = "adamw",
    [JSN_CATALOG_AUDIT_METHODS] = "self-confidence",
    [JSN_CATALOG_EXPORT_FORMATS] = "onnx",
    [JSN_CATALOG_LABEL_FORMATS] = "label-studio",
    [JSN_CATALOG_SCHEDULES] = "cosine",
};

/* The entries up to the end, each of another name. */
static size_t walk(jsn_catalog table, bool *found)
{
    size_t count = 0;
    *found = false;
    for (jsn_entry e; (e = jsn_catalog_at(table, count)).name != NULL; count++) {
        assert_true(e.name[0] != '\0' && e.summary != NULL && e.summary[0] != '\0');
        assert_true((e.params == NULL) == (e.param_count == 0));
        for (size_t i = 0; i < count; i++)
            assert_string_not_equal(jsn_catalog_at(table, i).name, e.name);
        *found = *found || strcmp(e.name, known[table]) == 0;
    }
    return count;
}

static void test_every_table_is_told_to_its_end(void **state)
{
    (void)state;
    for (int t = 0; t < JSN_CATALOGS; t++) {
        bool found = false;
        const size_t count = walk((jsn_catalog)t, &found);
        if (!found)
            fail_msg("table %d of %zu entries lacks %s", t, count, known[t]);
        const jsn_entry behind = jsn_catalog_at((jsn_catalog)t, count + 1);
        assert_null(behind.name);
        assert_null(behind.params);
    }
    assert_null(jsn_catalog_at(JSN_CATALOGS, 0).name);
    assert_null(jsn_catalog_at((jsn_catalog)-1, 0).name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_table_is_told_to_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
