/* tests/loss/test_loss_range.c - values at the ends of their range: roots near 0, weights that
 * no double holds. */
#include "support/support.h"

#include "jensen/loss.h"

/* A root has no per-sample values, and its slope at 0 counts as 0. */
static void test_root_at_zero(void **state)
{
    (void)state;
    static const double sure[4] = {4000.0, 0.0, 0.0, 0.0};
    static const int32_t label = 0;
    double grad[4] = {1, 1, 1, 1};
    double value = 0.0;
    jsn_loss *loss = NULL;
    jsn_loss_batch batch;
    jsn_loss_batch_init(&batch);
    batch.samples = 1;
    batch.type = JSN_LOSS_F64;
    batch.logits = sure;
    batch.labels = &label;
    assert_ok(jsn_loss_create(&loss, "js-sqrt:scale=1", 4, 1));
    jsn_loss_result result = {-1.0, NULL, grad};
    assert_ok(jsn_loss_eval(loss, &batch, &result));
    assert_close(result.mean, 0.0, 0, 0);
    for (size_t k = 0; k < 4; k++)
        assert_close(grad[k], 0.0, 0, 0);
    result.per_sample = &value;
    assert_fails(jsn_loss_eval(loss, &batch, &result), JSN_ERR_ARGUMENT, "per-sample");
    jsn_loss_destroy(loss);
}

/* ... and it keeps its digits where every prediction is nearly sure, in float as well:
 * the label's logit is x, nine others are 0; expected values from another program. */
static void test_root_of_small_losses(void **state)
{
    (void)state;
    static const struct {
        float x;
        double value, slope; /* of the label's logit */
    } cases[] = {
        {10.0f, 0.01189843553919745, -0.0059476641711896947},
        {18.0f, 0.0002179559007625, -0.00010897794083125921},
    };
    static const int32_t label = 2;
    jsn_loss *loss = NULL;
    assert_ok(jsn_loss_create(&loss, "js-sqrt", 10, 1));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        float z[10] = {0}, grad[10];
        jsn_loss_batch batch;
        jsn_loss_batch_init(&batch);
        batch.samples = 1;
        batch.logits = z;
        batch.labels = &label;
        z[label] = cases[i].x;
        jsn_loss_result result = {0.0, NULL, grad};
        assert_ok(jsn_loss_eval(loss, &batch, &result));
        assert_close(result.mean, cases[i].value, 0, 1e-9);
        assert_close((double)grad[label], cases[i].slope, 0, 1e-6);
    }
    jsn_loss_destroy(loss);
}

/* No mean is handed out that is not a number, however extreme the weights. */
static void test_weights_beyond_the_range_of_a_double(void **state)
{
    (void)state;
    const double far[2][2] = {{50.0, 0.0}, {50.0, 0.0}};
    const int32_t wrong[2] = {1, 1};
    double weights[2] = {1e-320, 0.0}; /* the inverse is infinite */
    jsn_loss *loss = NULL;
    assert_ok(jsn_loss_create(&loss, "ce", 2, 1));
    jsn_loss_batch batch;
    jsn_loss_batch_init(&batch);
    batch.samples = 2;
    batch.type = JSN_LOSS_F64;
    batch.logits = far;
    batch.labels = wrong;
    batch.sample_weights = weights;
    jsn_loss_result result = {-1.0, NULL, NULL};
    assert_fails(jsn_loss_eval(loss, &batch, &result), JSN_ERR_RANGE, "weights sum to");
    assert_true(result.mean == -1.0);
    weights[0] = weights[1] = 8e307; /* the sum of the weighted losses is infinite */
    assert_fails(jsn_loss_eval(loss, &batch, &result), JSN_ERR_NUMERIC, "too large");
    weights[0] = weights[1] = 1e-300;
    assert_ok(jsn_loss_eval(loss, &batch, &result));
    assert_close(result.mean, 50.0, 1e-12, 0.0);
    jsn_loss_destroy(loss);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_root_at_zero),
        cmocka_unit_test(test_root_of_small_losses),
        cmocka_unit_test(test_weights_beyond_the_range_of_a_double),
    };
    return cmocka_run_group_tests_name("loss/range", tests, NULL, NULL);
}
