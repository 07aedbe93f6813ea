/* tests/sweep/test_sweep_choice.c - which configuration of a study is best. */
#include <math.h>
#include <stdio.h>

#include "core/json.h"
#include "support/support.h"
#include "sweep/sweep_impl.h"

enum { MOST = 8 };

typedef struct fixture {
    jsn_sweep sweep;
    jsn_sweep_trial trials[MOST];
    jsn_sweep_pair options[MOST][3], facts[MOST][2];
    char seeds[MOST][24];
    size_t count;
} fixture;

static char word_lr[] = "lr", word_seed[] = "seed", word_threads[] = "threads",
            word_attempts[] = "attempts", word_group[] = "group";

/* The order of the options changes from trial to trial, and so do the threads. */
static void add(fixture *f, char *lr, int seed, double value)
{
    const size_t i = f->count++;
    (void)snprintf(f->seeds[i], sizeof f->seeds[i], "%d", seed);
    f->options[i][i % 3] = (jsn_sweep_pair){word_lr, lr};
    f->options[i][(i + 1) % 3] = (jsn_sweep_pair){word_seed, f->seeds[i]};
    f->options[i][(i + 2) % 3] = (jsn_sweep_pair){word_threads, f->seeds[i]};
    f->trials[i] =
        (jsn_sweep_trial){.number = (int64_t)i,
                          .state = isnan(value) ? JSN_SWEEP_FAILED : JSN_SWEEP_COMPLETE,
                          .value = value,
                          .options = f->options[i],
                          .option_count = 3,
                          .facts = f->facts[i]};
}

static void add_fact(fixture *f, size_t i, char *name, char *text)
{
    f->facts[i][f->trials[i].fact_count++] = (jsn_sweep_pair){name, text};
}

