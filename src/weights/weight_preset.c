/* weights/weight_preset.c - see weight_preset.h. */
#include "weights/weight_preset.h"

#include <string.h>

#include "core/hd.h"

/* TensorFlow's (x - 127) / 128. */
#define LITE(name, size)                                           \
    {                                                              \
        name, size, "resize+centercrop", {0.498f, 0.498f, 0.498f}, \
        {                                                          \
            0.502f, 0.502f, 0.502f                                 \
        }                                                          \
    }

static const jsni_weight_preset presets[] = {
    LITE("efficientnet-lite0", 224),
    LITE("efficientnet-lite1", 240),
    LITE("efficientnet-lite2", 260),
    LITE("efficientnet-lite3", 280),
    LITE("efficientnet-lite4", 300),
    /* All others, as torchvision trains them. */
    {"", 0, "resize+centercrop", {0.485f, 0.456f, 0.406f}, {0.229f, 0.224f, 0.225f}},
};

const jsni_weight_preset *jsni_weight_preset_of(const char *network)
{
    const size_t length = strcspn(network, ":");
    for (size_t i = 0; i + 1 < JSNI_COUNT_OF(presets); i++)
        if (strlen(presets[i].network) == length &&
            memcmp(presets[i].network, network, length) == 0)
            return &presets[i];
    return &presets[JSNI_COUNT_OF(presets) - 1];
}
