/* Fuzz target: specs. Numbers that are accepted lie within their bounds.
 * covers: core/spec.c */
#include "fuzz/fuzz.h"

#include <string.h>

#include "core/alloc.h"
#include "core/spec.h"

static const jsn_param_info params[] = {
    {"pi1", "", 0.5, 0.0, 1.0, JSN_PARAM_REAL},
    {"at", "", 0.0, 0.0, 1000.0, JSN_PARAM_REALS},
    {"path", "", 0.0, 0.0, 0.0, JSN_PARAM_POSITIONAL},
    {"split", "", 0.0, 0.0, 0.0, JSN_PARAM_TEXT},
};
enum { PI1, AT, PATH, SPLIT, COUNT };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    jsni_spec_value v[COUNT];
    double reals[JSNI_SPEC_MAX_REALS];
    size_t count = 0;
    char *text = jsni_alloc(size + 1, 1);
    FUZZ_CHECK(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    const jsn_status status = jsni_spec_values(text, params, COUNT, v);
    FUZZ_CHECK(status == JSN_OK || status == JSN_ERR_ARGUMENT ||
               status == JSN_ERR_RANGE || status == JSN_ERR_UNKNOWN_NAME);
    if (status == JSN_OK) {
        FUZZ_CHECK(v[PI1].real >= 0.0 && v[PI1].real <= 1.0);
        if (v[AT].given) {
            jsni_spec_reals(&v[AT], reals, &count);
            FUZZ_CHECK(count >= 1 && count <= JSNI_SPEC_MAX_REALS);
            for (size_t i = 0; i < count; i++)
                FUZZ_CHECK(reals[i] >= 0.0 && reals[i] <= 1000.0);
        }
        for (size_t i = PATH; i < COUNT; i++) {
            char *copy = NULL;
            FUZZ_CHECK(jsni_spec_text(&v[i], &copy) == JSN_OK);
            FUZZ_CHECK((copy != NULL) == v[i].given);
            jsni_free(copy);
        }
    }
    (void)jsni_spec_names(text, "gjs");
    jsni_free(text);
    return 0;
}
