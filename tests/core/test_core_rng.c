/* Philox against Random123's known answers; the streams built on it. */
#include "support/support.h"

#include <math.h>

#include "core/rng.h"

/* Random123 kat_vectors, rows "philox4x32 10": counter, key, expected. */
static const uint32_t known[][10] = {
    {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
    {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d,
     0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
    {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09,
     0x94fdcceb, 0x5001e420, 0x24126ea1},
};

static void test_philox_gives_the_known_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        jsni_philox_block counter;
        memcpy(counter.word, known[i], sizeof counter.word);
        const jsni_philox_block out = jsni_philox(counter, known[i][4], known[i][5]);
        assert_memory_equal(out.word, known[i] + 6, sizeof out.word);
    }
}

static void test_each_key_part_gives_another_stream(void **state)
{
    (void)state;
    jsni_rng base = jsni_rng_stream(1, 2, 3, 4, 5);
    jsni_rng same = jsni_rng_stream(1, 2, 3, 4, 5);
    const uint32_t first = jsni_rng_u32(&base);
    assert_int_equal(first, jsni_rng_u32(&same));
    jsni_rng others[] = {
        jsni_rng_stream(2, 2, 3, 4, 5), jsni_rng_stream(1, 3, 3, 4, 5),
        jsni_rng_stream(1, 2, 4, 4, 5), jsni_rng_stream(1, 2, 3, 5, 5),
        jsni_rng_stream(1, 2, 3, 4, 6), jsni_rng_stream(1ull << 40, 2, 3, 4, 5),
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_int_not_equal(first, jsni_rng_u32(&others[i]));
}

static void test_draws_are_uniform(void **state)
{
    (void)state;
    enum { DRAWS = 90000, SIDES = 9 };
    size_t counts[SIDES] = {0};
    double sum = 0.0, squares = 0.0, normal_sum = 0.0, normal_squares = 0.0;
    jsni_rng rng = jsni_rng_stream(7, JSNI_RNG_TEST, 0, 0, 0);
    for (int i = 0; i < DRAWS; i++) {
        counts[jsni_rng_below(&rng, SIDES)]++;
        const double u = jsni_rng_uniform(&rng);
        assert_true(u >= 0.0 && u < 1.0);
        sum += u;
        squares += u * u;
        const double n = jsni_rng_normal(&rng);
        normal_sum += n;
        normal_squares += n * n;
    }
    /* Five standard deviations: sqrt(N p (1-p)) = 94; 1/sqrt(12 N) = 9.6e-4;
     * of the normal's mean 3.3e-3, of its second moment sqrt(2/N) = 4.7e-3. */
    for (int i = 0; i < SIDES; i++)
        assert_close((double)counts[i], DRAWS / (double)SIDES, 470.0, 0.0);
    assert_close(sum / DRAWS, 0.5, 5e-3, 0.0);
    assert_close(squares / DRAWS, 1.0 / 3.0, 5e-3, 0.0);
    assert_close(normal_sum / DRAWS, 0.0, 1.7e-2, 0.0);
    assert_close(normal_squares / DRAWS, 1.0, 2.4e-2, 0.0);
}

static void test_shuffle_is_a_permutation_and_moves_things(void **state)
{
    (void)state;
    uint32_t items[1000];
    for (uint32_t i = 0; i < 1000; i++)
        items[i] = i;
    jsni_rng rng = jsni_rng_stream(1, JSNI_RNG_ORDER, 0, 0, 0);
    jsni_rng_shuffle(&rng, items, 1000);
    unsigned char seen[1000] = {0};
    size_t still = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(seen[items[i]]++, 0);
        still += items[i] == i;
    }
    assert_true(still < 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_philox_gives_the_known_answers),
        cmocka_unit_test(test_each_key_part_gives_another_stream),
        cmocka_unit_test(test_draws_are_uniform),
        cmocka_unit_test(test_shuffle_is_a_permutation_and_moves_things),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
