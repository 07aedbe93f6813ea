/* native/native_module.c - the module jensen._native, its exceptions and its arrays. */
#include "native.h"

#include <string.h>

#include "jensen/version.h"

/* What Python raises for a status: a class of its own below jensen.Error and below the
 * class that Python itself uses for such failures. */
static const struct {
    jsn_status status;
    const char *name, *base, *about;
} errors[] = {
    {JSN_ERR_ARGUMENT, "ArgumentError", "ValueError", "An argument does not fit."},
    {JSN_ERR_UNKNOWN_NAME, "UnknownNameError", "ValueError", "Nothing has that name."},
    {JSN_ERR_RANGE, "RangeError", "ValueError", "A value lies outside its bounds."},
    {JSN_ERR_MEMORY, "OutOfMemoryError", "MemoryError", "There is not enough memory."},
    {JSN_ERR_NUMERIC, "NumericError", "ArithmeticError", "A result is not finite."},
    {JSN_ERR_DATA, "DataError", "ValueError", "Data is missing or damaged."},
    {JSN_ERR_IO, "FileError", "OSError", "Reading or writing failed."},
    {JSN_ERR_BUSY, "BusyError", "RuntimeError", "Another process works on it."},
    {JSN_ERR_UNSUPPORTED, "UnsupportedError", "RuntimeError", "This build lacks it."},
    {JSN_ERR_DEVICE, "DeviceError", "RuntimeError", "No such device, or it failed."},
    {JSN_ERR_NETWORK, "NetworkError", "OSError", "The network failed."},
    {JSN_ERR_STOPPED, "StoppedError", "RuntimeError", "Stopped, with a checkpoint."},
};
enum { ERRORS = sizeof errors / sizeof errors[0] };

static PyObject *error_base, *error_classes[ERRORS];

PyObject *native_raise(jsn_status status)
{
    return native_raise_text(status, jsn_last_error());
}

PyObject *native_raise_text(jsn_status status, const char *sentence)
{
    PyObject *class = error_base;
    for (size_t i = 0; i < ERRORS; i++)
        if (errors[i].status == status)
            class = error_classes[i];
    /* Sentences may quote bytes that are no UTF-8. */
    PyObject *text = PyUnicode_DecodeUTF8(sentence, (Py_ssize_t)strlen(sentence),
                                          "backslashreplace");
    if (text != NULL)
        PyErr_SetObject(class, text);
    Py_XDECREF(text);
    return NULL;
}

static PyObject *make_error(size_t index, PyObject *builtins)
{
    char name[64];
    PyObject *base = PyObject_GetAttrString(builtins, errors[index].base);
    if (base == NULL)
        return NULL;
    PyObject *bases = PyTuple_Pack(2, error_base, base);
    Py_DECREF(base);
    if (bases == NULL)
        return NULL;
    (void)PyOS_snprintf(name, sizeof name, "jensen.%s", errors[index].name);
    PyObject *class = PyErr_NewExceptionWithDoc(name, errors[index].about, bases, NULL);
    Py_DECREF(bases);
    return class;
}

int native_add_errors(PyObject *module)
{
    PyObject *builtins = PyImport_ImportModule("builtins");
    if (builtins == NULL)
        return -1;
    error_base = PyErr_NewExceptionWithDoc(
        "jensen.Error", "What the library refuses or fails at, with its sentence.",
        NULL, NULL);
    int result =
        error_base == NULL ? -1 : PyModule_AddObjectRef(module, "Error", error_base);
    for (size_t i = 0; i < ERRORS && result == 0; i++) {
        error_classes[i] = make_error(i, builtins);
        result = error_classes[i] == NULL
                     ? -1
                     : PyModule_AddObjectRef(module, errors[i].name, error_classes[i]);
    }
    Py_DECREF(builtins);
    return result;
}

/* Whether a buffer's element is the one that `format` names: long and long long are the
 * same 8 bytes here, and so are the byte-order marks of this machine. */
static bool same_format(const Py_buffer *view, char format)
{
    const char *given = view->format == NULL ? "B" : view->format;
    if (*given == '@' || *given == '=' || *given == '<')
        given++;
    if (given[0] == '\0' || given[1] != '\0')
        return false;
    if (format == 'q')
        return view->itemsize == 8 && (*given == 'q' || *given == 'l');
    if (format == 'i')
        return view->itemsize == 4 && (*given == 'i' || *given == 'l');
    return *given == format;
}

bool native_array_get(native_array *array, PyObject *object, const char *name,
                      char format, bool writable, bool optional)
{
    const int flags =
        PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
    memset(array, 0, sizeof *array);
    if (optional && object == Py_None)
        return true;
    if (PyObject_GetBuffer(object, &array->view, flags) != 0) {
        PyErr_Format(PyExc_TypeError, "%s is no contiguous%s array", name,
                     writable ? ", writable" : "");
        return false;
    }
    if (!same_format(&array->view, format)) {
        PyErr_Format(PyExc_TypeError, "%s has elements of type '%s'; expected '%c'",
                     name, array->view.format == NULL ? "B" : array->view.format,
                     (int)format);
        native_array_release(array);
        return false;
    }
    array->data = array->view.buf;
    array->count = (size_t)(array->view.len / array->view.itemsize);
    return true;
}

void native_array_release(native_array *array)
{
    if (array->view.obj != NULL)
        PyBuffer_Release(&array->view);
    memset(array, 0, sizeof *array);
}

bool native_array_fits(const native_array *array, const char *name, size_t count)
{
    if (array->data == NULL || array->count == count)
        return true;
    PyErr_Format(PyExc_ValueError, "%s has %zu elements; expected %zu", name,
                 array->count, count);
    return false;
}

bool native_array_fits_table(const native_array *array, const char *name, size_t rows,
                             size_t columns)
{
    size_t count = 0;
    if (!__builtin_mul_overflow(rows, columns, &count))
        return native_array_fits(array, name, count);
    PyErr_Format(PyExc_ValueError, "%s: %zu x %zu are too many", name, rows, columns);
    return false;
}

PyObject *native_params(const jsn_param_info *params, size_t count)
{
    PyObject *tuple = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; tuple != NULL && i < count; i++) {
        const jsn_param_info *p = &params[i];
        PyObject *row =
            p->kind == JSN_PARAM_REAL
                ? Py_BuildValue("(ssddd)", p->name, p->help, p->initial, p->lowest,
                                p->highest)
                : Py_BuildValue("(ssOOO)", p->name, p->help, Py_None, Py_None, Py_None);
        if (row == NULL || PyTuple_SetItem(tuple, (Py_ssize_t)i, row) != 0)
            Py_CLEAR(tuple);
    }
    return tuple;
}

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "jensen._native",
    .m_doc = "The C library behind the package; use jensen, not this.",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit__native(void);

PyMODINIT_FUNC PyInit__native(void)
{
    static int (*const parts[])(PyObject *) = {
        native_add_errors,   native_add_block,  native_add_loss,  native_add_augment,
        native_add_noise,    native_add_theory, native_add_train, native_add_study,
        native_add_loss_gpu, native_add_weights};
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL)
        return NULL;
    int result = PyModule_AddStringConstant(module, "version", jsn_version());
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && result == 0; i++)
        result = parts[i](module);
    if (result == 0)
        return module;
    Py_DECREF(module);
    return NULL;
}
