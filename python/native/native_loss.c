/* native/native_loss.c - jensen._native.Loss: a loss by its spec, on arrays in memory.
 *
 * A handle of the library is for one thread, one number of classes and one of views, so
 * an object keeps a few idle ones and makes more when threads call at the same time. The
 * interpreter's lock guards the list; it is released while a loss is evaluated.
 */
#include "native_loss.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_IDLE = 8, THREADED_ENTRIES = 1 << 15 };

static size_t threads_wanted;
/* Counts forks: the threads of a handle stay behind in the parent. */
static unsigned process;

static void count_fork(void)
{
    process++;
}

static void destroy_handle(handle *h)
{
    jsn_loss_destroy(h->loss);
    free(h->labels);
    free(h->weights);
    free(h->values);
    free(h);
}

static jsn_status create_handle(handle **out, const char *spec, const loss_call *call)
{
    handle *h = calloc(1, sizeof *h);
    *out = h;
    if (h == NULL)
        return JSN_ERR_MEMORY;
    h->classes = call->classes;
    h->views = call->views;
    h->threads = 1;
    return native_loss_make(&h->loss, spec, call->classes, call->views);
}

/* Takes a handle that fits out of the list, or NULL. */
static handle *take_handle(LossObject *self, const loss_call *call)
{
    if (self->process != process) {
        self->idle = NULL; /* the parent's; their threads do not exist here */
        self->process = process;
    }
    for (handle **at = &self->idle; *at != NULL; at = &(*at)->next)
        if ((*at)->classes == call->classes && (*at)->views == call->views) {
            handle *h = *at;
            *at = h->next;
            return h;
        }
    return NULL;
}

/* Puts it first; the one that was not used for longest leaves a full list. */
void native_loss_give(LossObject *self, handle *h)
{
    h->next = self->idle;
    self->idle = h;
    for (size_t i = 1; i < MOST_IDLE && h->next != NULL; i++)
        h = h->next;
    if (h->next != NULL) {
        destroy_handle(h->next);
        h->next = NULL;
    }
}

static bool make_room(handle *h, size_t samples)
{
    if (h->room >= samples)
        return true;
    free(h->labels);
    free(h->weights);
    free(h->values);
    h->room = 0;
    h->labels = calloc(samples, sizeof *h->labels);
    h->weights = calloc(samples, sizeof *h->weights);
    h->values = calloc(samples, sizeof *h->values);
    if (h->labels == NULL || h->weights == NULL || h->values == NULL)
        return false;
    h->room = samples;
    return true;
}

static int64_t label_at(const loss_call *call, size_t i)
{
    return call->kind == LABELS_64 ? ((const int64_t *)call->target)[i]
                                   : ((const int32_t *)call->target)[i];
}

static int32_t narrow(int64_t label)
{
    return label > INT32_MAX   ? INT32_MAX
           : label < INT32_MIN ? INT32_MIN
                               : (int32_t)label;
}

/* Labels as the library reads them; those to be ignored become class 0 without weight. */
static void read_labels(const loss_call *call, handle *h, jsn_loss_batch *batch)
{
    bool ignored = false;
    if (call->kind == LABELS_32 && !call->ignores) {
        batch->labels = call->target;
        return;
    }
    for (size_t i = 0; i < call->samples; i++) {
        const int64_t label = label_at(call, i);
        const bool ignore = call->ignores && label == call->ignore_index;
        h->labels[i] = ignore ? 0 : narrow(label);
        ignored = ignored || ignore;
    }
    batch->labels = h->labels;
    for (size_t i = 0; ignored && i < call->samples; i++) {
        const double weight =
            call->sample_weights == NULL ? 1.0 : call->sample_weights[i];
        h->weights[i] = label_at(call, i) == call->ignore_index ? 0.0 : weight;
    }
    if (ignored)
        batch->sample_weights = h->weights;
}

static double read_real(const void *array, bool f64, size_t at)
{
    return f64 ? ((const double *)array)[at] : (double)((const float *)array)[at];
}

static void write_real(void *array, bool f64, size_t at, double value)
{
    if (f64)
        ((double *)array)[at] = value;
    else
        ((float *)array)[at] = (float)value;
}

