/* tests/loss/test_loss_spec.c - specs of losses: what they say and what is refused. */
#include "support/support.h"

#include "jensen/loss.h"

enum { CLASSES = 5 };

static void test_bad_specs_are_refused_with_a_reason(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        jsn_status status;
        const char *reason;
    } cases[] = {
        {"gcee", JSN_ERR_UNKNOWN_NAME, "gcee"},
        {"", JSN_ERR_UNKNOWN_NAME, "no loss"},
        {"gce:", JSN_ERR_ARGUMENT, "key=value"},
        {"gce:q", JSN_ERR_ARGUMENT, "key=value"},
        {"gce:q=", JSN_ERR_ARGUMENT, "not a number"},
        {"gce:q=0.7x", JSN_ERR_ARGUMENT, "not a number"},
        {"gce:q=0.7,", JSN_ERR_ARGUMENT, "key=value"},
        {"gce:r=1", JSN_ERR_UNKNOWN_NAME, "'r'"},
        {"gce:q=0", JSN_ERR_RANGE, "q must lie in"},
        {"gce:q=1.01", JSN_ERR_RANGE, "q must lie in"},
        {"ce:q=1", JSN_ERR_UNKNOWN_NAME, "there are none"},
        {"gjs:pi1=0", JSN_ERR_RANGE, "pi1 must lie in"},
        {"gjs:pi1=1", JSN_ERR_RANGE, "pi1 must lie in"},
        {"js:pi1=-0.5", JSN_ERR_RANGE, "pi1 must lie in"},
        {"gjs:pi1=0.5,pi1=0.6", JSN_ERR_ARGUMENT, "twice"},
        {"gjs:pi1=0.5,pi=0.5/0.25/0.25", JSN_ERR_ARGUMENT, "not both"},
        {"gjs:pi=0.5/0.5", JSN_ERR_ARGUMENT, "2 weights, 2 views need 3"},
        {"gjs:pi=0.5", JSN_ERR_ARGUMENT, "one a view"},
        {"gjs:pi=0.5/0.2/0.2", JSN_ERR_ARGUMENT, "sum to 0.9"},
        {"gjs:scale=0.5", JSN_ERR_RANGE, "scale is 0 or 1"},
        {"mae:half=2", JSN_ERR_RANGE, "half"},
        {"gjs-nocons:code=0.5", JSN_ERR_RANGE, "code is 0 or 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        jsn_loss *loss = NULL;
        assert_fails(jsn_loss_create(&loss, cases[i].spec, CLASSES, 2), cases[i].status,
                     cases[i].reason);
        assert_null(loss);
    }
    jsn_loss *loss = NULL;
    assert_fails(jsn_loss_create(&loss, "ce", 1, 1), JSN_ERR_ARGUMENT, "2 classes");
    assert_fails(jsn_loss_create(&loss, "ce", 2, 0), JSN_ERR_ARGUMENT, "1 view");
    assert_fails(jsn_loss_create(&loss, "ce", 2, 17), JSN_ERR_RANGE, "views");
    assert_fails(jsn_loss_create(&loss, "ce", SIZE_MAX, 1), JSN_ERR_RANGE, "classes");
    assert_fails(jsn_loss_create(&loss, NULL, 2, 1), JSN_ERR_ARGUMENT, "spec");
}

static void test_check_says_how_many_views_a_loss_wants(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        size_t views;
    } cases[] = {
        {"ce", 1},
        {"js", 1},
        {"js:pi=0.3/0.7", 1},
        {"gjs", 2},
        {"gjs:pi1=0.1", 2},
        {"gjs:pi=0.4/0.2/0.2/0.2", 3},
        {"gjs-nocons", 2},
        {"gjs-consistency", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t views = 0;
        assert_ok(jsn_loss_check(cases[i].spec, &views));
        assert_int_equal(views, cases[i].views);
    }
    assert_ok(jsn_loss_check("ce", NULL));
    assert_fails(jsn_loss_check("gjs:pi=0.4/0.2", NULL), JSN_ERR_ARGUMENT, "sum");
    assert_fails(jsn_loss_check(NULL, NULL), JSN_ERR_ARGUMENT, "NULL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_specs_are_refused_with_a_reason),
        cmocka_unit_test(test_check_says_how_many_views_a_loss_wants),
    };
    return cmocka_run_group_tests_name("loss/spec", tests, NULL, NULL);
}
