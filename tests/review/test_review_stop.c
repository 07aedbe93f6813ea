/* An audit of a run that is stopped says so, and not what failed before it. */
#include "core/fail.h"
#include "jensen/review.h"
#include "jensen/train.h"
#include "support/support.h"

static int at_once(void *user)
{
    (void)user;
    return 1;
}

static void test_stop(void **state)
{
    (void)state;
    static const char *const options[][2] = {{"data", "builtin:size=20,test=0"},
                                             {"network", "mlp:width=2"},
                                             {"image-size", "8"},
                                             {"epochs", "1"},
                                             {"device", "ref"},
                                             {"threads", "1"},
                                             {"augment", "fit"}};
    char run[300], audit[300];
    jsn_train_config config;
    jsn_train_result result = {0};
    jsn_audit_job job;
    (void)snprintf(run, sizeof run, "%s/run", support_folder);
    (void)snprintf(audit, sizeof audit, "%s/audit", support_folder);
    jsn_train_config_clear(&config);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        assert_ok(jsn_train_config_set(&config, options[i][0], options[i][1]));
    assert_ok(jsn_train_config_set(&config, "out", run));
    assert_ok(jsn_train(&config, NULL, NULL, NULL, &result));
    jsn_train_config_release(&config);

    jsn_audit_job_init(&job);
    job.data = run;
    job.out = audit;
    job.labels_only = true;
    job.stop = at_once;
    (void)jsni_fail(JSN_ERR_DATA, "an earlier fault");
    assert_fails(jsn_audit_data(&job, NULL, NULL), JSN_ERR_STOPPED,
                 "stopped; the same command continues");
    job.stop = NULL;
    assert_ok(jsn_audit_data(&job, NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stop)};
    return cmocka_run_group_tests(tests, support_folder_begin, support_folder_end);
}
