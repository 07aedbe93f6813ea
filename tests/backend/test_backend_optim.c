/* Optimisers: AdamW against PyTorch's in float64, where weight decay applies, specs.
 * SGD's golden trajectories are in test_backend_layers.c. */
#include "backend/optim_impl.h"
#include "support/support.h"

/* torch.optim.AdamW in float64, p = (0.5, -1.25, 2) and the gradients below; float32
 * arithmetic keeps 4 steps within 1e-6. */
static const float start[3] = {0.5f, -1.25f, 2.0f};
static const float grads[4][3] = {
    {0.25f, -0.5f, 1.0f},
    {-0.75f, 0.125f, 0.0f},
    {0.5f, 0.5f, -2.0f},
    {0.0625f, -1.5f, 0.375f},
};

static void check_adamw(const char *spec, double rate, double decay,
                        const double want[4][3])
{
    jsni_update update;
    size_t slots = 0;
    assert_ok(jsni_optim_parse(spec, &update, &slots));
    assert_int_equal(slots, 2);
    update.rate = rate;
    update.decay = decay;
    float params[3], state[8] = {0};
    memcpy(params, start, sizeof params);
    for (size_t i = 0; i < 4; i++) {
        update.step = i + 1;
        jsni_optim_apply(&update, JSNI_ROLE_WEIGHT, 3, params, grads[i], state, 4);
        for (size_t k = 0; k < 3; k++)
            assert_close((double)params[k], want[i][k], 1e-6, 0);
    }
    assert_true(state[3] == 0.0f && state[7] == 0.0f); /* beyond the stretch */
}

static void test_adamw_follows_pytorch(void **state)
{
    (void)state;
    static const double decayed[4][3] = {
        {0.4895000004, -1.2387500002, 1.9880000001},
        {0.493952398644185, -1.23281656861657, 1.97931141765332},
        {0.49327056930491, -1.23343064792239, 1.98073245091322},
        {0.492235980797001, -1.22760731165839, 1.98053684542712},
    };
    static const double other[4][3] = {
        {0.400398406374502, -1.1501996007984, 1.9000999000999},
        {0.454410073087044, -1.10791266310908, 1.83651540659575},
        {0.449889083147044, -1.13552030242749, 1.87899906996557},
        {0.441858812248685, -1.08506042783569, 1.90021885475635},
    };
    check_adamw("adamw", 0.01, 0.1, decayed);
    check_adamw("adamw:beta1=0.8,beta2=0.95,epsilon=1e-3", 0.1, 0.0, other);
}

static void test_decay_can_spare_biases_and_batchnorm(void **state)
{
    (void)state;
    jsni_update update;
    size_t slots = 0;
    assert_ok(jsni_optim_parse("sgd", &update, &slots));
    assert_true(update.decay_all && update.nesterov);
    assert_close(update.momentum, 0.9, 0, 0);
    update.rate = 0.5;
    update.decay = 0.1;
    static const jsni_role roles[] = {JSNI_ROLE_WEIGHT, JSNI_ROLE_BIAS,
                                      JSNI_ROLE_NORM_WEIGHT, JSNI_ROLE_NORM_BIAS};
    for (int all = 0; all <= 1; all++) {
        update.decay_all = all != 0;
        for (size_t i = 0; i < 4; i++) {
            float p = 1.0f, v = 0.0f;
            const float g = 0.0f;
            jsni_optim_apply(&update, roles[i], 1, &p, &g, &v, 1);
            /* d = 0.1, v = 0.1: p - 0.5*(0.1 + 0.9*0.1) */
            const double want = all || i == 0 ? 1.0 - 0.5 * 0.19 : 1.0;
            assert_close((double)p, want, 1e-7, 0);
        }
    }
}

static void test_plain_descent_needs_no_velocity(void **state)
{
    (void)state;
    jsni_update update;
    size_t slots = 0;
    assert_ok(jsni_optim_parse("sgd:momentum=0,nesterov=0", &update, &slots));
    update.rate = 0.25;
    float p = 1.0f, v = 0.0f;
    const float g = 2.0f;
    jsni_optim_apply(&update, JSNI_ROLE_WEIGHT, 1, &p, &g, &v, 1);
    assert_close((double)p, 0.5, 0, 0);
}

static void test_unknown_and_wild_specs_are_refused(void **state)
{
    (void)state;
    jsni_update update;
    size_t slots = 0;
    assert_fails(jsni_optim_parse("adam", &update, &slots), JSN_ERR_UNKNOWN_NAME,
                 "adamw");
    assert_fails(jsni_optim_parse("sgd:beta1=1", &update, &slots), JSN_ERR_UNKNOWN_NAME,
                 "momentum");
    assert_fails(jsni_optim_parse("sgd:momentum=1", &update, &slots), JSN_ERR_RANGE,
                 "momentum");
    assert_fails(jsni_optim_parse("adamw:beta2=1", &update, &slots), JSN_ERR_RANGE,
                 "beta2");
    for (size_t i = 0; i < jsn_optimiser_count(); i++)
        assert_ok(jsni_optim_parse(jsn_optimiser_describe(i)->name, &update, &slots));
    assert_null(jsn_optimiser_describe(jsn_optimiser_count()));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adamw_follows_pytorch),
        cmocka_unit_test(test_decay_can_spare_biases_and_batchnorm),
        cmocka_unit_test(test_plain_descent_needs_no_velocity),
        cmocka_unit_test(test_unknown_and_wild_specs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
