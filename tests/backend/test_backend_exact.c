/* Exact sums of the CUDA backend, as the host compiles them: against sums of whole numbers of
 * 2^-149 in 384 bits, in any order, and what is not finite, however much of it there is. */
#include <stdbool.h>
#include <string.h>

#include "backend/cuda/exact_words.h"
#include "support/support.h"

enum { LIMBS = 12, MOST = 4096, ROUNDS = 400, TOP = 254 };

typedef struct exact_sum {
    jsni_exact_word words[JSNI_EXACT_WORDS];
} exact_sum;

/* Two's complement, the lowest 32 bits first. */
typedef struct whole {
    uint32_t limb[LIMBS];
} whole;

static uint64_t state = 5;

static uint32_t draw(uint32_t end)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % end);
}

static void add(exact_sum *sum, uint32_t bits)
{
    const jsni_exact_parts parts = jsni_exact_split(bits);
    assert_in_range(parts.first, 0, JSNI_EXACT_WORDS - 2);
    sum->words[parts.first] += parts.below;
    sum->words[parts.first + 1] += parts.above;
}

static bool is_negative(const whole *w)
{
    return w->limb[LIMBS - 1] >> 31;
}

static void negate(whole *w)
{
    uint64_t carry = 1;
    for (size_t i = 0; i < LIMBS; i++) {
        carry += (uint32_t)~w->limb[i];
        w->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* sum += value << shift, a bit at a time */
static void add_whole(whole *sum, uint64_t value, int shift, bool negative)
{
    whole other = {{0}};
    for (int i = 0; i < 64; i++)
        if (value >> i & 1)
            other.limb[(i + shift) / 32] |= 1u << ((i + shift) % 32);
    if (negative)
        negate(&other);
    uint64_t carry = 0;
    for (size_t i = 0; i < LIMBS; i++) {
        carry += (uint64_t)sum->limb[i] + other.limb[i];
        sum->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static void add_float(whole *sum, uint32_t bits)
{
    const int exponent = (int)(bits >> 23 & 255);
    if (exponent == 0)
        add_whole(sum, bits & 0x7fffff, 0, bits >> 31);
    else
        add_whole(sum, (bits & 0x7fffff) + 0x800000, exponent - 1, bits >> 31);
}

/* The words as one whole number. */
static whole whole_of(const exact_sum *sum)
{
    whole w = {{0}};
    for (int i = 0; i < JSNI_EXACT_WORDS; i++) {
        const jsni_exact_word v = sum->words[i];
        add_whole(&w, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, 32 * i, v < 0);
    }
    return w;
}

/* Its 64 highest bits, cut off: 2^-63 of it at most is missing. */
static long double value_of(whole w)
{
    const bool negative = is_negative(&w);
    if (negative)
        negate(&w);
    int top = 32 * LIMBS - 1;
    while (top > 0 && !(w.limb[top / 32] >> (top % 32) & 1))
        top--;
    uint64_t bits = 0;
    const int low = top > 63 ? top - 63 : 0;
    for (int i = top; i >= low; i--)
        bits = bits << 1 | (w.limb[i / 32] >> (i % 32) & 1);
    const long double value = ldexpl((long double)bits, low - 149);
    return negative ? -value : value;
}

static void check(const uint32_t *floats, size_t count, exact_sum *sum)
{
    whole want = {{0}};
    memset(sum, 0, sizeof *sum);
    for (size_t i = 0; i < count; i++) {
        add(sum, floats[i]);
        add_float(&want, floats[i]);
    }
    const whole got = whole_of(sum);
    assert_memory_equal(&got, &want, sizeof got);
    const long double value = value_of(want);
    const double read = jsni_exact_value(sum->words);
    assert_true(fabsl((long double)read - value) <= 2 * ldexpl(fabsl(value), -52));
}

static void test_every_exponent(void **unused)
{
    (void)unused;
    static const uint32_t digits[] = {0, 1, 0x400000, 0x7fffff, 0x2aaaaa};
    for (uint32_t exponent = 0; exponent <= TOP; exponent++)
        for (uint32_t sign = 0; sign < 2; sign++)
            for (size_t i = 0; i < sizeof digits / sizeof digits[0]; i++) {
                const uint32_t bits = sign << 31 | exponent << 23 | digits[i];
                float value;
                exact_sum sum;
                memcpy(&value, &bits, sizeof value);
                check(&bits, 1, &sum);
                assert_true(jsni_exact_value(sum.words) == (double)value);
            }
}

/* Floats of every size, of few sizes, without normal ones, and such as cancel. */
static size_t draw_floats(uint32_t *floats)
{
    const uint32_t kind = draw(4), middle = draw(TOP + 1);
    const size_t count = 1 + draw(kind == 0 ? MOST / 2 : 200);
    for (size_t i = 0; i < count; i++) {
        uint32_t exponent = kind == 0 ? draw(TOP + 1) : middle + draw(20);
        exponent = kind == 2 ? 0 : exponent > TOP ? TOP : exponent;
        floats[i] = draw(2) << 31 | exponent << 23 | draw(1u << 23);
    }
    for (size_t i = 0; kind == 3 && i + 1 < count; i++)
        floats[count + i] = floats[i] ^ 1u << 31;
    return kind == 3 ? 2 * count - 1 : count;
}

static void test_sums_in_any_order(void **unused)
{
    (void)unused;
    static uint32_t floats[MOST];
    for (int round = 0; round < ROUNDS; round++) {
        const size_t count = draw_floats(floats);
        exact_sum sum, other;
        check(floats, count, &sum);
        for (size_t i = count; i > 1; i--) {
            const size_t k = draw((uint32_t)i);
            const uint32_t kept = floats[i - 1];
            floats[i - 1] = floats[k];
            floats[k] = kept;
        }
        check(floats, count, &other);
        assert_memory_equal(&sum, &other, sizeof sum);
    }
}

enum { ADDS = (1 << 20) - 1 }; /* as many as a launch makes */

static void test_the_largest_floats(void **unused)
{
    (void)unused;
    for (uint32_t sign = 0; sign < 2; sign++) {
        const uint32_t bits = sign << 31 | 0x7f7fffff;
        float value;
        exact_sum sum = {{0}};
        memcpy(&value, &bits, sizeof value);
        for (size_t i = 0; i < ADDS; i++)
            add(&sum, bits);
        assert_true(jsni_exact_value(sum.words) == (double)ADDS * (double)value);
    }
}

static void test_what_is_not_finite_stays_so(void **unused)
{
    (void)unused;
    static const uint32_t bad[] = {0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001};
    static const size_t counts[] = {1, 2, 1 << 16, 1 << 17, 1 << 18, ADDS - 1, ADDS};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
            exact_sum sum = {{0}};
            for (size_t n = 0; n < counts[k]; n++)
                add(&sum, bad[i]);
            for (size_t n = counts[k]; n < ADDS; n++)
                add(&sum, 0xff7fffff);
            assert_true(isnan(jsni_exact_value(sum.words)));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_exponent),
        cmocka_unit_test(test_sums_in_any_order),
        cmocka_unit_test(test_the_largest_floats),
        cmocka_unit_test(test_what_is_not_finite_stays_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