/* What a sample's value is multiplied by, as in jsn_loss_batch. */
static double weight_of(const loss_call *call, const jsn_loss_batch *batch, size_t i)
{
    double weight = batch->sample_weights == NULL ? 1.0 : batch->sample_weights[i];
    if (call->class_weights == NULL || weight == 0.0)
        return weight;
    if (call->kind != SOFT)
        return weight * call->class_weights[batch->labels[i]];
    double mean = 0.0;
    for (size_t k = 0; k < call->classes; k++)
        mean += call->class_weights[k] *
                read_real(call->target, call->f64, i * call->classes + k);
    return weight * mean;
}

static jsn_status evaluate(const loss_call *call, handle *h)
{
    jsn_loss_batch batch;
    jsn_loss_result result = {.grad = call->grad};
    const size_t threads =
        call->views * call->samples * call->classes < THREADED_ENTRIES ? h->threads
                                                                       : threads_wanted;
    if (threads != h->threads) {
        const jsn_status status = jsn_loss_set_threads(h->loss, threads);
        if (status != JSN_OK)
            return status;
        h->threads = threads;
    }
    jsn_loss_batch_init(&batch);
    batch.samples = call->samples;
    batch.type = call->f64 ? JSN_LOSS_F64 : JSN_LOSS_F32;
    batch.logits = call->logits;
    batch.class_weights = call->class_weights;
    batch.sample_weights = call->sample_weights;
    batch.divisor = call->reduction == MEAN ? 0.0 : 1.0;
    if (call->kind == SOFT)
        batch.targets = call->target;
    else
        read_labels(call, h, &batch);
    result.per_sample = call->reduction == NONE ? h->values : NULL;
    const jsn_status status = jsn_loss_eval(h->loss, &batch, &result);
    if (status != JSN_OK)
        return status;
    if (call->reduction != NONE)
        write_real(call->value, call->f64, 0, result.mean);
    for (size_t i = 0; call->reduction == NONE && i < call->samples; i++) {
        const double weight = weight_of(call, &batch, i);
        write_real(call->value, call->f64, i,
                   weight == 0.0 ? 0.0 : weight * h->values[i]);
    }
    return JSN_OK;
}

handle *native_loss_take(LossObject *self, const loss_call *call)
{
    handle *h = take_handle(self, call);
    if (h != NULL)
        return h;
    const jsn_status status = create_handle(&h, self->spec, call);
    if (status == JSN_OK)
        return h;
    if (h == NULL) {
        (void)PyErr_NoMemory();
        return NULL;
    }
    if (!PyErr_Occurred())
        (void)native_raise(status);
    destroy_handle(h);
    return NULL;
}

/* Why there is no mean: nothing counts. */
static bool all_ignored(const loss_call *call)
{
    if (!call->ignores || call->kind == SOFT || call->reduction != MEAN)
        return false;
    for (size_t i = 0; i < call->samples; i++)
        if (label_at(call, i) != call->ignore_index)
            return false;
    return true;
}

static PyObject *raise_failure(jsn_status status, const loss_call *call)
{
    char sentence[120];
    if (status != JSN_ERR_RANGE || !all_ignored(call))
        return native_raise(status);
    (void)PyOS_snprintf(sentence, sizeof sentence,
                        "loss: every label is the ignored %lld: there is no mean",
                        (long long)call->ignore_index);
    return native_raise_text(status, sentence);
}

