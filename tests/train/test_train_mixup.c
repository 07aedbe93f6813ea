/* tests/train/test_train_mixup.c - mixup: shares are of the Beta distribution, partners a
 * permutation, rows are mixed as the formula says, in place, and walks are its cycles. */
#include "support/support.h"

#include <math.h>

#include "core/mix.h"
#include "core/stats.h"
#include "train/mixup.h"

enum { DRAWS = 4000, ROWS = 33, FLOATS = 5 };

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The distance of Kolmogorov and Smirnov to the incomplete beta function; 1.63 / sqrt(n) is
 * exceeded once in a hundred. */
static void test_shares_are_beta(void **state)
{
    (void)state;
    static const double alphas[] = {0.05, 0.2, 0.9, 1.0, 1.5, 8.0};
    for (size_t a = 0; a < sizeof alphas / sizeof alphas[0]; a++) {
        static double shares[DRAWS];
        uint32_t partner[1];
        double worst = 0.0;
        for (size_t i = 0; i < DRAWS; i++)
            shares[i] = (double)jsni_mixup_draw(alphas[a], 7, 3, i, 1, partner);
        qsort(shares, DRAWS, sizeof *shares, by_value);
        for (size_t i = 0; i < DRAWS; i++) {
            const double p =
                jsni_stats_beta(alphas[a], alphas[a], shares[i], 1.0 - shares[i]);
            /* Shares next to 0 and 1 are many and rounded to float. */
            if (shares[i] > 1e-4 && shares[i] < 1.0 - 1e-4)
                worst = fmax(worst, fabs(p - ((double)i + 0.5) / DRAWS));
        }
        print_message("alpha %g: %.4f\n", alphas[a], worst);
        assert_true(worst < 1.63 / sqrt((double)DRAWS));
    }
}

static void test_draws_are_named_by_epoch_and_batch(void **state)
{
    (void)state;
    uint32_t one[ROWS], two[ROWS];
    const float share = jsni_mixup_draw(0.5, 1, 2, 3, ROWS, one);
    assert_true(share == jsni_mixup_draw(0.5, 1, 2, 3, ROWS, two));
    assert_memory_equal(one, two, sizeof one);
    assert_true(share != jsni_mixup_draw(0.5, 1, 2, 4, ROWS, two));
    assert_true(share != jsni_mixup_draw(0.5, 1, 3, 3, ROWS, two));
    assert_true(share != jsni_mixup_draw(0.5, 2, 2, 3, ROWS, two));
    bool seen[ROWS] = {false};
    for (size_t i = 0; i < ROWS; i++) {
        assert_true(one[i] < ROWS && !seen[one[i]]);
        seen[one[i]] = true;
    }
}

static void test_rows_meet_their_partners(void **state)
{
    (void)state;
    float before[ROWS][FLOATS], rows[ROWS][FLOATS], room[FLOATS];
    uint32_t partner[ROWS], walk[ROWS];
    const float share = jsni_mixup_draw(0.7, 5, 0, 0, ROWS, partner);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < FLOATS; k++)
            before[i][k] = rows[i][k] = (float)(i * 100 + k);
    jsni_mixup_rows(&rows[0][0], FLOATS, ROWS, share, partner, room);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < FLOATS; k++)
            assert_close((double)rows[i][k],
                         (double)share * (double)before[i][k] +
                             (1.0 - (double)share) * (double)before[partner[i]][k],
                         1e-3, 1e-6);
    /* What a device does with the walk. */
    jsni_mixup_walk(partner, ROWS, walk);
    uint32_t first = walk[0] & ~JSNI_MIXUP_LAST;
    for (size_t j = 0; j < ROWS; j++) {
        const uint32_t at = walk[j] & ~JSNI_MIXUP_LAST;
        const bool last = (walk[j] & JSNI_MIXUP_LAST) != 0;
        assert_int_equal(partner[at], last ? first : walk[j + 1] & ~JSNI_MIXUP_LAST);
        if (last && j + 1 < ROWS)
            first = walk[j + 1] & ~JSNI_MIXUP_LAST;
    }
    assert_true((walk[ROWS - 1] & JSNI_MIXUP_LAST) != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares_are_beta),
        cmocka_unit_test(test_draws_are_named_by_epoch_and_batch),
        cmocka_unit_test(test_rows_meet_their_partners),
    };
    return cmocka_run_group_tests_name("train/mixup", tests, NULL, NULL);
}
