/* weights/weight_names.c - see weight_names.h. */
#include "weights/weight_names.h"

#include <stdio.h>
#include <string.h>

#include "core/hd.h"

typedef struct row {
    const char *from, *to; /* beginnings of names */
} row;

/* timm's EfficientNet-Lite. Its blocks are counted within stages, blocks.STAGE.BLOCK, and
 * the first stage has no expansion. */
static const row timm_lite[] = {
    {"conv_stem.", "_conv_stem."}, {"bn1.", "_bn0."},
    {"conv_head.", "_conv_head."}, {"bn2.", "_bn1."},
    {"classifier.", "_fc."},
};
static const row timm_block[] = {
    {"conv_pw.", "_expand_conv."},    {"bn1.", "_bn0."},
    {"conv_dw.", "_depthwise_conv."}, {"bn2.", "_bn1."},
    {"conv_pwl.", "_project_conv."},  {"bn3.", "_bn2."},
};
static const row timm_first_block[] = {
    {"conv_dw.", "_depthwise_conv."},
    {"bn1.", "_bn1."},
    {"conv_pw.", "_project_conv."},
    {"bn2.", "_bn2."},
};

/* The name with its beginning replaced; false: no row has it. */
static bool replace(const row *rows, size_t count, const char *before, const char *name,
                    char out[JSNI_WEIGHT_NAME])
{
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(rows[i].from);
        if (strncmp(name, rows[i].from, length) == 0)
            return snprintf(out, JSNI_WEIGHT_NAME, "%s%s%s", before, rows[i].to,
                            name + length) < JSNI_WEIGHT_NAME;
    }
    return false;
}

/* How many blocks the stages before `stage` have. */
static unsigned blocks_before(const jsni_safetensors *file, unsigned stage)
{
    unsigned count = 0;
    for (unsigned s = 0; s < stage; s++)
        for (unsigned b = 0;; b++, count++) {
            char name[JSNI_WEIGHT_NAME];
            (void)snprintf(name, sizeof name, "blocks.%u.%u.conv_dw.weight", s, b);
            if (jsni_safetensors_find(file, name) == NULL)
                break;
        }
    return count;
}

static bool timm_name(const jsni_safetensors *file, const char *name,
                      char out[JSNI_WEIGHT_NAME])
{
    unsigned stage = 0, block = 0;
    int used = 0;
    char before[40];
    if (sscanf(name, "blocks.%2u.%2u.%n", &stage, &block, &used) < 2 || used == 0)
        return replace(timm_lite, JSNI_COUNT_OF(timm_lite), "", name, out);
    (void)snprintf(before, sizeof before, "_blocks.%u.",
                   blocks_before(file, stage) + block);
    return stage == 0 ? replace(timm_first_block, JSNI_COUNT_OF(timm_first_block),
                                before, name + used, out)
                      : replace(timm_block, JSNI_COUNT_OF(timm_block), before,
                                name + used, out);
}

bool jsni_weight_name(const jsni_safetensors *file, size_t index,
                      char out[JSNI_WEIGHT_NAME])
{
    const char *name = jsni_safetensors_at(file, index)->name;
    const bool timm = jsni_safetensors_find(file, "conv_stem.weight") != NULL &&
                      jsni_safetensors_find(file, "blocks.0.0.conv_dw.weight") != NULL;
    if (timm && timm_name(file, name, out))
        return true;
    return snprintf(out, JSNI_WEIGHT_NAME, "%s", name) < JSNI_WEIGHT_NAME;
}
