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
        {"gjs:pi=0.5", JSN_ERR_ARGUMENT, "one per view"},
        {"gjs:pi=0.5/0.2/0.2", JSN_ERR_ARGUMENT, "sum to 0.9"},
        {"gjs:scale=0.5", JSN_ERR_RANGE, "scale is 0 or 1"},
        {"mae:half=2", JSN_ERR_RANGE, "half"},
        {"gjs-nocons:code=0.5", JSN_ERR_RANGE, "code is 0 or 1"},
        {"gjs:clamp=0.5", JSN_ERR_RANGE, "clamp is 0 or 1"},
        {"rce:clamp=0.5", JSN_ERR_RANGE, "clamp is 0 or 1"},
        {"taylor:t=1.5", JSN_ERR_RANGE, "t is a whole number"},
        {"aul:a=1", JSN_ERR_RANGE, "a must lie in"},
        {"nce+bananas", JSN_ERR_UNKNOWN_NAME, "no loss named 'bananas'"},
        {"nce+", JSN_ERR_UNKNOWN_NAME, "no loss"},
        {"+nce", JSN_ERR_UNKNOWN_NAME, "no loss"},
        {"nce++mae", JSN_ERR_UNKNOWN_NAME, "no loss"},
        {"logitclip", JSN_ERR_ARGUMENT, "wraps a loss, which comes last"},
        {"logitclip:tau=2", JSN_ERR_ARGUMENT, "wraps a loss, which comes last"},
        {"logitclip:tau=0,loss=ce", JSN_ERR_RANGE, "tau must lie in"},
        {"logitclip:p=0.5,loss=ce", JSN_ERR_RANGE, "p must lie in"},
        {"logitclip:q=1,loss=ce", JSN_ERR_UNKNOWN_NAME, "no parameter 'q'"},
        {"logitclip:loss=cee", JSN_ERR_UNKNOWN_NAME, "no loss named 'cee'"},
        {"logitclip:loss=logitclip:loss=ce", JSN_ERR_UNKNOWN_NAME, "no loss named"},
        {"logitclip:loss=js-sqrt", JSN_ERR_ARGUMENT, "cannot be summed or clipped"},
        {"0*nce+mae", JSN_ERR_RANGE, "the weight '0' must lie in"},
        {"1e9*nce+mae", JSN_ERR_RANGE, "the weight '1e9' must lie in"},
        {"-1*nce+mae", JSN_ERR_RANGE, "the weight '-1' must lie in"},
        {"x*nce+mae", JSN_ERR_UNKNOWN_NAME, "no loss named 'x*nce'"},
        {"gce:q=0.7+", JSN_ERR_ARGUMENT, "not a number"},
        {"nce+gce:q=2", JSN_ERR_RANGE, "'gce:q=2': q must lie in"},
        {"js-sqrt+ce", JSN_ERR_ARGUMENT, "js-sqrt is the root of a mean"},
        {"2*js-sqrt", JSN_ERR_ARGUMENT, "cannot be summed"},
        {"ce+ce+ce+ce+ce+ce+ce", JSN_ERR_ARGUMENT, "at most 6 losses"},
        {"js:clamp", JSN_ERR_ARGUMENT, "key=value"},
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
        {"nce+mae", 1},
        {"logitclip:tau=2,p=1,loss=gjs:pi=0.4/0.3/0.2/0.1", 3},
        {"0.5*ce+2*gjs", 2},
        {"gjs:pi=0.4/0.3/0.2/0.1+mae", 3},
        {"poly:epsilon=1e+1+mae", 1}, /* a plus inside a number */
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

/* The mean of a spec on fixed logits of two views, with the gradient in place of them. */
static double mean_of(const char *spec, float logits[2 * 3 * CLASSES])
{
    static const int32_t labels[3] = {0, 3, 4};
    jsn_loss *loss = NULL;
    jsn_loss_batch batch;
    for (size_t k = 0; k < 2 * 3 * CLASSES; k++)
        logits[k] = (float)(k * 7 % 11) / 4.0f;
    jsn_loss_batch_init(&batch);
    batch.samples = 3;
    batch.logits = logits;
    batch.labels = labels;
    jsn_loss_result result = {0.0, NULL, logits};
    assert_ok(jsn_loss_create(&loss, spec, CLASSES, 2));
    assert_ok(jsn_loss_eval(loss, &batch, &result));
    jsn_loss_destroy(loss);
    return result.mean;
}

/* Names of the table win over the sum of their parts; a joint loss and one that sees a
 * view at a time add up; the gradient may take the place of the logits. */
static void test_sums_are_the_sums_of_their_losses(void **state)
{
    (void)state;
    static const struct {
        const char *sum, *first, *second;
        double a, b;
    } cases[] = {
        {"nce+rce", "nce", "rce", 10, 0.1},
        {"1*nce+1*rce", "nce", "rce", 1, 1},
        {"2*nce+rce+ce", "nce+rce", "ce", 2, 1},
        {"gjs:pi1=0.3+0.25*mae", "gjs:pi1=0.3", "mae", 1, 0.25},
        {"3*bs:beta=0.5+bitempered", "bs:beta=0.5", "bitempered", 3, 1},
        {"sce:clamp=1+2*gjs-consistency", "sce:clamp=1", "gjs-consistency", 1, 2},
    };
    float whole[2 * 3 * CLASSES], first[2 * 3 * CLASSES], second[2 * 3 * CLASSES];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const double sum = mean_of(cases[i].sum, whole);
        const double a = mean_of(cases[i].first, first);
        const double b = mean_of(cases[i].second, second);
        assert_close(sum, cases[i].a * a + cases[i].b * b, 1e-5, 1e-5);
        for (size_t k = 0; k < 2 * 3 * CLASSES; k++)
            assert_close((double)whole[k],
                         cases[i].a * (double)first[k] + cases[i].b * (double)second[k],
                         1e-5, 1e-5);
    }
}

/* A sum for some of the samples works in the scratch of the loss of the others. */
static void test_a_sum_may_be_the_other_loss(void **state)
{
    (void)state;
    enum { MANY = 600 };
    static const int32_t labels[2] = {1, 7};
    static const uint8_t second[2] = {0, 1};
    static float logits[2 * MANY], grad[2 * MANY];
    double values[2] = {0.0, 0.0}, alone[2] = {0.0, 0.0};
    jsn_loss *ce = NULL, *sum = NULL;
    jsn_loss_batch batch;
    for (size_t k = 0; k < 2 * MANY; k++)
        logits[k] = (float)(k * 7 % 23) / 4.0f;
    jsn_loss_batch_init(&batch);
    batch.samples = 2;
    batch.logits = logits;
    batch.labels = labels;
    assert_ok(jsn_loss_create(&ce, "ce", MANY, 1));
    assert_ok(jsn_loss_create(&sum, "nfl+3*mae", MANY, 1));
    jsn_loss_result result = {0.0, alone, grad};
    assert_ok(jsn_loss_eval(sum, &batch, &result));
    batch.other = sum;
    batch.use_other = second;
    result.per_sample = values;
    assert_ok(jsn_loss_eval(ce, &batch, &result));
    assert_true(values[1] == alone[1] && values[0] != alone[0]);
    jsn_loss_destroy(sum);
    jsn_loss_destroy(ce);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_specs_are_refused_with_a_reason),
        cmocka_unit_test(test_check_says_how_many_views_a_loss_wants),
        cmocka_unit_test(test_sums_are_the_sums_of_their_losses),
        cmocka_unit_test(test_a_sum_may_be_the_other_loss),
    };
    return cmocka_run_group_tests_name("loss/spec", tests, NULL, NULL);
}
