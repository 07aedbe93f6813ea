/* tests/backend/network_formula.c - see network_formula.h. */
#include "backend/network_formula.h"

#include <math.h>
#include <stdio.h>

uint64_t formula_fnv1a64(const char *name)
{
    uint64_t h = 0xCBF29CE484222325u;
    for (; *name != '\0'; name++)
        h = (h ^ (uint64_t)(unsigned char)*name) * 0x100000001B3u;
    return h;
}

uint64_t formula_splitmix64(uint64_t x)
{
    uint64_t z = x + 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

double formula_uniform(uint64_t name, size_t i)
{
    const uint64_t x = 1 + name + (uint64_t)i * 0x9E3779B97F4A7C15u;
    return (double)(formula_splitmix64(x) >> 11) * (1.0 / 9007199254740992.0);
}

void formula_param(const jsni_tensor *t, double offset, float *to)
{
    const uint64_t name = formula_fnv1a64(t->name);
    const double bound = sqrt(3.0 / ((double)t->count / (double)t->dim[0]));
    for (size_t i = 0; i < t->count; i++) {
        const double s = 2.0 * formula_uniform(name, i) - 1.0;
        switch (t->role) {
        case JSNI_ROLE_WEIGHT:
            to[i] = (float)(bound * s);
            break;
        case JSNI_ROLE_NORM_WEIGHT:
            to[i] = (float)(1.0 + 0.1 * s);
            break;
        case JSNI_ROLE_NORM_BIAS:
            to[i] = (float)((i % 2 == 0 ? offset : -offset) + 0.1 * s);
            break;
        default:
            to[i] = (float)(0.1 * s);
        }
    }
}

void formula_images(size_t view, size_t count, float *to)
{
    char name[32];
    (void)snprintf(name, sizeof name, "input.view%zu", view + 1);
    const uint64_t hash = formula_fnv1a64(name);
    for (size_t i = 0; i < count; i++)
        to[i] = (float)(sqrt(3.0) * (2.0 * formula_uniform(hash, i) - 1.0));
}

void formula_labels(size_t samples, size_t classes, int32_t *to)
{
    for (size_t i = 0; i < samples; i++)
        to[i] = (int32_t)floor(formula_uniform(formula_fnv1a64("labels"), i) *
                               (double)classes);
}
