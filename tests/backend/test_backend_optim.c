/* Optimisers: AdamW against PyTorch's in float64, Lion against its formula in float64, all
 * of them on every backend, where weight decay and L1 apply, specs. SGD's golden trajectories
 * are in test_backend_layers.c. */
#include <math.h>

#include "backend/backend_support.h"
#include "backend/optim_impl.h"

/* In float64, p = (0.5, -1.25, 2) and the gradients below; float32 arithmetic keeps 4
 * steps within 1e-6. */
static const float start[3] = {0.5f, -1.25f, 2.0f};
static const float grads[4][3] = {
    {0.25f, -0.5f, 1.0f},
    {-0.75f, 0.125f, 0.0f},
    {0.5f, 0.5f, -2.0f},
    {0.0625f, -1.5f, 0.375f},
};

static void check_steps(const char *spec, double rate, double decay, double l1,
                        const double want[4][3])
{
    jsni_update update;
    size_t slots = 0;
    assert_ok(jsni_optim_parse(spec, &update, &slots));
    update.rate = rate;
    update.decay = decay;
    update.l1 = l1;
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

/* torch.optim.AdamW */
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
    check_steps("adamw", 0.01, 0.1, 0.0, decayed);
    check_steps("adamw:beta1=0.8,beta2=0.95,epsilon=1e-3", 0.1, 0.0, 0.0, other);
}

/* numpy: c = b1*m + (1-b1)*g; p -= lr*(sign(c) + wd*p); m = b2*m + (1-b2)*g */
static void test_lion_follows_its_formula(void **state)
{
    (void)state;
    static const double decayed[4][3] = {
        {0.4895, -1.23875, 1.988},
        {0.4990105, -1.24751125, 1.976012},
        {0.4885114895, -1.25626373875, 1.984035988},
        {0.4780229780105, -1.24500747501125, 1.972051952012},
    };
    static const double other[4][3] = {
        {0.4, -1.15, 1.9}, {0.5, -1.25, 1.8}, {0.4, -1.35, 1.9}, {0.3, -1.25, 1.8}};
    check_steps("lion", 0.01, 0.1, 0.0, decayed);
    check_steps("lion:beta1=0.5,beta2=0.8", 0.1, 0.0, 0.0, other);
}

/* torch.optim in float64 on (g * p).sum() + l1 * p.abs().sum(); parameters change their
 * sign on the way. */
static void test_l1_is_a_term_of_the_loss(void **state)
{
    (void)state;
    static const double nesterov[4][3] = {
        {0.12, -0.715625, 1.1925},
        {0.07105, -0.2756953125, 0.55410625},
        {-0.504929875, 0.0328603710937501, 0.805063078125},
        {-0.5649164684375, 0.777796474169922, 0.252026117851562},
    };
    static const double plain[4][3] = {
        {0.445, -1.17, 1.87},
        {0.49, -1.1525, 1.84},
        {0.41, -1.1725, 2.01},
        {0.37375, -0.9925, 1.9425},
    };
    static const double adamw[4][3] = {
        {0.395000001333333, -1.137500001, 1.88000000066667},
        {0.351028144840634, -1.03724951445527, 1.77409360636683},
        {0.278211793567538, -0.958176010835264, 1.75151397314094},
        {0.200020094419163, -0.870837297776496, 1.70865124736774},
    };
    check_steps("sgd:momentum=0.9,nesterov=1", 0.25, 0.1, 0.5, nesterov);
    check_steps("sgd:momentum=0,nesterov=0", 0.1, 0.0, 0.3, plain);
    check_steps("adamw", 0.1, 0.1, 0.5, adamw);
}

static void test_l1_leaves_a_zero_where_it_is(void **state)
{
    (void)state;
    for (size_t i = 0; jsni_optim_entry(i).name != NULL; i++) {
        jsni_update update;
        size_t slots = 0;
        assert_ok(jsni_optim_parse(jsni_optim_entry(i).name, &update, &slots));
        update.rate = 0.1;
        update.l1 = 0.5;
        update.step = 1;
        float p = 0.0f, kept[JSNI_OPTIM_MAX_SLOTS] = {0};
        const float g = 0.0f;
        jsni_optim_apply(&update, JSNI_ROLE_WEIGHT, 1, &p, &g, kept, 1);
        assert_true(p == 0.0f);
    }
}

