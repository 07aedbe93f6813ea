/* format/array.c - arrays in memory: creation and conversion; see jensen/array.h. */
#include "jensen/array.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "format/dtype.h"
#include "format/half.h"

#define NAME(code, name, size) name,
static const char *const names[] = {JSN_DTYPE_LIST(NAME)};
#undef NAME
#define SIZE(code, name, size) size,
static const size_t sizes[] = {JSN_DTYPE_LIST(SIZE)};
#undef SIZE

static bool known(jsn_dtype dtype)
{
    return (unsigned)dtype < JSN_DTYPE_COUNT;
}

const char *jsn_dtype_name(jsn_dtype dtype)
{
    return known(dtype) ? names[dtype] : "unknown";
}

size_t jsni_dtype_size(jsn_dtype dtype)
{
    return known(dtype) ? sizes[dtype] : 0;
}

jsn_status jsn_array_create(jsn_array *out, jsn_dtype dtype, size_t rank,
                            const size_t *shape)
{
    JSNI_NEED(out);
    if (rank > 0)
        JSNI_NEED(shape);
    *out = (jsn_array){0};
    if (!known(dtype))
        return jsni_fail(JSN_ERR_ARGUMENT, "there is no dtype number %d", (int)dtype);
    if (rank > JSN_ARRAY_MAX_RANK)
        return jsni_fail(JSN_ERR_RANGE, "rank %zu is above %d", rank,
                         JSN_ARRAY_MAX_RANK);
    jsn_array array = {.dtype = dtype, .rank = rank};
    /* Extents of 0 are left out of the overflow check: (huge, huge, 0) is refused, too,
     * so that no product of a part of the shape can overflow later. */
    size_t room = SIZE_MAX / 2 / sizes[dtype];
    for (size_t i = 0; i < rank; i++) {
        array.shape[i] = shape[i];
        if (shape[i] > room)
            return jsni_fail(JSN_ERR_RANGE,
                             "the shape needs more memory than there is");
        if (shape[i] != 0)
            room /= shape[i];
    }
    array.data = jsni_alloc_zero(jsn_array_count(&array), sizes[dtype]);
    JSNI_TRY_ALLOC(array.data);
    *out = array;
    return JSN_OK;
}

void jsn_array_release(jsn_array *array)
{
    if (array == NULL)
        return;
    jsni_free(array->data);
    *array = (jsn_array){0};
}

size_t jsn_array_count(const jsn_array *array)
{
    if (array == NULL)
        return 0;
    size_t count = 1;
    for (size_t i = 0; i < array->rank; i++)
        count *= array->shape[i];
    return count;
}

size_t jsni_array_bytes(const jsn_array *array)
{
    if (array == NULL)
        return 0;
    return jsn_array_count(array) * jsni_dtype_size(array->dtype);
}

/* A number of any dtype without loss: integers in `whole` (uint64 above INT64_MAX in
 * `large`), the others in `real`. */
typedef struct element {
    enum { WHOLE, LARGE, REAL } kind;
    int64_t whole;
    uint64_t large;
    double real;
} element;

static element load(const jsn_array *array, size_t i)
{
    element e = {.kind = WHOLE};
    switch (array->dtype) {
    case JSN_DTYPE_BOOL:
    case JSN_DTYPE_UINT8:
        e.whole = ((const uint8_t *)array->data)[i];
        break;
    case JSN_DTYPE_INT8:
        e.whole = ((const int8_t *)array->data)[i];
        break;
    case JSN_DTYPE_INT16:
        e.whole = ((const int16_t *)array->data)[i];
        break;
    case JSN_DTYPE_UINT16:
        e.whole = ((const uint16_t *)array->data)[i];
        break;
    case JSN_DTYPE_INT32:
        e.whole = ((const int32_t *)array->data)[i];
        break;
    case JSN_DTYPE_UINT32:
        e.whole = ((const uint32_t *)array->data)[i];
        break;
    case JSN_DTYPE_INT64:
        e.whole = ((const int64_t *)array->data)[i];
        break;
    case JSN_DTYPE_UINT64:
        e.large = ((const uint64_t *)array->data)[i];
        e.whole = (int64_t)(e.large & INT64_MAX);
        e.kind = e.large > INT64_MAX ? LARGE : WHOLE;
        break;
    case JSN_DTYPE_FLOAT16:
        e = (element){.kind = REAL,
                      .real = jsni_half_value(((const uint16_t *)array->data)[i])};
        break;
    case JSN_DTYPE_BFLOAT16:
        e = (element){.kind = REAL,
                      .real = jsni_bfloat_value(((const uint16_t *)array->data)[i])};
        break;
    case JSN_DTYPE_FLOAT32:
        e = (element){.kind = REAL, .real = ((const float *)array->data)[i]};
        break;
    case JSN_DTYPE_FLOAT64:
    case JSN_DTYPE_COUNT:
        e = (element){.kind = REAL, .real = ((const double *)array->data)[i]};
        break;
    }
    return e;
}