static void assert_choice(const fixture *f, const char *group, const size_t *trials,
                          size_t n, size_t best, double mean)
{
    jsn_sweep_choice c;
    assert_ok(jsn_sweep_choose(&f->sweep, f->trials, f->count, group, &c));
    assert_int_equal(c.n, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(c.trials[i], trials[i]);
    assert_int_equal(c.best, best);
    if (n == 0)
        assert_true(isnan(c.mean) && isnan(mean));
    else
        assert_close(c.mean, mean, 1e-15, 0.0);
    jsn_sweep_choice_release(&c);
}

static char low[] = "0.01", middle[] = "0.05", high[] = "0.1";

static void test_mean_over_seeds_decides_not_the_luckiest_seed(void **state)
{
    (void)state;
    fixture f = {.sweep = {.study = {.maximize = true}}};
    add(&f, low, 1, 0.9); /* the best trial of all, in the worse configuration */
    add(&f, high, 1, 0.75);
    add(&f, low, 2, 0.5);
    add(&f, high, 2, 0.8125);
    assert_int_equal(jsni_sweep_best(&f.sweep, f.trials, f.count, NULL), 0);
    assert_choice(&f, NULL, (const size_t[]){1, 3}, 2, 3, 0.78125);
    f.sweep.study.maximize = false;
    assert_choice(&f, NULL, (const size_t[]){0, 2}, 2, 2, 0.7);
}

static void test_unfinished_configurations_are_left_out(void **state)
{
    (void)state;
    fixture f = {.sweep = {.study = {.maximize = true}}};
    jsn_sweep_choice c;
    add(&f, low, 1, 0.9);
    add(&f, low, 2, NAN);
    add(&f, high, 1, 0.5);
    add(&f, high, 2, 0.25);
    assert_choice(&f, NULL, (const size_t[]){2, 3}, 2, 2, 0.375);
    assert_ok(jsn_sweep_choose(&f.sweep, f.trials, f.count, NULL, &c));
    assert_int_equal(c.left_out, 1);
    assert_true(c.repeated);
    jsn_sweep_choice_release(&c);
    /* A value of a trial that was pruned does not make it complete. */
    f.trials[3].state = JSN_SWEEP_PRUNED;
    assert_ok(jsn_sweep_choose(&f.sweep, f.trials, f.count, NULL, &c));
    assert_int_equal(c.left_out, 2);
    assert_int_equal(c.n, 0);
    assert_true(c.best == SIZE_MAX && isnan(c.mean) && c.trials == NULL);
    jsn_sweep_choice_release(&c);
}

static void test_equal_means_go_to_fewer_failures_then_the_lower_number(void **state)
{
    (void)state;
    char once[] = "1", twice[] = "2";
    fixture f = {.sweep = {.study = {.maximize = true}}};
    /* 0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1 in double. */
    add(&f, low, 1, 0.1);
    add(&f, low, 2, 0.2);
    add(&f, low, 3, 0.3);
    add(&f, high, 1, 0.3);
    add(&f, high, 2, 0.2);
    add(&f, high, 3, 0.1);
    assert_choice(&f, NULL, (const size_t[]){0, 1, 2}, 3, 2, 0.2);
    f.sweep.study.maximize = false;
    assert_choice(&f, NULL, (const size_t[]){0, 1, 2}, 3, 0, 0.2);
    add_fact(&f, 0, word_attempts, once);
    assert_choice(&f, NULL, (const size_t[]){0, 1, 2}, 3, 0, 0.2);
    add_fact(&f, 1, word_attempts, twice);
    assert_choice(&f, NULL, (const size_t[]){3, 4, 5}, 3, 5, 0.2);
}

static void test_one_seed_chooses_the_best_trial(void **state)
{
    (void)state;
    char twice[] = "2";
    fixture f = {.sweep = {.study = {.maximize = true}}};
    jsn_sweep_choice c;
    add(&f, low, 1, 0.5);
    add(&f, middle, 1, 0.5);
    add(&f, high, 1, NAN);
    add_fact(&f, 0, word_attempts, twice);
    assert_int_equal(jsni_sweep_best(&f.sweep, f.trials, f.count, NULL), 0);
    assert_choice(&f, NULL, (const size_t[]){0}, 1, 0, 0.5);
    assert_ok(jsn_sweep_choose(&f.sweep, f.trials, f.count, NULL, &c));
    assert_false(c.repeated);
    jsn_sweep_choice_release(&c);
    assert_choice(&(fixture){0}, NULL, NULL, 0, SIZE_MAX, NAN);
}

static void test_the_same_seed_counts_once(void **state)
{
    (void)state;
    fixture f = {.sweep = {.study = {.maximize = true}}};
    jsn_sweep_choice c;
    add(&f, low, 1, 0.5);
    add(&f, low, 1, 0.75); /* counts: the latest complete one */
    add(&f, low, 1, NAN);  /* nor does it keep the configuration out */
    add(&f, low, 2, 0.25);
    add(&f, high, 1, 0.375);
    assert_choice(&f, NULL, (const size_t[]){1, 3}, 2, 1, 0.5);
    assert_ok(jsn_sweep_choose(&f.sweep, f.trials, f.count, NULL, &c));
    assert_int_equal(c.left_out, 0);
    const size_t counted[] = {1, 1, 1, 3, 4};
    for (size_t i = 0; i < f.count; i++)
        assert_int_equal(c.counted[i], counted[i]);
    jsn_sweep_choice_release(&c);
    assert_null(c.counted);
}

static void test_open_options_repeat_nothing(void **state)
{
    (void)state;
    static const char json[] = "{\"lr\": {}}";
    fixture f = {.sweep = {.study = {.maximize = true}}};
    jsn_sweep_choice c;
    assert_ok(jsni_json_parse(&f.sweep.axes, "axes", json, strlen(json)));
    add(&f, low, 1, 0.5);
    add(&f, low, 1, NAN);
    add(&f, low, 1, NAN);
    f.trials[1].option_count = f.trials[2].option_count = 0;
    assert_ok(jsn_sweep_choose(&f.sweep, f.trials, f.count, NULL, &c));
    assert_int_equal(c.n, 1);
    assert_false(c.repeated);
    for (size_t i = 0; i < f.count; i++)
        assert_int_equal(c.counted[i], i);
    jsn_sweep_choice_release(&c);
    jsni_json_destroy(f.sweep.axes);
}

static void test_groups_are_apart(void **state)
{
    (void)state;
    char first[] = "stage1/a", second[] = "stage2/a";
    fixture f = {.sweep = {.study = {.maximize = true}}};
    add(&f, low, 1, 0.9);
    add(&f, high, 1, 0.1);
    add(&f, low, 2, 0.2);
    add(&f, high, 2, 0.8);
    for (size_t i = 0; i < 4; i++)
        add_fact(&f, i, word_group, i < 2 ? first : second);
    assert_choice(&f, first, (const size_t[]){0}, 1, 0, 0.9);
    assert_choice(&f, second, (const size_t[]){3}, 1, 3, 0.8);
    assert_choice(&f, "stage3/a", NULL, 0, SIZE_MAX, NAN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mean_over_seeds_decides_not_the_luckiest_seed),
        cmocka_unit_test(test_unfinished_configurations_are_left_out),
        cmocka_unit_test(test_equal_means_go_to_fewer_failures_then_the_lower_number),
        cmocka_unit_test(test_one_seed_chooses_the_best_trial),
        cmocka_unit_test(test_the_same_seed_counts_once),
        cmocka_unit_test(test_open_options_repeat_nothing),
        cmocka_unit_test(test_groups_are_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
