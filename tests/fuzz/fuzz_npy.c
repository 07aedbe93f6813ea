/* Fuzz target: .npy. What is read has elements that can be touched.
 * covers: format/npy.c */
#include "fuzz/fuzz.h"

#include <string.h>

#include "format/dtype.h"
#include "format/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    jsn_array array, copy;
    const jsn_status status = jsni_npy_parse(&array, "fuzz", data, size);
    FUZZ_CHECK(status == JSN_OK || status == JSN_ERR_DATA);
    FUZZ_CHECK(status == JSN_OK || array.data == NULL);
    if (status == JSN_OK) {
        FUZZ_CHECK(jsn_array_convert(&copy, &array, array.dtype) == JSN_OK);
        FUZZ_CHECK(memcmp(copy.data, array.data, jsni_array_bytes(&array)) == 0);
        jsn_array_release(&copy);
        FUZZ_CHECK(jsn_array_convert(&copy, &array, JSN_DTYPE_FLOAT64) == JSN_OK);
        jsn_array_release(&copy);
        const jsn_status whole = jsn_array_convert(&copy, &array, JSN_DTYPE_INT32);
        FUZZ_CHECK(whole == JSN_OK || whole == JSN_ERR_RANGE);
        jsn_array_release(&copy);
    }
    jsn_array_release(&array);
    return 0;
}