/* None, with the outputs written, or NULL with the exception. */
static PyObject *run_call(LossObject *self, const loss_call *call)
{
    jsn_status status = JSN_OK;
    handle *h = native_loss_take(self, call);
    if (h == NULL)
        return NULL;
    if (!make_room(h, call->samples)) {
        destroy_handle(h);
        return PyErr_NoMemory();
    }
    const jsn_loss_info *info = jsn_loss_describe_of(h->loss);
    if (!info->per_sample && call->reduction != MEAN) {
        native_loss_give(self, h);
        PyErr_Format(PyExc_ValueError,
                     "%s is a root of the mean: it has no other reduction", info->name);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS status = evaluate(call, h);
    Py_END_ALLOW_THREADS native_loss_give(self, h);
    return status == JSN_OK ? Py_NewRef(Py_None) : raise_failure(status, call);
}

/* evaluate(views, samples, classes, f64, logits, target, kind, class_weights,
 * sample_weights, ignore_index, reduction, value, grad): everything that is an array by
 * its address, 0 for none. The caller vouches for them; jensen.torch does. */
static PyObject *loss_evaluate(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    if (count != 13) {
        PyErr_SetString(PyExc_TypeError, "evaluate takes 13 arguments");
        return NULL;
    }
    loss_call call = {0};
    call.views = PyLong_AsSize_t(args[0]);
    call.samples = PyLong_AsSize_t(args[1]);
    call.classes = PyLong_AsSize_t(args[2]);
    call.f64 = args[3] == Py_True;
    call.logits = PyLong_AsVoidPtr(args[4]);
    call.target = PyLong_AsVoidPtr(args[5]);
    call.kind = (target_kind)PyLong_AsLong(args[6]);
    call.class_weights = PyLong_AsVoidPtr(args[7]);
    call.sample_weights = PyLong_AsVoidPtr(args[8]);
    call.reduction = (reduction)PyLong_AsLong(args[10]);
    call.value = PyLong_AsVoidPtr(args[11]);
    call.grad = PyLong_AsVoidPtr(args[12]);
    if (PyErr_Occurred() != NULL || !native_loss_ignore(args[9], &call) ||
        !native_loss_sizes(&call))
        return NULL;
    return run_call((LossObject *)self, &call);
}

/* What evaluate_arrays() holds. */
typedef struct held_arrays {
    native_array logits, target, class_weights, sample_weights, value, grad;
} held_arrays;

static void release_arrays(held_arrays *a)
{
    native_array_release(&a->logits);
    native_array_release(&a->target);
    native_array_release(&a->class_weights);
    native_array_release(&a->sample_weights);
    native_array_release(&a->value);
    native_array_release(&a->grad);
}

static bool arrays_fit(const held_arrays *a, const loss_call *call)
{
    const size_t entries = call->samples * call->classes;
    return native_array_fits(&a->logits, "logits", call->views * entries) &&
           native_array_fits(&a->grad, "grad", call->views * entries) &&
           native_array_fits(&a->target, "target",
                             call->kind == SOFT ? entries : call->samples) &&
           native_array_fits(&a->class_weights, "weight", call->classes) &&
           native_array_fits(&a->sample_weights, "sample_weight", call->samples) &&
           native_array_fits(&a->value, "value",
                             call->reduction == NONE ? call->samples : 1);
}

/* The same by arrays, whose types and sizes are checked here. */
static PyObject *loss_evaluate_arrays(PyObject *self, PyObject *args)
{
    PyObject *logits, *target, *class_weights, *sample_weights, *ignore, *value, *grad;
    Py_ssize_t views, samples, classes;
    int f64, kind, reduction_code;
    if (!PyArg_ParseTuple(args, "nnnpOOiOOOiOO", &views, &samples, &classes, &f64,
                          &logits, &target, &kind, &class_weights, &sample_weights,
                          &ignore, &reduction_code, &value, &grad))
        return NULL;
    if (views < 0 || samples < 0 || classes < 0 || kind < LABELS_64 || kind > SOFT ||
        reduction_code < MEAN || reduction_code > NONE) {
        PyErr_SetString(PyExc_ValueError, "loss: a size, kind or reduction is none");
        return NULL;
    }
    const char real = f64 ? 'd' : 'f';
    const char target_format = kind == SOFT ? real : kind == LABELS_64 ? 'q' : 'i';
    loss_call call = {.views = (size_t)views,
                      .samples = (size_t)samples,
                      .classes = (size_t)classes,
                      .f64 = f64 != 0,
                      .kind = (target_kind)kind,
                      .reduction = (reduction)reduction_code};
    if (!native_loss_sizes(&call) || !native_loss_ignore(ignore, &call))
        return NULL;
    held_arrays a;
    memset(&a, 0, sizeof a);
    PyObject *result = NULL;
    if (native_array_get(&a.logits, logits, "logits", real, false, false) &&
        native_array_get(&a.target, target, "target", target_format, false, false) &&
        native_array_get(&a.class_weights, class_weights, "weight", 'd', false, true) &&
        native_array_get(&a.sample_weights, sample_weights, "sample_weight", 'd', false,
                         true) &&
        native_array_get(&a.value, value, "value", real, true, false) &&
        native_array_get(&a.grad, grad, "grad", real, true, true) &&
        arrays_fit(&a, &call)) {
        call.logits = a.logits.data;
        call.target = a.target.data;
        call.class_weights = a.class_weights.data;
        call.sample_weights = a.sample_weights.data;
        call.value = a.value.data;
        call.grad = a.grad.data;
        result = run_call((LossObject *)self, &call);
    }
    release_arrays(&a);
    return result;
}

static PyObject *loss_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    const char *spec;
    size_t views = 0;
    if (kwargs != NULL && PyDict_Size(kwargs) != 0) {
        PyErr_SetString(PyExc_TypeError, "Loss takes a spec and nothing else");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "s", &spec))
        return NULL;
    const jsn_status status = jsn_loss_check(spec, &views);
    if (status != JSN_OK)
        return native_raise(status);
    allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    LossObject *self = (LossObject *)make(type, 0);
    if (self == NULL)
        return NULL;
    self->process = process;
    const size_t bytes = strlen(spec) + 1;
    self->spec = malloc(bytes);
    if (self->spec == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    memcpy(self->spec, spec, bytes);
    return (PyObject *)self;
}