static void test_a_gradient_of_zero_leaves_lion_where_it_is(void **state)
{
    (void)state;
    jsni_update update;
    size_t slots = 0;
    assert_ok(jsni_optim_parse("lion", &update, &slots));
    update.rate = 0.1;
    float p = 1.0f, m = 0.0f;
    const float g = 0.0f;
    jsni_optim_apply(&update, JSNI_ROLE_WEIGHT, 1, &p, &g, &m, 1);
    assert_true(p == 1.0f && m == 0.0f);
}

/* Half the square of p from 1, at the usual rate; and a gradient that is NaN. */
static void test_every_optimiser_descends_and_shows_a_nan(void **state)
{
    (void)state;
    for (size_t i = 0; jsni_optim_entry(i).name != NULL; i++) {
        const char *name = jsni_optim_entry(i).name;
        const double rate = jsni_optim_find(name)->usual_rate;
        jsni_update update;
        size_t slots = 0;
        assert_ok(jsni_optim_parse(name, &update, &slots));
        assert_true(slots <= JSNI_OPTIM_MAX_SLOTS);
        assert_true(rate > 0.0 && rate < 1.0);
        update.rate = rate;
        float p = 1.0f, kept[JSNI_OPTIM_MAX_SLOTS] = {0};
        for (update.step = 1; update.step <= 100; update.step++) {
            const float g = p;
            jsni_optim_apply(&update, JSNI_ROLE_WEIGHT, 1, &p, &g, kept, 1);
        }
        if (!(fabsf(p) < 1.0f))
            fail_msg("%s went from 1 to %g", name, (double)p);
        const float g = NAN;
        jsni_optim_apply(&update, JSNI_ROLE_WEIGHT, 1, &p, &g, kept, 1);
        if (!isnan(p))
            fail_msg("%s hides a NaN", name);
    }
}

/* The gradients of one batch, and three steps with them on the plan; `want` takes the
 * same steps by the table. A device may contract products and sums: a few units of the
 * last place a step, of numbers near 1. */
static void check_backend(const jsni_backend_ops *ops, const jsni_graph *graph,
                          const char *spec)
{
    jsni_update update;
    size_t slots = 0;
    assert_ok(jsni_optim_parse(spec, &update, &slots));
    update.rate = 0.05;
    update.decay = 0.1;
    update.l1 = 0.02;
    update.decay_all = false;
    jsni_backend *backend = NULL;
    jsni_plan *plan = NULL;
    const jsni_plan_options options = {.batch = 2,
                                       .views = 1,
                                       .threads = 1,
                                       .training = true,
                                       .optimiser_slots = slots};
    assert_ok(jsni_backend_open(&backend, ops->name));
    assert_ok(jsni_plan_create(backend, graph, &options, &plan));
    const jsni_backend_ops *own = plan->ops;
    float images[2 * 48], params[256], want[256], g[256], kept[2 * 256] = {0};
    assert_true(graph->param_floats <= 256);
    rig_fill(images, 2 * 48, 5);
    rig_fill(want, graph->param_floats, 6);
    assert_ok(own->upload(plan, 0, JSNI_BLOCK_PARAMETERS, want));
    const int32_t labels[2] = {1, 3};
    const jsni_labels given = {.labels = labels};
    const jsni_pass pass = {true, 1, 0};
    jsn_loss *loss = NULL;
    assert_ok(jsn_loss_create(&loss, "ce", graph->classes, 1));
    const jsni_losses losses = {loss, NULL};
    assert_ok(own->set_input(plan, 0, images, 1, 2));
    assert_ok(own->set_labels(plan, 0, &given));
    assert_ok(own->forward(plan, &pass));
    assert_ok(own->loss(plan, &losses));
    assert_ok(own->backward(plan));
    assert_ok(own->download(plan, 0, JSNI_BLOCK_GRADIENTS, g));
    for (update.step = 1; update.step <= 3; update.step++) {
        assert_ok(own->update(plan, &update));
        for (size_t t = 0; t < graph->param_count; t++) {
            const jsni_tensor *p = &graph->params[t];
            jsni_optim_apply(&update, p->role, p->count, want + p->offset,
                             g + p->offset, kept + p->offset, graph->param_floats);
        }
    }
    assert_ok(own->download(plan, 0, JSNI_BLOCK_PARAMETERS, params));
    for (size_t i = 0; i < graph->param_floats; i++)
        assert_close((double)params[i], (double)want[i], ops->can.gpu ? 1e-6 : 0.0, 0);
    jsn_loss_destroy(loss);
    jsni_plan_destroy(plan);
    jsni_backend_close(backend);
}

