/* weights/weight_names.c - see weight_names.h. */
#include "weights/weight_names.h"

#include <stdio.h>
#include <string.h>

#include "core/hd.h"

typedef struct row {
    const char *from, *to; /* beginnings of names */
} row;

/* timm has the same names for EfficientNet-Lite and for MobileNetV2. Their blocks are counted
 * within stages, blocks.STAGE.BLOCK, and the first one has no expansion. Those of
 * EfficientNet-Lite are called as in efficientnet_lite_pytorch here, those of MobileNetV2 as
 * in torchvision. */
static const row lite_rows[] = {
    {"conv_stem.", "_conv_stem."}, {"bn1.", "_bn0."},
    {"conv_head.", "_conv_head."}, {"bn2.", "_bn1."},
    {"classifier.", "_fc."},
};
static const row lite_block[] = {
    {"conv_pw.", "_expand_conv."},    {"bn1.", "_bn0."},
    {"conv_dw.", "_depthwise_conv."}, {"bn2.", "_bn1."},
    {"conv_pwl.", "_project_conv."},  {"bn3.", "_bn2."},
};
static const row lite_first_block[] = {
    {"conv_dw.", "_depthwise_conv."},
    {"bn1.", "_bn1."},
    {"conv_pw.", "_project_conv."},
    {"bn2.", "_bn2."},
};
static const row mobile_rows[] = {
    {"conv_stem.", "features.0.0."},  {"bn1.", "features.0.1."},
    {"conv_head.", "features.18.0."}, {"bn2.", "features.18.1."},
    {"classifier.", "classifier.1."},
};
static const row mobile_block[] = {
    {"conv_pw.", "conv.0.0."}, {"bn1.", "conv.0.1."},    {"conv_dw.", "conv.1.0."},
    {"bn2.", "conv.1.1."},     {"conv_pwl.", "conv.2."}, {"bn3.", "conv.3."},
};
static const row mobile_first_block[] = {
    {"conv_dw.", "conv.0.0."},
    {"bn1.", "conv.0.1."},
    {"conv_pw.", "conv.1."},
    {"bn2.", "conv.2."},
};

typedef struct family {
    const row *rows, *block, *first_block;
    size_t row_count, block_count, first_count;
    const char *blocks; /* what the name of a block begins with */
    unsigned from;      /* the number of the first one */
} family;

#define ROWS_OF(name)                                                          \
    name##_rows, name##_block, name##_first_block, JSNI_COUNT_OF(name##_rows), \
        JSNI_COUNT_OF(name##_block), JSNI_COUNT_OF(name##_first_block)
static const family lite = {ROWS_OF(lite), "_blocks", 0};
static const family mobile = {ROWS_OF(mobile), "features", 1};
#undef ROWS_OF

/* PLC's ResNet (Zhang et al., "Learning with feature-dependent label noise", 2021), whose
 * head is two linear layers. */
static const row plc_head[] = {{"myfc.", "fc.0."}, {"myfc2.", "fc.1."}};

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

static bool timm_name(const jsni_safetensors *file, const family *f, const char *name,
                      char out[JSNI_WEIGHT_NAME])
{
    unsigned stage = 0, block = 0;
    int used = 0;
    char before[40];
    if (sscanf(name, "blocks.%2u.%2u.%n", &stage, &block, &used) < 2 || used == 0)
        return replace(f->rows, f->row_count, "", name, out);
    (void)snprintf(before, sizeof before, "%s.%u.", f->blocks,
                   f->from + blocks_before(file, stage) + block);
    return stage == 0
               ? replace(f->first_block, f->first_count, before, name + used, out)
               : replace(f->block, f->block_count, before, name + used, out);
}

/* Which of the two a file of timm holds: all windows of MobileNetV2 are 3 x 3, the third
 * stage of EfficientNet-Lite has 5 x 5. NULL: it is none of timm's. */
static const family *timm_family(const jsni_safetensors *file)
{
    const jsni_safetensor *third =
        jsni_safetensors_find(file, "blocks.2.0.conv_dw.weight");
    if (third == NULL || third->rank != 4 ||
        jsni_safetensors_find(file, "conv_stem.weight") == NULL)
        return NULL;
    return third->shape[2] == 3 ? &mobile : &lite;
}

bool jsni_weight_names_of_timm_lite(const jsni_safetensors *file)
{
    return timm_family(file) == &lite;
}

bool jsni_weight_name(const jsni_safetensors *file, size_t index,
                      char out[JSNI_WEIGHT_NAME])
{
    const char *name = jsni_safetensors_at(file, index)->name;
    const family *timm = timm_family(file);
    if (timm != NULL && timm_name(file, timm, name, out))
        return true;
    if (jsni_safetensors_find(file, "myfc2.weight") != NULL &&
        replace(plc_head, JSNI_COUNT_OF(plc_head), "", name, out))
        return true;
    return snprintf(out, JSNI_WEIGHT_NAME, "%s", name) < JSNI_WEIGHT_NAME;
}
