/* weights/weight_names.h - what other libraries call the tensors of our networks: one
 * table. torchvision, and timm for its ResNets, have the names that the networks have here;
 * so has efficientnet_lite_pytorch. timm's EfficientNet-Lite and PLC's ResNet have others. */
#ifndef JSNI_WEIGHTS_WEIGHT_NAMES_H
#define JSNI_WEIGHTS_WEIGHT_NAMES_H

#include "format/safetensors.h"

enum { JSNI_WEIGHT_NAME = 128 };

/* Our name of tensor `index` of a file: its own, unless the file is of a library whose
 * names the table has. false: longer than any name is. */
bool jsni_weight_name(const jsni_safetensors *file, size_t index,
                      char out[JSNI_WEIGHT_NAME]);

/* Whether the names of a file are those of timm's EfficientNet-Lite, of which there are two
 * kinds: tf_efficientnet_lite..., the networks here, and efficientnet_lite..., which pads its
 * images evenly. Names and shapes are the same. */
bool jsni_weight_names_of_timm_lite(const jsni_safetensors *file);

#endif /* JSNI_WEIGHTS_WEIGHT_NAMES_H */
