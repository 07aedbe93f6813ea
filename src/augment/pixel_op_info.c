/* augment/pixel_op_info.c - the names and ranges of the operations, and one operation by its
 * name. */
#include <math.h>
#include <stdio.h>

#include "augment/pixel_op.h"
#include "core/fail.h"
#include "core/names.h"
#include "jensen/augment.h"

/* In the order of jsni_pixel_kind, then other names of some. */
static const jsn_operation_info infos[] = {
    {"AutoContrast", 0, 1, 1, 0},
    {"Equalize", 0, 1, 1, 0},
    {"Invert", 0, 1, 1, 0},
    {"Rotate", 0, 30, 1, 1},
    {"Posterize", 0, 4, 1, 0},
    {"Solarize", 0, 256, 1, 0},
    {"SolarizeAdd", 0, 110, 1, 0},
    {"Color", 0.1, 1.9, 1, 0},
    {"Contrast", 0.1, 1.9, 1, 0},
    {"Brightness", 0.1, 1.9, 1, 0},
    {"Sharpness", 0.1, 1.9, 1, 0},
    {"ShearX", 0, 0.3, 1, 1},
    {"ShearY", 0, 0.3, 1, 1},
    {"CutoutAbs", 0, 40, 1, 0},
    {"TranslateXabs", 0, 100, 1, 1},
    {"TranslateYabs", 0, 100, 1, 1},
    {"Hue", 0, 0, 0, 0},
    {"Flip", 0, 0, 0, 0},
    {"Gray", 0, 0, 0, 0},
    {"HSV", 0, 0, 0, 0},
    {"HSV_and_back", 0, 0, 0, 0},
    {"Smooth", 0, 0, 0, 0},
    {"Saturation", 0, 0, 0, 0},
};

const jsn_operation_info *jsn_operation_describe(size_t index)
{
    return index < JSNI_COUNT_OF(infos) ? &infos[index] : NULL;
}

static bool same_name(const char *a, const char *b)
{
    for (; *a != '\0' && *b != '\0'; a++, b++) {
        const int x = *a >= 'A' && *a <= 'Z' ? *a - 'A' + 'a' : *a;
        const int y = *b >= 'A' && *b <= 'Z' ? *b - 'A' + 'a' : *b;
        if (x != y)
            return false;
    }
    return *a == *b;
}

static jsn_status find_kind(const char *name, int *kind)
{
    jsni_names names;
    jsni_names_begin(&names, name, NULL);
    for (size_t i = 0; i < JSNI_COUNT_OF(infos); i++) {
        if (same_name(name, infos[i].name)) {
            *kind = i == JSNI_PIXEL_COUNT ? JSNI_PIXEL_COLOR : (int)i;
            return JSN_OK;
        }
        jsni_names_add(&names, infos[i].name);
    }
    return jsni_names_fail(&names, JSN_ERR_UNKNOWN_NAME, "no operation '%s'", name);
}

jsn_status jsn_augment_operation(const jsn_image *in, const char *name, double value,
                                 double x, double y, jsn_image *out)
{
    if (in == NULL || name == NULL || out == NULL || in->data == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "operation: NULL argument");
    int kind = 0;
    JSNI_TRY(find_kind(name, &kind));
    if (!(fabs(value) <= 1e6) || !(fabs(x) <= 1e6) || !(fabs(y) <= 1e6))
        return jsni_fail(JSN_ERR_RANGE, "%s: value %g at %g,%g is beyond +-1e6",
                         infos[kind].name, value, x, y);
    JSNI_TRY(jsn_image_create(out, in->width, in->height));
    jsni_pixel_op op;
    jsni_pixel_op_resolve(&op, kind, value, 1, in->width, in->height, x, y);
    jsni_pixel_op_run(&op, in->data, out->data, in->width, in->height);
    return JSN_OK;
}
