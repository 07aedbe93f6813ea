/* tests/loss/test_loss_values.c - one small sample, every loss, against values worked
 * out by hand-written high-precision arithmetic (K = 4, label 0, ten decimals). */
#include "support/support.h"

#include "jensen/loss.h"
#include "loss/loss_mode.h"

enum { CLASSES = 4 };

static const double views[2 * CLASSES] = {
    0.5,  -1.0, 2.0, 0.25, /* view 0 */
    -0.3, 0.8,  1.1, -2.0, /* view 1 */
};

typedef struct value_case {
    const char *spec;
    size_t views;
    double value;
    double grad[2 * CLASSES]; /* [views][classes] */
} value_case;

static const value_case cases[] = {
    {"ce", 1, 1.8692789984, {-0.84576517, 0.03441444, 0.69123253, 0.12011820}},
    {"mae", 1, 2 * 0.8457651747, {-0.26089288, 0.01061582, 0.21322426, 0.03705282}},
    {"mae:half=1", 1, 0.8457651747, {-0.13044644, 0.00530791, 0.10661213, 0.01852641}},
    {"ls:epsilon=0.3,kl=1",
     1,
     1.1076773928,
     {-0.62076517, -0.04058556, 0.61623253, 0.04511820}},
    {"bs:beta=0.7", 1, 1.5827197234, {-0.54783820, 0.04943838, 0.37088723, 0.12751259}},
    {"rce", 1, 7.7897851339, {-1.20145615, 0.04888761, 0.98193399, 0.17063454}},
    {"sce:alpha=0.1,beta=1",
     1,
     7.9767130337,
     {-1.28603267, 0.05232906, 1.05105725, 0.18264636}},
    {"gce:q=0.7", 1, 1.0425337707, {-0.22854805, 0.00929969, 0.18678925, 0.03245910}},
    {"nce", 1, 0.2419116006, {-0.09746176, 0.03145094, 0.03420105, 0.03180978}},
    {"nce+rce:alpha=10,beta=0.1",
     1,
     3.1980945199,
     {-1.09476325, 0.31939812, 0.44020387, 0.33516125}},
    {"kl", 1, 1.8692789984, {-0.84576517, 0.03441444, 0.69123253, 0.12011820}},
    {"kl-rev", 1, 12.7180425694, {-2.24987299, 0.00105907, 2.09496964, 0.15384428}},
    {"jeffreys", 1, 7.2936607839, {-1.54781908, 0.01773676, 1.39310109, 0.13698124}},
    {"k", 1, 0.5497095451, {-0.11301552, 0.00459864, 0.09236606, 0.01605082}},
    {"k-rev", 1, 0.3827161822, {-0.14953621, 0.00608467, 0.12221394, 0.02123760}},
    {"js:pi1=0.5,scale=0",
     1,
     0.4662128636,
     {-0.13127586, 0.00534165, 0.10729000, 0.01864421}},
    {"js-sqrt", 1, 0.6827978205, {-0.09613085, 0.00391159, 0.07856645, 0.01365280}},
    {"js:pi1=0.1", 1, 1.7160063620, {-0.67173909, 0.02733327, 0.54900334, 0.09540248}},
    {"js:pi1=0.5", 1, 1.3452059727, {-0.37878208, 0.01541276, 0.30957351, 0.05379581}},
    {"js:pi=0.9/0.1",
     1,
     1.0718754135,
     {-0.23133889, 0.00941325, 0.18907017, 0.03285547}},
    {"gjs",
     2,
     1.5493462358,
     {-0.20027936, -0.03869927, 0.17641841, 0.06256022, -0.18116373, 0.20279334,
      -0.00567633, -0.01595328}},
    {"gjs:pi1=0.1",
     2,
     2.8256037122,
     {-0.37676349, -0.29287824, 0.39169031, 0.27795142, -0.42293642, 1.01517996,
      -0.46789394, -0.12434961}},
    {"gjs:pi=0.3/0.5/0.2",
     2,
     1.8106434462,
     {-0.35719806, -0.08011981, 0.33582355, 0.10149432, -0.15428659, 0.29386518,
      -0.11367228, -0.02590631}},
};

/* The one sample of the sheet, of class 0. */
static jsn_loss_batch the_sample(void)
{
    static const int32_t label = 0;
    jsn_loss_batch batch;
    jsn_loss_batch_init(&batch);
    batch.samples = 1;
    batch.type = JSN_LOSS_F64;
    batch.logits = views;
    batch.labels = &label;
    return batch;
}

static void check_case(const value_case *c)
{
    double grad[2 * CLASSES];
    double value = 0.0;
    jsn_loss *loss = NULL;
    const jsn_loss_batch batch = the_sample();
    assert_ok(jsn_loss_create(&loss, c->spec, CLASSES, c->views));
    const bool per_sample = jsn_loss_describe_of(loss)->per_sample;
    jsn_loss_result result = {0.0, per_sample ? &value : NULL, grad};
    print_message("%s\n", c->spec);
    assert_ok(jsn_loss_eval(loss, &batch, &result));
    assert_int_equal(jsni_loss_level_used(loss), JSNI_LOSS_DOUBLE);
    /* The values are printed with ten decimals, the gradients with eight. */
    assert_close(result.mean, c->value, 1e-10, 0);
    if (per_sample)
        assert_close(value, c->value, 1e-10, 0);
    for (size_t k = 0; k < c->views * CLASSES; k++)
        assert_close(grad[k], c->grad[k], 2e-8, 0);
    jsn_loss_destroy(loss);
}

static void test_values_match_the_sheet(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_case(&cases[i]);
}

/* The two forms of gjs without consistency, from the sheet (view 0 of two). */
static void test_nocons_has_the_papers_and_the_codes_form(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        double value;
        double grad[CLASSES];
    } forms[] = {
        {"gjs-nocons", 1.3941244642, {-0.19865463, 0.00808332, 0.16235777, 0.02821355}},
        {"gjs-nocons:code=1",
         1.1313763289,
         {-0.12900032, 0.00524906, 0.10543023, 0.01832103}},
    };
    for (size_t i = 0; i < 2; i++) {
        double grad[2 * CLASSES];
        jsn_loss *loss = NULL;
        const jsn_loss_batch batch = the_sample();
        jsn_loss_result result = {0.0, NULL, grad};
        assert_ok(jsn_loss_create(&loss, forms[i].spec, CLASSES, 2));
        assert_ok(jsn_loss_eval(loss, &batch, &result));
        assert_close(result.mean, forms[i].value, 1e-10, 0);
        for (size_t k = 0; k < CLASSES; k++)
            assert_close(grad[k], forms[i].grad[k], 2e-8, 0);
        jsn_loss_destroy(loss);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_match_the_sheet),
        cmocka_unit_test(test_nocons_has_the_papers_and_the_codes_form),
    };
    return cmocka_run_group_tests_name("loss/values", tests, NULL, NULL);
}
