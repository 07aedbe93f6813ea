/* native/native_augment.c - jensen._native.Augment: a pipeline for outputs of one size,
 * on a batch of images of one size, by several threads without the interpreter's lock. */
#include "native.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "jensen/augment.h"

enum { MOST_THREADS = 64 };

typedef struct AugmentObject {
    PyObject_HEAD jsn_augment *pipeline;
    size_t entries; /* of an output: 3 x height x width */
} AugmentObject;

/* A batch under work; threads draw its images from a counter. */
typedef struct augment_work {
    const jsn_augment *pipeline;
    const uint8_t *images;  /* [count][height][width][3] */
    const int64_t *indices; /* [count] */
    size_t count, height, width, views, entries;
    jsn_augment_key key; /* of the first view */
    float *out;          /* [views][count][entries] */
    atomic_size_t next;
    atomic_int status; /* the first failure */
    char sentence[512];
} augment_work;

static void note_failure(augment_work *work, jsn_status status)
{
    int none = JSN_OK;
    if (atomic_compare_exchange_strong(&work->status, &none, (int)status))
        (void)PyOS_snprintf(work->sentence, sizeof work->sentence, "%s",
                            jsn_last_error());
}

static jsn_status augment_one(augment_work *work, jsn_augment_scratch *scratch,
                              size_t i)
{
    jsn_image image = {NULL, work->width, work->height};
    /* The library reads it alone. */
    image.data = (uint8_t *)(size_t)(work->images + i * work->height * work->width * 3);
    for (size_t v = 0; v < work->views; v++) {
        jsn_augment_key key = work->key;
        key.sample = (uint32_t)work->indices[i];
        key.view += (uint32_t)v;
        const jsn_status status =
            jsn_augment_apply(work->pipeline, scratch, &image, &key,
                              work->out + (v * work->count + i) * work->entries);
        if (status != JSN_OK)
            return status;
    }
    return JSN_OK;
}

static void *augment_some(void *user)
{
    augment_work *work = user;
    jsn_augment_scratch *scratch = NULL;
    jsn_status status = jsn_augment_scratch_create(&scratch);
    while (status == JSN_OK && atomic_load(&work->status) == JSN_OK) {
        const size_t i = atomic_fetch_add(&work->next, 1);
        if (i >= work->count)
            break;
        status = augment_one(work, scratch, i);
    }
    if (status != JSN_OK)
        note_failure(work, status);
    jsn_augment_scratch_destroy(scratch);
    return NULL;
}

static void augment_all(augment_work *work, size_t threads)
{
    pthread_t others[MOST_THREADS];
    size_t started = 0;
    threads = threads < work->count ? threads : work->count;
    while (started + 1 < threads && started < MOST_THREADS &&
           pthread_create(&others[started], NULL, augment_some, work) == 0)
        started++;
    (void)augment_some(work);
    for (size_t i = 0; i < started; i++)
        (void)pthread_join(others[i], NULL);
}

static bool check_indices(const augment_work *work)
{
    for (size_t i = 0; i < work->count; i++)
        if (work->indices[i] < 0 || work->indices[i] > (int64_t)UINT32_MAX) {
            PyErr_Format(PyExc_ValueError, "index %lld is not in 0..4294967295",
                         (long long)work->indices[i]);
            return false;
        }
    return true;
}

/* apply(images, count, height, width, indices, seed, epoch, view, views, out, threads) */
static PyObject *augment_apply(PyObject *object, PyObject *args)
{
    AugmentObject *self = (AugmentObject *)object;
    PyObject *images_object, *indices_object, *out_object;
    unsigned long long seed;
    unsigned epoch, view;
    Py_ssize_t count, height, width, views, threads;
    if (!PyArg_ParseTuple(args, "OnnnOKIInOn", &images_object, &count, &height, &width,
                          &indices_object, &seed, &epoch, &view, &views, &out_object,
                          &threads))
        return NULL;
    if (count < 0 || height < 1 || width < 1 || views < 1 || views > 65535 ||
        threads < 1 || height > (Py_ssize_t)JSN_IMAGE_MAX_SIDE ||
        width > (Py_ssize_t)JSN_IMAGE_MAX_SIDE || count > (Py_ssize_t)1 << 26) {
        PyErr_SetString(PyExc_ValueError, "augment: a size is out of bounds");
        return NULL;
    }
    augment_work work = {.pipeline = self->pipeline,
                         .count = (size_t)count,
                         .height = (size_t)height,
                         .width = (size_t)width,
                         .views = (size_t)views,
                         .entries = self->entries,
                         .key = {seed, epoch, 0, view, 0}};
    native_array images = {0}, indices = {0}, out = {0};
    PyObject *result = NULL;
    if (native_array_get(&images, images_object, "images", 'B', false, false) &&
        native_array_get(&indices, indices_object, "index", 'q', false, false) &&
        native_array_get(&out, out_object, "out", 'f', true, false) &&
        native_array_fits(&images, "images",
                          work.count * work.height * work.width * 3) &&
        native_array_fits(&indices, "index", work.count) &&
        native_array_fits_table(&out, "out", work.views * work.count, work.entries)) {
        work.images = images.data;
        work.indices = indices.data;
        work.out = out.data;
        if (check_indices(&work)) {
            Py_BEGIN_ALLOW_THREADS augment_all(&work, (size_t)threads);
            Py_END_ALLOW_THREADS const jsn_status status =
                (jsn_status)atomic_load(&work.status);
            result = status == JSN_OK ? Py_NewRef(Py_None)
                                      : native_raise_text(status, work.sentence);
        }
    }
    native_array_release(&images);
    native_array_release(&indices);
    native_array_release(&out);
    return result;
}

static PyObject *augment_text(PyObject *object, PyObject *unused)
{
    (void)unused;
    return PyUnicode_FromString(jsn_augment_text(((AugmentObject *)object)->pipeline));
}

/* Augment(spec, height, width, mean, std) */
static PyObject *augment_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    const char *spec;
    Py_ssize_t height, width;
    float mean[3], std[3];
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "snn(fff)(fff)", &spec, &height, &width, &mean[0],
                          &mean[1], &mean[2], &std[0], &std[1], &std[2]))
        return NULL;
    allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    AugmentObject *self = (AugmentObject *)make(type, 0);
    if (self == NULL)
        return NULL;
    const jsn_status status =
        jsn_augment_create(&self->pipeline, spec, height < 0 ? 0 : (size_t)height,
                           width < 0 ? 0 : (size_t)width, mean, std);
    if (status != JSN_OK) {
        Py_DECREF(self);
        return native_raise(status);
    }
    self->entries = 3 * (size_t)height * (size_t)width;
    return (PyObject *)self;
}

static void augment_free(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    jsn_augment_destroy(((AugmentObject *)object)->pipeline);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static PyMethodDef augment_methods[] = {
    {"apply", augment_apply, METH_VARARGS, "Augments a batch."},
    {"text", augment_text, METH_NOARGS, "The stages."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot augment_slots[] = {{Py_tp_new, augment_new},
                                      {Py_tp_dealloc, augment_free},
                                      {Py_tp_methods, augment_methods},
                                      {0, NULL}};

static PyType_Spec augment_spec = {.name = "jensen._native.Augment",
                                   .basicsize = sizeof(AugmentObject),
                                   .flags = Py_TPFLAGS_DEFAULT,
                                   .slots = augment_slots};

int native_add_augment(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&augment_spec);
    if (type == NULL)
        return -1;
    const int result = PyModule_AddObjectRef(module, "Augment", type);
    Py_DECREF(type);
    return result;
}
