/* format/half.h - the two 16-bit floats of array files, to and from double. */
#ifndef JSNI_FORMAT_HALF_H
#define JSNI_FORMAT_HALF_H

#include <stdint.h>

/* IEEE 754 binary16: 5 bits of exponent, 10 of fraction. */
double jsni_half_value(uint16_t bits);
uint16_t jsni_half_round(double value); /* to nearest, ties to even */

/* bfloat16: the upper half of a binary32. */
double jsni_bfloat_value(uint16_t bits);
uint16_t jsni_bfloat_round(double value); /* to nearest, ties to even */

#endif /* JSNI_FORMAT_HALF_H */