static void test_every_backend_steps_as_the_table(void **state)
{
    (void)state;
    jsni_builder b;
    jsni_graph *graph = NULL;
    jsni_build_begin(&b, "small", (jsni_shape){3, 4, 4}, 5);
    const size_t x = jsni_build_flatten(&b, "flat", jsni_build_input(&b));
    (void)jsni_build_linear(&b, "linear", x, 5, true);
    assert_ok(jsni_build_end(&b, &graph));
    for (size_t i = 0; jsni_backend_at(i) != NULL; i++)
        for (size_t k = 0; jsni_optim_entry(k).name != NULL; k++)
            if (jsni_backend_at(i)->device_count() > 0)
                check_backend(jsni_backend_at(i), graph, jsni_optim_entry(k).name);
    jsni_graph_destroy(graph);
}

static void test_decay_and_l1_can_spare_biases_and_batchnorm(void **state)
{
    (void)state;
    jsni_update update;
    size_t slots = 0;
    assert_ok(jsni_optim_parse("sgd", &update, &slots));
    assert_true(update.decay_all);
    assert_close(update.value[0], 0.9, 0, 0); /* momentum */
    assert_close(update.value[1], 1.0, 0, 0); /* nesterov */
    update.rate = 0.5;
    update.decay = 0.1;
    update.l1 = 0.2;
    static const jsni_role roles[] = {JSNI_ROLE_WEIGHT, JSNI_ROLE_BIAS,
                                      JSNI_ROLE_NORM_WEIGHT, JSNI_ROLE_NORM_BIAS};
    for (int all = 0; all <= 1; all++) {
        update.decay_all = all != 0;
        for (size_t i = 0; i < 4; i++) {
            float p = 1.0f, v = 0.0f;
            const float g = 0.0f;
            jsni_optim_apply(&update, roles[i], 1, &p, &g, &v, 1);
            /* d = 0.1 + 0.2, v = d: p - 0.5*(d + 0.9*d) */
            const double want = all || i == 0 ? 1.0 - 0.5 * 1.9 * 0.3 : 1.0;
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
    for (size_t i = 0; jsni_optim_entry(i).name != NULL; i++)
        assert_ok(jsni_optim_parse(jsni_optim_entry(i).name, &update, &slots));
    assert_null(jsni_optim_entry(SIZE_MAX).name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adamw_follows_pytorch),
        cmocka_unit_test(test_lion_follows_its_formula),
        cmocka_unit_test(test_l1_is_a_term_of_the_loss),
        cmocka_unit_test(test_l1_leaves_a_zero_where_it_is),
        cmocka_unit_test(test_a_gradient_of_zero_leaves_lion_where_it_is),
        cmocka_unit_test(test_every_optimiser_descends_and_shows_a_nan),
        cmocka_unit_test(test_every_backend_steps_as_the_table),
        cmocka_unit_test(test_decay_and_l1_can_spare_biases_and_batchnorm),
        cmocka_unit_test(test_plain_descent_needs_no_velocity),
        cmocka_unit_test(test_unknown_and_wild_specs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
