/* augment/pixel_op_info.c - the table of the operations, and one operation by its name.
 * Knows none itself. */
#include <math.h>
#include <stdio.h>

#include "augment/operation.h"
#include "augment/operation_list.h"
#include "augment/pixel_op.h"
#include "core/fail.h"
#include "core/names.h"
#include "jensen/augment.h"

#define TABLE_DECLARE(id) extern const jsni_operation jsni_operation_##id;
JSNI_OPERATION_LIST(TABLE_DECLARE)
#undef TABLE_DECLARE

/* In the order of jsni_operation_kind. */
#define TABLE_ENTRY(id) &jsni_operation_##id,
static const jsni_operation *const table[] = {JSNI_OPERATION_LIST(TABLE_ENTRY)};
#undef TABLE_ENTRY

const jsni_operation *jsni_operation_at(size_t kind)
{
    return kind < JSNI_COUNT_OF(table) ? table[kind] : NULL;
}

const jsn_operation_info *jsn_operation_describe(size_t index)
{
    return index < JSNI_COUNT_OF(table) ? &table[index]->info : NULL;
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
    for (size_t i = 0; i < JSNI_COUNT_OF(table); i++) {
        if (same_name(name, table[i]->info.name)) {
            *kind = (int)i;
            return JSN_OK;
        }
        jsni_names_add(&names, table[i]->info.name);
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
                         table[kind]->info.name, value, x, y);
    JSNI_TRY(jsn_image_create(out, in->width, in->height));
    jsni_pixel_op op;
    jsni_pixel_op_resolve(&op, kind, value, 1, in->width, in->height, x, y);
    jsni_pixel_op_run(&op, in->data, out->data, in->width, in->height);
    return JSN_OK;
}
