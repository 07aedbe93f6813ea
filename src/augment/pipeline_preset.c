/* augment/pipeline_preset.c - the named pipelines: those of the experiments, by what
 * they are made of. */
#include "augment/augment_impl.h"

#define CROP_FLIP "crop:pad=4+flip"
#define RAND      "randaugment:n=1,m=3"
#define CUTOUT    "cutout:size=16"
#define FOOD      "resize:size=256,filter=bicubic,nearest=1"

static const jsn_augment_info presets[] = {
    {"strong", "CIFAR training: RandAugment, crop, flip, Cutout", NULL, 0,
     RAND "+" CROP_FLIP "+" CUTOUT},
    {"strong-nocutout", "strong without Cutout", NULL, 0, RAND "+" CROP_FLIP},
    {"strong-norandaugment", "strong without RandAugment", NULL, 0,
     CROP_FLIP "+" CUTOUT},
    {"weak", "crop and flip", NULL, 0, CROP_FLIP},
    {"jitter", "WebVision training: random resized crop, flip, colour jitter", NULL, 0,
     "resizedcrop+flip+colorjitter"},
    {"animal10n", "ANIMAL-10N training: crop", NULL, 0, "crop:pad=4"},
    {"animal10n-plc", "ANIMAL-10N training of PLC: flip", NULL, 0, "flip"},
    {"food101n", "Food-101N training: shorter side 256, random crop, flip", NULL, 0,
     FOOD "+crop:pad=0+flip"},
    {"none", "the image as it is", NULL, 0, ""},
};

size_t jsni_preset_count(void)
{
    return JSNI_COUNT_OF(presets);
}

const jsn_augment_info *jsni_preset_at(size_t index)
{
    return index < JSNI_COUNT_OF(presets) ? &presets[index] : NULL;
}
