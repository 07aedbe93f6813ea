/* weights/weight_preset.h - what published weights want their images to be like: one table
 * of networks. */
#ifndef JSNI_WEIGHTS_WEIGHT_PRESET_H
#define JSNI_WEIGHTS_WEIGHT_PRESET_H

#include <stddef.h>

enum { JSNI_IMAGENET_CLASSES = 1000 };
/* The name of a class of ImageNet, in the order that networks trained on it have them; the
 * caller's (jsni_free). NULL when memory runs out. */
char *jsni_imagenet_name(size_t index);

typedef struct jsni_weight_preset {
    const char *network;    /* its name, without parameters */
    size_t image_size;      /* 0: the network's own */
    const char *evaluation; /* spec of the transform */
    float mean[3], deviation[3];
} jsni_weight_preset;

/* That of a network spec; there is one for every network. */
const jsni_weight_preset *jsni_weight_preset_of(const char *network);

#endif /* JSNI_WEIGHTS_WEIGHT_PRESET_H */
