/* native/native_train.c - training with a callback, and a finished run at work.
 *
 * Training holds no lock of the interpreter but while it tells of an event or asks whether to
 * stop. A signal, as of Ctrl-C, and an exception of the callback stop the run with a
 * checkpoint and are raised when the library has returned.
 */
#include "native.h"

#include <string.h>

#include "jensen/classifier.h"
#include "jensen/event.h"
#include "jensen/export.h"
#include "jensen/image_file.h"
#include "jensen/report.h"
#include "jensen/train.h"

static PyObject *epoch_record(const jsn_epoch *e)
{
    return Py_BuildValue(
        "{s:L,s:L,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d}", "epoch",
        (long long)e->epoch, "epochs", (long long)e->epochs, "lr", e->lr, "loss",
        e->loss, "train_acc", e->train_acc_all[0], "val_acc", e->val_acc,
        "val_acc_noisy", e->val_acc_noisy, "val_loss", e->val_loss, "test_acc",
        e->test_acc, "test_top5", e->test_top5, "test_loss", e->test_loss, "test_ece",
        e->test_ece, "consistency", e->consistency, "weight_norm2", e->weight_norm2,
        "images_per_second", e->images_per_second, "seconds", e->seconds);
}

static PyObject *step_record(const jsn_step *s)
{
    return Py_BuildValue("{s:L,s:L,s:K,s:K,s:d,s:d,s:d}", "epoch", (long long)s->epoch,
                         "epochs", (long long)s->epochs, "step",
                         (unsigned long long)s->step, "steps",
                         (unsigned long long)s->steps, "loss", s->loss, "train_acc",
                         s->train_acc, "seconds_left", s->seconds_left);
}

static PyObject *event_record(const jsn_event *event, const char **kind)
{
    switch (event->kind) {
    case JSN_EVENT_OPENED:
        *kind = "opened";
        return Py_BuildValue("{s:s,s:L,s:L}", "run", event->run, "epoch",
                             (long long)event->opened->epoch, "epochs",
                             (long long)event->opened->epochs);
    case JSN_EVENT_STEP:
        *kind = "step";
        return step_record(event->step);
    case JSN_EVENT_EPOCH:
        *kind = "epoch";
        return epoch_record(event->epoch);
    default:
        *kind = NULL; /* the call itself tells of the rest */
        return NULL;
    }
}

static jsn_status hear(void *user, const jsn_event *event)
{
    native_listener *l = user;
    const char *kind = NULL;
    if (l->stop)
        return JSN_ERR_STOPPED;
    if (l->callable == NULL || event->member != 0)
        return JSN_OK;
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *record = event_record(event, &kind);
    if (kind != NULL) {
        PyObject *answer = record == NULL
                               ? NULL
                               : PyObject_CallFunction(l->callable, "sO", kind, record);
        if (answer == NULL)
            native_listener_keep(l);
        Py_XDECREF(answer);
    }
    Py_XDECREF(record);
    PyGILState_Release(state);
    return l->stop ? JSN_ERR_STOPPED : JSN_OK;
}

static bool set_options(jsn_train_config *config, PyObject *pairs)
{
    const Py_ssize_t count = PyList_Check(pairs) ? PyList_Size(pairs) : -1;
    for (Py_ssize_t i = 0; i < count; i++) {
        const char *name, *text;
        PyObject *pair = PyList_GetItem(pairs, i);
        if (!PyTuple_Check(pair)) {
            PyErr_SetString(PyExc_TypeError, "an option is a pair of texts");
            return false;
        }
        if (!PyArg_ParseTuple(pair, "ss", &name, &text))
            return false;
        const jsn_status status = jsn_train_config_set(config, name, text);
        if (status != JSN_OK)
            return native_raise(status) != NULL;
    }
    if (count < 0)
        PyErr_SetString(PyExc_TypeError, "options are a list of pairs");
    return count >= 0;
}

static PyObject *give_result(const jsn_train_result *result)
{
    char *text = NULL;
    const jsn_status status = jsn_train_result_json(result, &text);
    if (status != JSN_OK)
        return native_raise(status);
    PyObject *json = PyUnicode_FromString(text);
    jsn_text_release(text);
    return json;
}

/* train(options, callback or None) -> the result as JSON */
static PyObject *train(PyObject *module, PyObject *args)
{
    PyObject *pairs, *callable, *result = NULL;
    jsn_train_config config;
    jsn_train_result trained;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO", &pairs, &callable))
        return NULL;
    native_listener l = native_listen(callable);
    const jsn_watcher watcher = {&l, hear, native_listener_stop};
    memset(&trained, 0, sizeof trained);
    jsn_train_config_clear(&config);
    if (set_options(&config, pairs)) {
        jsn_status status;
        Py_BEGIN_ALLOW_THREADS status =
            jsn_train_watched(&config, 1, NULL, &watcher, &trained);
        if (status == JSN_OK) { /* a page that cannot be written undoes no training */
            const jsn_status page =
                jsn_report_run(trained.run, trained.already_finished);
            (void)page;
        }
        Py_END_ALLOW_THREADS if (!native_listener_raise(&l)) result =
            status == JSN_OK ? give_result(&trained) : native_raise(status);
    }
    jsn_train_config_release(&config);
    return result;
}

