/* native/native_loss_gpu.c - losses of arrays in the memory of a GPU, by their addresses; the
 * caller, jensen.torch, vouches for them. */
#include "native_loss.h"

#include "jensen/loss_gpu.h"

/* launch(views, samples, classes, device, stream, logits, labels, targets, class_weights,
 * sample_weights, ignore_index, divisor, value, per_sample, grad, workspace): the same on a
 * GPU, by addresses of its memory. Returns at once. */
PyObject *native_loss_launch(PyObject *object, PyObject *const *args, Py_ssize_t count)
{
    if (count != 16) {
        PyErr_SetString(PyExc_TypeError, "launch takes 16 arguments");
        return NULL;
    }
    LossObject *self = (LossObject *)object;
    loss_call call = {0};
    jsn_loss_gpu_batch batch = {0};
    call.views = PyLong_AsSize_t(args[0]);
    call.samples = batch.samples = PyLong_AsSize_t(args[1]);
    call.classes = PyLong_AsSize_t(args[2]);
    batch.device = (int)PyLong_AsLong(args[3]);
    batch.stream = PyLong_AsVoidPtr(args[4]);
    batch.logits = PyLong_AsVoidPtr(args[5]);
    batch.labels = PyLong_AsVoidPtr(args[6]);
    batch.targets = PyLong_AsVoidPtr(args[7]);
    batch.class_weights = PyLong_AsVoidPtr(args[8]);
    batch.sample_weights = PyLong_AsVoidPtr(args[9]);
    batch.divisor = PyFloat_AsDouble(args[11]);
    batch.value = PyLong_AsVoidPtr(args[12]);
    batch.per_sample = PyLong_AsVoidPtr(args[13]);
    batch.grad = PyLong_AsVoidPtr(args[14]);
    batch.workspace = PyLong_AsVoidPtr(args[15]);
    if (PyErr_Occurred() != NULL || !native_loss_ignore(args[10], &call) ||
        !native_loss_sizes(&call))
        return NULL;
    batch.ignores = call.ignores;
    batch.ignore_index = call.ignore_index;
    handle *h = native_loss_take(self, &call);
    if (h == NULL)
        return NULL;
    jsn_status status;
    Py_BEGIN_ALLOW_THREADS status = jsn_loss_gpu_run(h->loss, &batch);
    Py_END_ALLOW_THREADS native_loss_give(self, h);
    return status == JSN_OK ? Py_NewRef(Py_None) : native_raise(status);
}

/* gpu_scale(device, stream, numbers, count, factor): by addresses of the GPU's memory. */
static PyObject *gpu_scale(PyObject *module, PyObject *args)
{
    jsn_loss_gpu_scale scale = {0};
    unsigned long long stream, numbers, factor;
    Py_ssize_t count;
    (void)module;
    if (!PyArg_ParseTuple(args, "iKKnK", &scale.device, &stream, &numbers, &count,
                          &factor))
        return NULL;
    scale.stream = (void *)(uintptr_t)stream;
    scale.numbers = (float *)(uintptr_t)numbers;
    scale.factor = (const float *)(uintptr_t)factor;
    scale.count = count > 0 ? (size_t)count : 0;
    const jsn_status status = jsn_loss_gpu_rescale(&scale);
    return status == JSN_OK ? Py_NewRef(Py_None) : native_raise(status);
}

/* gpu_workspace(samples): bytes */
static PyObject *gpu_workspace(PyObject *module, PyObject *samples)
{
    const size_t count = PyLong_AsSize_t(samples);
    (void)module;
    return PyErr_Occurred() != NULL ? NULL
                                    : PyLong_FromSize_t(jsn_loss_gpu_workspace(count));
}

static PyMethodDef functions[] = {
    {"gpu_scale", gpu_scale, METH_VARARGS, "Multiplies numbers on a GPU in place."},
    {"gpu_workspace", gpu_workspace, METH_O, "Bytes that Loss.launch() works in."},
    {NULL, NULL, 0, NULL}};

int native_add_loss_gpu(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