static void loss_free(PyObject *object)
{
    LossObject *self = (LossObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    while (self->process == process && self->idle != NULL) {
        handle *h = self->idle;
        self->idle = h->next;
        destroy_handle(h);
    }
    free(self->spec);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static PyMethodDef loss_methods[] = {
    {"evaluate", (PyCFunction)(void (*)(void))loss_evaluate, METH_FASTCALL,
     "Evaluates arrays by their addresses."},
    {"evaluate_arrays", loss_evaluate_arrays, METH_VARARGS, "Evaluates arrays."},
    {"launch", (PyCFunction)(void (*)(void))native_loss_launch, METH_FASTCALL,
     "Starts the evaluation of arrays on a GPU."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot loss_slots[] = {{Py_tp_new, loss_new},
                                   {Py_tp_dealloc, loss_free},
                                   {Py_tp_methods, loss_methods},
                                   {Py_tp_doc, (void *)(size_t) "A loss by its spec."},
                                   {0, NULL}};

static PyType_Spec loss_spec = {.name = "jensen._native.Loss",
                                .basicsize = sizeof(LossObject),
                                .flags = Py_TPFLAGS_DEFAULT,
                                .slots = loss_slots};

/* loss_views(spec): how many views it wants; raises where the spec is none. */
static PyObject *loss_views(PyObject *module, PyObject *args)
{
    const char *spec;
    size_t views = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "s", &spec))
        return NULL;
    const jsn_status status = jsn_loss_check(spec, &views);
    return status == JSN_OK ? PyLong_FromSize_t(views) : native_raise(status);
}

/* losses(): (name, summary, views, soft, per_sample, parameters) of each. */
static PyObject *losses(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && jsn_loss_describe(i) != NULL; i++) {
        const jsn_loss_info *info = jsn_loss_describe(i);
        PyObject *params = native_params(info->params, info->param_count);
        PyObject *row =
            params == NULL
                ? NULL
                : Py_BuildValue("(ssnNNN)", info->name, info->summary,
                                (Py_ssize_t)info->views, PyBool_FromLong(info->soft),
                                PyBool_FromLong(info->per_sample), params);
        if (row == NULL || PyList_Append(list, row) != 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

/* set_threads(n): for large batches, 0: one a usable core. */
static PyObject *set_threads(PyObject *module, PyObject *args)
{
    Py_ssize_t threads;
    (void)module;
    if (!PyArg_ParseTuple(args, "n", &threads))
        return NULL;
    if (threads < 0 || threads > 1024) {
        PyErr_Format(PyExc_ValueError, "%zd threads are not in 0..1024", threads);
        return NULL;
    }
    threads_wanted = (size_t)threads;
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"loss_views", loss_views, METH_VARARGS, "How many views a loss wants."},
    {"losses", losses, METH_NOARGS, "The losses there are."},
    {"set_threads", set_threads, METH_VARARGS, "Threads for large batches."},
    {NULL, NULL, 0, NULL}};

int native_add_loss(PyObject *module)
{
    (void)pthread_atfork(NULL, NULL, count_fork);
    PyObject *type = PyType_FromSpec(&loss_spec);
    if (type == NULL)
        return -1;
    const int result = PyModule_AddObjectRef(module, "Loss", type);
    Py_DECREF(type);
    return result == 0 ? PyModule_AddFunctions(module, functions) : -1;
}
