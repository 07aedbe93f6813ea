/* noise/cifar_map.c - see cifar_map.h. */
#include "noise/cifar_map.h"

int32_t jsni_cifar10_next(int32_t label)
{
    enum { AIRPLANE, AUTOMOBILE, BIRD, CAT, DEER, DOG, FROG, HORSE, SHIP, TRUCK };
    static const uint8_t next[10] = {AIRPLANE, AUTOMOBILE, AIRPLANE, DOG,  HORSE,
                                     CAT,      FROG,       HORSE,    SHIP, AUTOMOBILE};
    return next[label];
}

int32_t jsni_cifar100_superclass(int32_t label)
{
    static const uint8_t superclass[100] = {
        4,  1,  14, 8,  0,  6,  7,  7,  18, 3,  3,  14, 9,  18, 7,  11, 3,  9,  7,  11,
        6,  11, 5,  10, 7,  6,  13, 15, 3,  15, 0,  11, 1,  10, 12, 14, 16, 9,  11, 5,
        5,  19, 8,  8,  15, 13, 14, 17, 18, 10, 16, 4,  17, 4,  2,  0,  17, 4,  18, 17,
        10, 3,  2,  12, 12, 16, 12, 1,  9,  19, 2,  10, 0,  1,  16, 12, 9,  13, 15, 13,
        16, 19, 2,  4,  6,  19, 5,  5,  8,  19, 18, 1,  2,  15, 6,  0,  17, 8,  14, 13};
    return superclass[label];
}

int32_t jsni_cifar100_next(int32_t label)
{
    int32_t next = label;
    do
        next = (next + 1) % 100;
    while (jsni_cifar100_superclass(next) != jsni_cifar100_superclass(label));
    return next;
}
