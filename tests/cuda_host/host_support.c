/* cuda_host/host_support.c - see host_support.h. */
#include "cuda_host/host_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

static size_t bytes_of(host_tensor t)
{
    return t.count * (t.half ? 2 : 4);
}

host_tensor host_tensor_zeros(size_t count, bool half)
{
    host_tensor t = {NULL, count, half};
    t.at = host_array(bytes_of(t));
    return t;
}

host_tensor host_tensor_quarters(size_t count, bool half, uint32_t seed)
{
    const host_tensor t = host_tensor_zeros(count, half);
    uint32_t state = seed * 2654435761u + 1;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        host_tensor_set(t, i, (double)((int)((state >> 16) * 9 >> 16) - 4) / 4);
    }
    return t;
}

double host_tensor_value(host_tensor t, size_t i)
{
    if (!t.half)
        return (double)((const float *)t.at)[i];
    const uint32_t bits = (uint32_t)((const uint16_t *)t.at)[i] << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return (double)x;
}

void host_tensor_set(host_tensor t, size_t i, double value)
{
    if (t.half)
        ((uint16_t *)t.at)[i] = host_round_bf16((float)value);
    else
        ((float *)t.at)[i] = (float)value;
}

void host_tensor_spoil(host_tensor t)
{
    memset(t.at, 0xff, bytes_of(t));
}

size_t host_tensor_off(host_tensor t, const double *expected, double apart)
{
    size_t off = 0;
    for (size_t i = 0; i < t.count; i++) {
        uint16_t bits = host_round_bf16((float)expected[i]);
        const double rounded = t.half
                                   ? host_tensor_value((host_tensor){&bits, 1, true}, 0)
                                   : (double)(float)expected[i];
        const double got = host_tensor_value(t, i);
        if (fabs(got - rounded) <= apart * (1.0 + fabs(rounded)))
            continue;
        if (off++ == 0)
            printf("place %zu of %zu: %.9g, expected %.9g\n", i, t.count, got, rounded);
    }
    return off;
}

void host_in_orders(void (*run)(void *user), void *user, const host_tensor *results,
                    size_t count)
{
    void *first[8] = {NULL};
    assert_true(count <= sizeof first / sizeof first[0]);
    for (unsigned order = 1; order <= 2; order++) {
        host_order(order * 2654435761u); /* odd, even */
        for (size_t r = 0; r < count; r++)
            host_tensor_spoil(results[r]);
        run(user);
        if (host_fault())
            fail_msg("%s", host_fault());
        for (size_t r = 0; r < count; r++) {
            const size_t bytes = bytes_of(results[r]);
            if (order == 1) {
                first[r] = malloc(bytes);
                assert_non_null(first[r]);
                memcpy(first[r], results[r].at, bytes);
            } else {
                assert_memory_equal(first[r], results[r].at, bytes);
            }
        }
    }
    for (size_t r = 0; r < count; r++)
        free(first[r]);
}

int host_reset_after(void **state)
{
    (void)state;
    host_reset();
    return 0;
}
