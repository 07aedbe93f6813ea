/* core/machine_onnx.c - finds ONNX Runtime's library, without linking to it; see
 * core/machine.h. */
#include <dlfcn.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/machine.h"
#include "core/text.h"

/* What the library calls OrtApiBase. */
typedef struct base {
    const void *(*get_api)(uint32_t version);
    const char *(*get_version)(void);
} base;

enum { API_VERSION = 1 };

/* The library in the wheel of a Python environment that is active, which is in no place that
 * the loader looks at. */
static void *open_wheel(void)
{
    const char *environment = getenv("VIRTUAL_ENV");
    jsni_text pattern = {0};
    glob_t found = {0};
    void *library = NULL;
    if (environment == NULL || environment[0] == '\0')
        return NULL;
    jsni_text_format(&pattern,
                     "%s/lib/python3*/site-packages/onnxruntime/capi/"
                     "libonnxruntime.so.*",
                     environment);
    if (pattern.status == JSN_OK && glob(pattern.data, 0, NULL, &found) == 0)
        for (size_t i = 0; library == NULL && i < found.gl_pathc; i++)
            library = dlopen(found.gl_pathv[i], RTLD_NOW | RTLD_LOCAL);
    globfree(&found);
    jsni_text_release(&pattern);
    return library;
}

static void *open_library(void)
{
    static const char *const names[] = {"libonnxruntime.so", "libonnxruntime.so.1"};
    void *library = NULL;
    for (size_t i = 0; library == NULL && i < sizeof names / sizeof names[0]; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library != NULL ? library : open_wheel();
}

jsn_status jsni_onnx_library_find(jsni_onnx_library *out)
{
    const char *own = getenv("JENSEN_ONNXRUNTIME");
    const bool named = own != NULL && own[0] != '\0';
    void *library = named ? dlopen(own, RTLD_NOW | RTLD_LOCAL) : open_library();
    *out = (jsni_onnx_library){0};
    if (library == NULL && named)
        return jsni_fail(JSN_ERR_UNSUPPORTED, "JENSEN_ONNXRUNTIME: %s", dlerror());
    if (library == NULL)
        return jsni_fail(JSN_ERR_UNSUPPORTED,
                         "there is no libonnxruntime.so here; install ONNX Runtime, "
                         "activate a Python environment that has onnxruntime, or name "
                         "its library: JENSEN_ONNXRUNTIME=FILE");
    const base *(*get_base)(void) = NULL;
    void *symbol = dlsym(library, "OrtGetApiBase");
    memcpy(&get_base, &symbol, sizeof get_base); /* a pointer to a function */
    const base *root = get_base == NULL ? NULL : get_base();
    const void *api = root == NULL ? NULL : root->get_api(API_VERSION);
    if (api == NULL)
        return jsni_fail(JSN_ERR_UNSUPPORTED,
                         "libonnxruntime.so is not ONNX Runtime's library");
    *out = (jsni_onnx_library){root->get_version(), api};
    return JSN_OK;
}