static double as_real(element e)
{
    return e.kind == REAL    ? e.real
           : e.kind == LARGE ? (double)e.large
                             : (double)e.whole;
}

/* Whether `e` is a whole number that int64_t holds; it is then in e->whole. */
static bool make_whole(element *e)
{
    if (e->kind == LARGE)
        return false;
    if (e->kind == REAL) {
        /* -2^63 is a double, 2^63 - 1 is not: hence >= and <. NaN fails both. */
        if (!(e->real >= -9223372036854775808.0 && e->real < 9223372036854775808.0) ||
            e->real != floor(e->real))
            return false;
        *e = (element){.kind = WHOLE, .whole = (int64_t)e->real};
    }
    return true;
}

static bool store_int(jsn_array *array, size_t i, element e)
{
    if (array->dtype == JSN_DTYPE_UINT64) {
        if (e.kind == REAL && e.real >= 9223372036854775808.0 &&
            e.real < 18446744073709551616.0)
            e = (element){.kind = LARGE, .large = (uint64_t)e.real};
        if (e.kind != LARGE) {
            if (!make_whole(&e) || e.whole < 0)
                return false;
            e.large = (uint64_t)e.whole;
        }
        ((uint64_t *)array->data)[i] = e.large;
        return true;
    }
    if (!make_whole(&e))
        return false;
#define STORE(code, type, lowest, highest)             \
    case code:                                         \
        if (e.whole < (lowest) || e.whole > (highest)) \
            return false;                              \
        ((type *)array->data)[i] = (type)e.whole;      \
        return true;
    switch (array->dtype) {
        STORE(JSN_DTYPE_BOOL, uint8_t, 0, 1)
        STORE(JSN_DTYPE_INT8, int8_t, INT8_MIN, INT8_MAX)
        STORE(JSN_DTYPE_UINT8, uint8_t, 0, UINT8_MAX)
        STORE(JSN_DTYPE_INT16, int16_t, INT16_MIN, INT16_MAX)
        STORE(JSN_DTYPE_UINT16, uint16_t, 0, UINT16_MAX)
        STORE(JSN_DTYPE_INT32, int32_t, INT32_MIN, INT32_MAX)
        STORE(JSN_DTYPE_UINT32, uint32_t, 0, UINT32_MAX)
        STORE(JSN_DTYPE_INT64, int64_t, INT64_MIN, INT64_MAX)
    default:
        return false;
    }
#undef STORE
}

static bool store(jsn_array *array, size_t i, element e)
{
    switch (array->dtype) {
    case JSN_DTYPE_FLOAT64:
        ((double *)array->data)[i] = as_real(e);
        return true;
    case JSN_DTYPE_FLOAT32:
        ((float *)array->data)[i] = (float)as_real(e);
        return true;
    case JSN_DTYPE_FLOAT16:
        ((uint16_t *)array->data)[i] = jsni_half_round(as_real(e));
        return true;
    case JSN_DTYPE_BFLOAT16:
        ((uint16_t *)array->data)[i] = jsni_bfloat_round(as_real(e));
        return true;
    default:
        return store_int(array, i, e);
    }
}

jsn_status jsn_array_convert(jsn_array *out, const jsn_array *in, jsn_dtype dtype)
{
    JSNI_NEED(out);
    JSNI_NEED(in);
    JSNI_TRY(jsn_array_create(out, dtype, in->rank, in->shape));
    const size_t count = jsn_array_count(in);
    if (in->dtype == dtype) {
        memcpy(out->data, in->data, jsni_array_bytes(in));
        return JSN_OK;
    }
    for (size_t i = 0; i < count; i++) {
        const element e = load(in, i);
        if (!store(out, i, e)) {
            jsn_array_release(out);
            return jsni_fail(JSN_ERR_RANGE, "element %zu is %.17g, which is no %s", i,
                             as_real(e), jsn_dtype_name(dtype));
        }
    }
    return JSN_OK;
}