/* train_options(): their names. */
static PyObject *train_options(PyObject *module, PyObject *unused)
{
    size_t count = 0;
    const jsn_option_info *rows = jsn_train_options(&count);
    (void)module, (void)unused;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *row = Py_BuildValue("(ss)", rows[i].name, rows[i].help);
        if (row == NULL || PyList_Append(list, row) != 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

typedef struct ClassifierObject {
    PyObject_HEAD jsn_classifier *classifier;
    bool busy; /* a thread works with it */
} ClassifierObject;

/* Classifier(run, device, threads, batch, views) */
static PyObject *classifier_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    jsn_classifier_options options;
    Py_ssize_t threads, batch, views;
    (void)kwargs;
    jsn_classifier_options_init(&options);
    if (!PyArg_ParseTuple(args, "ssnnn", &options.run, &options.device, &threads,
                          &batch, &views))
        return NULL;
    if (threads < 0 || batch < 0 || views < 0) {
        PyErr_SetString(PyExc_ValueError, "threads, batch and views are not negative");
        return NULL;
    }
    options.threads = (size_t)threads;
    options.batch = (size_t)batch;
    options.views = (size_t)views;
    allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    ClassifierObject *self = (ClassifierObject *)make(type, 0);
    if (self == NULL)
        return NULL;
    jsn_status status;
    Py_BEGIN_ALLOW_THREADS status = jsn_classifier_create(&self->classifier, &options);
    Py_END_ALLOW_THREADS if (status == JSN_OK) return (PyObject *)self;
    Py_DECREF(self);
    return native_raise(status);
}

static void classifier_free(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    jsn_classifier_close(((ClassifierObject *)object)->classifier);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static PyObject *classifier_classes(PyObject *object, PyObject *unused)
{
    const jsn_classifier *c = ((ClassifierObject *)object)->classifier;
    const char *name;
    (void)unused;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && (name = jsn_classifier_class(c, i)) != NULL;
         i++) {
        PyObject *text =
            PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "backslashreplace");
        if (text == NULL || PyList_Append(list, text) != 0)
            Py_CLEAR(list);
        Py_XDECREF(text);
    }
    return list;
}

static bool is_busy(const ClassifierObject *self)
{
    if (self->busy)
        PyErr_SetString(PyExc_ValueError,
                        "another thread uses this run: open it once a thread");
    return self->busy;
}

/* predict(image, height, width, probabilities): one image. */
static PyObject *classifier_predict(PyObject *object, PyObject *args)
{
    ClassifierObject *self = (ClassifierObject *)object;
    PyObject *image_object, *out_object, *result = NULL;
    Py_ssize_t height, width;
    native_array pixels = {0}, out = {0};
    if (!PyArg_ParseTuple(args, "OnnO", &image_object, &height, &width, &out_object))
        return NULL;
    if (is_busy(self))
        return NULL;
    if (height < 1 || width < 1 || height > (Py_ssize_t)JSN_IMAGE_MAX_SIDE ||
        width > (Py_ssize_t)JSN_IMAGE_MAX_SIDE) {
        PyErr_SetString(PyExc_ValueError, "the image has no pixels, or too many");
        return NULL;
    }
    if (native_array_get(&pixels, image_object, "image", 'B', false, false) &&
        native_array_get(&out, out_object, "probabilities", 'd', true, false) &&
        native_array_fits(&pixels, "image", (size_t)height * (size_t)width * 3) &&
        native_array_fits(&out, "probabilities",
                          jsn_classifier_classes(self->classifier))) {
        const jsn_image image = {pixels.data, (size_t)width, (size_t)height};
        jsn_status status;
        self->busy = true;
        Py_BEGIN_ALLOW_THREADS status =
            jsn_classifier_predict(self->classifier, &image, 1, out.data, NULL);
        Py_END_ALLOW_THREADS self->busy = false;
        result = status == JSN_OK ? Py_NewRef(Py_None) : native_raise(status);
    }
    native_array_release(&pixels);
    native_array_release(&out);
    return result;
}

typedef struct file_rows {
    double *out; /* the next row */
    size_t classes;
    char reason[600]; /* why the first bad file cannot be read */
} file_rows;

static jsn_status take_file(void *user, const jsn_classifier_file *file)
{
    file_rows *rows = user;
    if (file->probabilities == NULL) {
        (void)PyOS_snprintf(rows->reason, sizeof rows->reason, "%.200s: %.380s",
                            file->path, file->reason);
        return JSN_ERR_DATA;
    }
    memcpy(rows->out, file->probabilities, rows->classes * sizeof *rows->out);
    rows->out += rows->classes;
    return JSN_OK;
}

