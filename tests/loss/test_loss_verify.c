/* jsn_loss_verify() beside the tests of the table: every loss passes, none is measured
 * without result, and a spec that is wrong is said to be. That a wrong loss fails is
 * tested with plugins, in tests/cli/cli_plugin.sh. */
#include "support/support.h"

#include <math.h>

#include "jensen/loss.h"

static void check(const char *spec)
{
    jsn_loss_finding findings[JSN_LOSS_FINDINGS];
    assert_ok(jsn_loss_verify(spec, findings));
    for (size_t i = 0; i < JSN_LOSS_FINDINGS; i++) {
        assert_true(isfinite(findings[i].worst));
        assert_int_equal(findings[i].passed, findings[i].worst <= findings[i].limit);
        if (!findings[i].passed)
            fail_msg("%s: %s %g", spec, findings[i].name, findings[i].worst);
    }
    assert_true(findings[0].worst > 0.0); /* differences are never exact */
}

static void test_every_loss_passes(void **state)
{
    (void)state;
    for (size_t i = 0; jsn_loss_describe(i) != NULL; i++)
        check(jsn_loss_describe(i)->name);
    check("gjs:pi=0.4/0.3/0.2/0.1");
    check("10*nce+0.1*rce");
    check("logitclip:tau=1,loss=ce");
}

static void test_wrong_specs_are_refused(void **state)
{
    (void)state;
    jsn_loss_finding findings[JSN_LOSS_FINDINGS];
    assert_fails(jsn_loss_verify("cee", findings), JSN_ERR_UNKNOWN_NAME, "cee");
    assert_fails(jsn_loss_verify("gce:q=9", findings), JSN_ERR_RANGE, "q");
}

static jsn_status verify(void *user)
{
    jsn_loss_finding findings[JSN_LOSS_FINDINGS];
    return jsn_loss_verify(user, findings);
}

static void test_lack_of_memory_is_reported(void **state)
{
    (void)state;
    char spec[] = "ce";
    support_walk_allocations(verify, spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_loss_passes),
        cmocka_unit_test(test_wrong_specs_are_refused),
        cmocka_unit_test(test_lack_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
