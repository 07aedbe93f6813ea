/* noise/cifar_map.h - which class the asymmetric noise of CIFAR-10 and CIFAR-100 turns
 * a class into. */
#ifndef JSNI_NOISE_CIFAR_MAP_H
#define JSNI_NOISE_CIFAR_MAP_H

#include <stdint.h>

/* CIFAR-10: truck to automobile, bird to airplane, cat to dog and back, deer to horse;
 * every other class to itself. label in [0, 10). */
int32_t jsni_cifar10_next(int32_t label);

/* CIFAR-100: the next class, in alphabetical order, of the same superclass, the last one
 * to the first. label in [0, 100). */
int32_t jsni_cifar100_next(int32_t label);

/* The superclass, in [0, 20), of a CIFAR-100 class. */
int32_t jsni_cifar100_superclass(int32_t label);

#endif /* JSNI_NOISE_CIFAR_MAP_H */