/* The texts of a tuple, which lives longer than they do; NULL with an exception. */
static const char **texts_of(PyObject *tuple, size_t *count)
{
    const Py_ssize_t size = PyTuple_Size(tuple);
    if (size < 0)
        return NULL;
    const char **texts = PyMem_Malloc((size_t)size * sizeof *texts + 1);
    if (texts == NULL)
        return (const char **)PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *text = PyTuple_GetItem(tuple, i);
        texts[i] = text == NULL ? NULL : PyUnicode_AsUTF8AndSize(text, NULL);
        if (texts[i] == NULL) {
            PyMem_Free(texts);
            return NULL;
        }
    }
    *count = (size_t)size;
    return texts;
}

/* predict_files(paths, probabilities): all of them, or the failure of the first bad one. */
static PyObject *classifier_predict_files(PyObject *object, PyObject *args)
{
    ClassifierObject *self = (ClassifierObject *)object;
    PyObject *list, *out_object, *result = NULL;
    native_array out = {0};
    size_t count = 0;
    if (!PyArg_ParseTuple(args, "OO", &list, &out_object) || is_busy(self))
        return NULL;
    PyObject *tuple =
        PySequence_Tuple(list); /* a list may change while files are read */
    const char **paths = tuple == NULL ? NULL : texts_of(tuple, &count);
    file_rows rows = {.classes = jsn_classifier_classes(self->classifier)};
    if (paths != NULL &&
        native_array_get(&out, out_object, "probabilities", 'd', true, false) &&
        native_array_fits(&out, "probabilities", count * rows.classes)) {
        jsn_status status;
        rows.out = out.data;
        self->busy = true;
        Py_BEGIN_ALLOW_THREADS status = jsn_classifier_predict_files(
            self->classifier, paths, count, take_file, &rows);
        Py_END_ALLOW_THREADS self->busy = false;
        if (status == JSN_OK)
            result = Py_NewRef(Py_None);
        else if (rows.reason[0] != '\0')
            (void)native_raise_text(status, rows.reason);
        else
            (void)native_raise(status);
    }
    native_array_release(&out);
    PyMem_Free(paths);
    Py_XDECREF(tuple);
    return result;
}

/* export(path, format) */
static PyObject *classifier_export(PyObject *object, PyObject *args)
{
    ClassifierObject *self = (ClassifierObject *)object;
    jsn_export_options options;
    const char *path;
    jsn_export_options_init(&options);
    if (!PyArg_ParseTuple(args, "ss", &path, &options.format) || is_busy(self))
        return NULL;
    const jsn_status status = jsn_export(self->classifier, path, &options);
    return status == JSN_OK ? Py_NewRef(Py_None) : native_raise(status);
}

/* read_image(path) -> (bytes, height, width) */
static PyObject *read_image(PyObject *module, PyObject *args)
{
    const char *path;
    jsn_image image = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "s", &path))
        return NULL;
    const jsn_status status = jsn_image_read(&image, path);
    if (status != JSN_OK)
        return native_raise(status);
    /* Not by "y#": of Python 3.13's headers that would not work with 3.11. */
    PyObject *result = Py_BuildValue(
        "(Nnn)",
        PyBytes_FromStringAndSize((const char *)image.data,
                                  (Py_ssize_t)(image.width * image.height * 3)),
        (Py_ssize_t)image.height, (Py_ssize_t)image.width);
    jsn_image_release(&image);
    return result;
}

static PyMethodDef classifier_methods[] = {
    {"classes", classifier_classes, METH_NOARGS, "The names of the classes."},
    {"predict", classifier_predict, METH_VARARGS, "Class probabilities of an image."},
    {"predict_files", classifier_predict_files, METH_VARARGS, "The same of files."},
    {"export", classifier_export, METH_VARARGS, "Writes it for other programs."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot classifier_slots[] = {{Py_tp_new, classifier_new},
                                         {Py_tp_dealloc, classifier_free},
                                         {Py_tp_methods, classifier_methods},
                                         {0, NULL}};

static PyType_Spec classifier_spec = {.name = "jensen._native.Classifier",
                                      .basicsize = sizeof(ClassifierObject),
                                      .flags = Py_TPFLAGS_DEFAULT,
                                      .slots = classifier_slots};

static PyMethodDef functions[] = {
    {"train", train, METH_VARARGS, "Trains or continues a run."},
    {"train_options", train_options, METH_NOARGS, "The options of a run."},
    {"read_image", read_image, METH_VARARGS, "Reads an image file."},
    {NULL, NULL, 0, NULL}};

int native_add_train(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&classifier_spec);
    if (type == NULL)
        return -1;
    const int result = PyModule_AddObjectRef(module, "Classifier", type);
    Py_DECREF(type);
    return result == 0 ? PyModule_AddFunctions(module, functions) : -1;
}
