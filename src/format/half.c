/* format/half.c - see half.h. Both formats are handled as (exponent bits, fraction
 * bits), directly from double, so that nothing is rounded twice. */
#include "format/half.h"

#include <math.h>

static double value_of(uint16_t bits, int exponent_bits, int fraction_bits)
{
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = (bits >> fraction_bits) & ((1 << exponent_bits) - 1);
    const int fraction = bits & ((1 << fraction_bits) - 1);
    const double sign = (bits & 0x8000u) != 0 ? -1.0 : 1.0;
    if (exponent == (1 << exponent_bits) - 1)
        return fraction != 0 ? NAN : sign * INFINITY;
    if (exponent == 0)
        return sign * ldexp(fraction, 1 - bias - fraction_bits);
    return sign *
           ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
}

/* Half to even, whatever rounding mode the thread is in. */
static double round_even(double value)
{
    const double below = floor(value);
    const double rest = value - below;
    const int up = rest > 0.5 || (rest == 0.5 && fmod(below, 2.0) != 0.0);
    return below + up;
}

static uint16_t round_to(double value, int exponent_bits, int fraction_bits)
{
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const unsigned infinite = ((1u << exponent_bits) - 1) << fraction_bits;
    const unsigned sign = signbit(value) ? 0x8000u : 0;
    if (isnan(value))
        return (uint16_t)(sign | infinite | (1u << (fraction_bits - 1)));
    const double size = fabs(value);
    if (size == 0.0)
        return (uint16_t)sign;
    int exponent = 0;
    (void)frexp(size, &exponent); /* size < 2^exponent */
    if (isinf(size) || exponent > bias + 1)
        return (uint16_t)(sign | infinite);
    /* Below the smallest normal number the step no longer shrinks. A carry out of the
     * fraction runs into the exponent, which is what it should do, up to infinity. */
    const int lowest = exponent - 1 < 1 - bias ? 1 - bias : exponent - 1;
    const double steps = round_even(ldexp(size, fraction_bits - lowest));
    const unsigned field = (unsigned)(lowest + bias - 1) << fraction_bits;
    return (uint16_t)(sign | (field + (unsigned)steps));
}

double jsni_half_value(uint16_t bits)
{
    return value_of(bits, 5, 10);
}

uint16_t jsni_half_round(double value)
{
    return round_to(value, 5, 10);
}

double jsni_bfloat_value(uint16_t bits)
{
    return value_of(bits, 8, 7);
}

uint16_t jsni_bfloat_round(double value)
{
    return round_to(value, 8, 7);
}
