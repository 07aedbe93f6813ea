/* export/onnx_runtime.c - see export/onnx_runtime.h.
 *
 * The library gives a table of functions that only ever grows at its end. What is used here
 * has been in it since version 1, at the places below. */
#include "export/onnx_runtime.h"

#include <stdint.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/machine.h"
#include "export/onnx.h"

enum place {
    GET_ERROR_MESSAGE = 2,
    CREATE_ENV = 3,
    CREATE_SESSION = 7,
    RUN = 9,
    CREATE_SESSION_OPTIONS = 10,
    GET_INPUT_NAME = 36,
    CREATE_TENSOR_WITH_DATA = 49,
    GET_TENSOR_DATA = 51,
    GET_ELEMENT_TYPE = 60,
    GET_ELEMENT_COUNT = 64,
    GET_SHAPE = 65,
    CREATE_CPU_MEMORY_INFO = 69,
    ALLOCATOR_FREE = 76,
    GET_DEFAULT_ALLOCATOR = 78,
    RELEASE_ENV = 92,
    RELEASE_STATUS = 93,
    RELEASE_MEMORY_INFO = 94,
    RELEASE_SESSION = 95,
    RELEASE_VALUE = 96,
    RELEASE_SHAPE = 99,
    RELEASE_SESSION_OPTIONS = 100
};

enum { LOG_ERRORS = 3, ARENA = 1, DEFAULT_MEMORY = 0 };
enum { FLOAT = 1, UINT8 = 2 }; /* types of elements */

typedef void (*function)(void);
typedef struct table {
    function at[RELEASE_SESSION_OPTIONS + 1];
} table;

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
typedef void *(*get_shape_fn)(const void *value, void **out);
typedef void *(*get_type_fn)(const void *shape, int *out);
typedef void *(*get_count_fn)(const void *shape, size_t *out);
typedef void *(*get_allocator_fn)(void **out); /* it stays the library's */
typedef void *(*get_name_fn)(const void *session, size_t index, void *allocator,
                             char **out);
typedef void *(*free_fn)(void *allocator, void *memory);
typedef const char *(*get_message_fn)(const void *status);
typedef void (*release_fn)(void *object);

struct jsni_onnx_runtime {
    const char *version; /* the library's */
    const table *api;
    void *env, *options, *session, *memory;
    bool raw; /* the model takes a normalised batch */
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

/* Whether the model takes images or what they become: by the name of its input. */
static jsn_status find_input(jsni_onnx_runtime *r)
{
    const function *at = r->api->at;
    void *allocator = NULL;
    char *name = NULL;
    JSNI_TRY(judge(r, ((get_allocator_fn)at[GET_DEFAULT_ALLOCATOR])(&allocator)));
    JSNI_TRY(
        judge(r, ((get_name_fn)at[GET_INPUT_NAME])(r->session, 0, allocator, &name)));
    r->raw = strcmp(name, JSNI_ONNX_BATCH) == 0;
    return judge(r, ((free_fn)at[ALLOCATOR_FREE])(allocator, name));
}

static jsn_status load(jsni_onnx_runtime *r, const char *model)
{
    const function *at = r->api->at;
    JSNI_TRY(judge(r, ((create_env_fn)at[CREATE_ENV])(LOG_ERRORS, "jensen", &r->env)));
    JSNI_TRY(judge(r, ((create_options_fn)at[CREATE_SESSION_OPTIONS])(&r->options)));
    JSNI_TRY(judge(r, ((create_session_fn)at[CREATE_SESSION])(r->env, model, r->options,
                                                              &r->session)));
    JSNI_TRY(judge(r, ((create_memory_fn)at[CREATE_CPU_MEMORY_INFO])(
                          ARENA, DEFAULT_MEMORY, &r->memory)));
    return find_input(r);
}

jsn_status jsni_onnx_runtime_open(jsni_onnx_runtime **out, const char *model)
{
    jsni_onnx_runtime *r = jsni_alloc_zero(1, sizeof *r);
    *out = NULL;
    JSNI_TRY_ALLOC(r);
    jsni_onnx_library library;
    jsn_status status = jsni_onnx_library_find(&library);
    r->version = library.version;
    r->api = library.api;
    if (status == JSN_OK)
        status = load(r, model);
    if (status == JSN_OK)
        *out = r;
    else
        jsni_onnx_runtime_close(r);
    return status;
}

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
    return r->version;
}

bool jsni_onnx_runtime_raw(const jsni_onnx_runtime *r)
{
    return r->raw;
}

/* A file that somebody else has made may give anything under the name of an output. */
static jsn_status check_output(const jsni_onnx_runtime *r, const void *value,
                               const char *output, size_t classes)
{
    const function *at = r->api->at;
    void *shape = NULL;
    int type = 0;
    size_t count = 0;
    JSNI_TRY(judge(r, ((get_shape_fn)at[GET_SHAPE])(value, &shape)));
    jsn_status status = judge(r, ((get_type_fn)at[GET_ELEMENT_TYPE])(shape, &type));
    if (status == JSN_OK)
        status = judge(r, ((get_count_fn)at[GET_ELEMENT_COUNT])(shape, &count));
    release(r, RELEASE_SHAPE, shape);
    if (status == JSN_OK && (type != FLOAT || count != classes))
        status = jsni_fail(JSN_ERR_DATA,
                           "the model's output '%s' is not %zu numbers of float32, so "
                           "it is no model of this run",
                           output, classes);
    return status;
}

/* One tensor through the model, and the first `classes` numbers of an output. */
static jsn_status evaluate(jsni_onnx_runtime *r, void *tensor, size_t bytes,
                           const int64_t shape[4], const char *output, float *numbers,
                           size_t classes)
{
    const char *const input = r->raw ? JSNI_ONNX_BATCH : JSNI_ONNX_IMAGE;
    const function *at = r->api->at;
    void *value = NULL, *result = NULL, *data = NULL;
    jsn_status status = judge(
        r, ((create_tensor_fn)at[CREATE_TENSOR_WITH_DATA])(
               r->memory, tensor, bytes, shape, 4, r->raw ? FLOAT : UINT8, &value));
    const void *const values[] = {value};
    if (status == JSN_OK)
        status = judge(r, ((run_fn)at[RUN])(r->session, NULL, &input, values, 1,
                                            &output, 1, &result));
    if (status == JSN_OK)
        status = check_output(r, result, output, classes);
    if (status == JSN_OK)
        status = judge(r, ((get_data_fn)at[GET_TENSOR_DATA])(result, &data));
    if (status == JSN_OK)
        memcpy(numbers, data, classes * sizeof *numbers);
    release(r, RELEASE_VALUE, result);
    release(r, RELEASE_VALUE, value);
    return status;
}

jsn_status jsni_onnx_runtime_run(jsni_onnx_runtime *r, const jsn_image *image,
                                 float *probabilities, size_t classes)
{
    const int64_t shape[] = {1, (int64_t)image->height, (int64_t)image->width, 3};
    return evaluate(r, image->data, image->height * image->width * 3, shape,
                    "probabilities", probabilities, classes);
}

jsn_status jsni_onnx_runtime_run_raw(jsni_onnx_runtime *r, float *batch, size_t size,
                                     float *logits, size_t classes)
{
    const int64_t shape[] = {1, 3, (int64_t)size, (int64_t)size};
    return evaluate(r, batch, 3 * size * size * sizeof *batch, shape, "logits", logits,
                    classes);
}
