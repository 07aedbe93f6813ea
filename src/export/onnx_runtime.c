/* export/onnx_runtime.c - see export/onnx_runtime.h.
 *
 * The library gives a table of functions that only ever grows at its end. What is used here
 * has been in it since version 1, at the places below. */
#include "export/onnx_runtime.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "export/onnx.h"

enum place {
    GET_ERROR_MESSAGE = 2,
    CREATE_ENV = 3,
    CREATE_SESSION = 7,
    RUN = 9,
    CREATE_SESSION_OPTIONS = 10,
    CREATE_TENSOR_WITH_DATA = 49,
    GET_TENSOR_DATA = 51,
    CREATE_CPU_MEMORY_INFO = 69,
    RELEASE_ENV = 92,
    RELEASE_STATUS = 93,
    RELEASE_MEMORY_INFO = 94,
    RELEASE_SESSION = 95,
    RELEASE_VALUE = 96,
    RELEASE_SESSION_OPTIONS = 100
};

enum { API_VERSION = 1, LOG_ERRORS = 3, ARENA = 1, DEFAULT_MEMORY = 0, UINT8 = 2 };

typedef void (*function)(void);
typedef struct table {
    function at[RELEASE_SESSION_OPTIONS + 1];
} table;
typedef struct base {
    const table *(*get_api)(uint32_t version);
    const char *(*get_version)(void);
} base;

/* Everything that can fail returns NULL or a status, which is the caller's. */
typedef void *(*create_env_fn)(int log, const char *id, void **out);
typedef void *(*create_options_fn)(void **out);
typedef void *(*create_session_fn)(const void *env, const char *model,
                                   const void *options, void **out);
typedef void *(*create_memory_fn)(int allocator, int type, void **out);
typedef void *(*create_tensor_fn)(const void *memory, void *data, size_t bytes,
                                  const int64_t *shape, size_t rank, int type,
                                  void **out);
typedef void *(*run_fn)(void *session, const void *options, const char *const *inputs,
                        const void *const *values, size_t input_count,
                        const char *const *outputs, size_t output_count,
                        void **results);
typedef void *(*get_data_fn)(void *value, void **out);
typedef const char *(*get_message_fn)(const void *status);
typedef void (*release_fn)(void *object);

struct jsni_onnx_runtime {
    void *library;
    const base *root;
    const table *api;
    void *env, *options, *session, *memory;
};

static void release(const jsni_onnx_runtime *r, enum place place, void *object)
{
    if (object != NULL)
        ((release_fn)r->api->at[place])(object);
}

/* A status of the library as one of ours. */
static jsn_status judge(const jsni_onnx_runtime *r, void *status)
{
    if (status == NULL)
        return JSN_OK;
    const jsn_status failed =
        jsni_fail(JSN_ERR_DATA, "ONNX Runtime: %s",
                  ((get_message_fn)r->api->at[GET_ERROR_MESSAGE])(status));
    release(r, RELEASE_STATUS, status);
    return failed;
}

static jsn_status find_library(jsni_onnx_runtime *r)
{
    static const char *const names[] = {"libonnxruntime.so", "libonnxruntime.so.1"};
    const char *own = getenv("JENSEN_ONNXRUNTIME");
    if (own != NULL && own[0] != '\0') {
        r->library = dlopen(own, RTLD_NOW | RTLD_LOCAL);
        if (r->library == NULL)
            return jsni_fail(JSN_ERR_UNSUPPORTED, "JENSEN_ONNXRUNTIME: %s", dlerror());
    }
    for (size_t i = 0; r->library == NULL && i < sizeof names / sizeof names[0]; i++)
        r->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (r->library == NULL)
        return jsni_fail(JSN_ERR_UNSUPPORTED,
                         "there is no libonnxruntime.so here; install ONNX Runtime, or "
                         "name its library: JENSEN_ONNXRUNTIME=FILE");
    const base *(*get_base)(void) = NULL;
    void *symbol = dlsym(r->library, "OrtGetApiBase");
    memcpy(&get_base, &symbol, sizeof get_base); /* a pointer to a function */
    r->root = get_base == NULL ? NULL : get_base();
    r->api = r->root == NULL ? NULL : r->root->get_api(API_VERSION);
    return r->api != NULL
               ? JSN_OK
               : jsni_fail(JSN_ERR_UNSUPPORTED,
                           "libonnxruntime.so is not ONNX Runtime's library");
}

static jsn_status load(jsni_onnx_runtime *r, const char *model)
{
    const function *at = r->api->at;
    JSNI_TRY(judge(r, ((create_env_fn)at[CREATE_ENV])(LOG_ERRORS, "jensen", &r->env)));
    JSNI_TRY(judge(r, ((create_options_fn)at[CREATE_SESSION_OPTIONS])(&r->options)));
    JSNI_TRY(judge(r, ((create_session_fn)at[CREATE_SESSION])(r->env, model, r->options,
                                                              &r->session)));
    return judge(r, ((create_memory_fn)at[CREATE_CPU_MEMORY_INFO])(
                        ARENA, DEFAULT_MEMORY, &r->memory));
}

jsn_status jsni_onnx_runtime_open(jsni_onnx_runtime **out, const char *model)
{
    jsni_onnx_runtime *r = jsni_alloc_zero(1, sizeof *r);
    *out = NULL;
    JSNI_TRY_ALLOC(r);
    jsn_status status = find_library(r);
    if (status == JSN_OK)
        status = load(r, model);
    if (status == JSN_OK)
        *out = r;
    else
        jsni_onnx_runtime_close(r);
    return status;
}

/* The library stays loaded: its threads may still be on their way out. */
void jsni_onnx_runtime_close(jsni_onnx_runtime *r)
{
    if (r != NULL && r->api != NULL) {
        release(r, RELEASE_MEMORY_INFO, r->memory);
        release(r, RELEASE_SESSION, r->session);
        release(r, RELEASE_SESSION_OPTIONS, r->options);
        release(r, RELEASE_ENV, r->env);
    }
    jsni_free(r);
}

const char *jsni_onnx_runtime_version(const jsni_onnx_runtime *r)
{
    return r->root->get_version();
}

jsn_status jsni_onnx_runtime_run(jsni_onnx_runtime *r, const jsn_image *image,
                                 float *probabilities, size_t classes)
{
    static const char *const input = JSNI_ONNX_IMAGE, *const output = "probabilities";
    const function *at = r->api->at;
    const int64_t shape[] = {1, (int64_t)image->height, (int64_t)image->width, 3};
    void *value = NULL, *result = NULL, *data = NULL;
    jsn_status status =
        judge(r, ((create_tensor_fn)at[CREATE_TENSOR_WITH_DATA])(
                     r->memory, image->data, image->height * image->width * 3, shape, 4,
                     UINT8, &value));
    const void *const values[] = {value};
    if (status == JSN_OK)
        status = judge(r, ((run_fn)at[RUN])(r->session, NULL, &input, values, 1,
                                            &output, 1, &result));
    if (status == JSN_OK)
        status = judge(r, ((get_data_fn)at[GET_TENSOR_DATA])(result, &data));
    if (status == JSN_OK)
        memcpy(probabilities, data, classes * sizeof *probabilities);
    release(r, RELEASE_VALUE, result);
    release(r, RELEASE_VALUE, value);
    return status;
}
