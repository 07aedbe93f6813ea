/* native/native_weights.c - pretrained weights of the cache. */
#include "native.h"

#include <string.h>

#include "jensen/weights.h"

static PyObject *text_of(const char *text)
{
    if (text == NULL)
        Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "backslashreplace");
}

/* (name, network, classes, image size, mean, deviation, evaluation, source, sha256, note) */
static PyObject *record_of(const jsn_weights_info *info)
{
    return Py_BuildValue(
        "(NNnn(fff)(fff)NNNN)", text_of(info->name), text_of(info->network),
        (Py_ssize_t)info->classes, (Py_ssize_t)info->image_size, info->mean[0],
        info->mean[1], info->mean[2], info->deviation[0], info->deviation[1],
        info->deviation[2], text_of(info->evaluation), text_of(info->source),
        text_of(info->sha256), text_of(info->note));
}

/* What a call gave; releases it. */
static PyObject *give(jsn_status status, jsn_weights_info *info)
{
    PyObject *record = status == JSN_OK ? record_of(info) : native_raise(status);
    jsn_weights_release(info);
    return record;
}

/* weights_import(file, name or None) */
static PyObject *weights_import(PyObject *module, PyObject *args)
{
    const char *file, *name;
    jsn_weights_info info = {0};
    jsn_status status;
    (void)module;
    if (!PyArg_ParseTuple(args, "sz", &file, &name))
        return NULL;
    Py_BEGIN_ALLOW_THREADS status = jsn_weights_import(file, name, &info);
    Py_END_ALLOW_THREADS return give(status, &info);
}

/* weights_fetch(what, name or None, sha256 or None) */
static PyObject *weights_fetch(PyObject *module, PyObject *args)
{
    const char *what;
    jsn_weights_fetch_options options = {0};
    jsn_weights_info info = {0};
    jsn_status status;
    (void)module;
    if (!PyArg_ParseTuple(args, "szz", &what, &options.name, &options.sha256))
        return NULL;
    Py_BEGIN_ALLOW_THREADS status = jsn_weights_fetch(what, &options, &info);
    Py_END_ALLOW_THREADS return give(status, &info);
}

/* weights_list() */
static PyObject *weights_list(PyObject *module, PyObject *unused)
{
    jsn_weights_info *infos = NULL;
    size_t count = 0;
    (void)module, (void)unused;
    /* Damaged ones among them are told of; the list has the others. */
    const jsn_status status = jsn_weights_list(&infos, &count);
    const bool some = status == JSN_ERR_DATA || status == JSN_ERR_IO;
    if (status != JSN_OK && !some)
        return native_raise(status);
    if (some && PyErr_WarnEx(PyExc_RuntimeWarning, jsn_last_error(), 1) != 0) {
        jsn_weights_list_free(infos, count);
        return NULL;
    }
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *record = record_of(&infos[i]);
        if (record == NULL || PyList_Append(list, record) != 0)
            Py_CLEAR(list);
        Py_XDECREF(record);
    }
    jsn_weights_list_free(infos, count);
    return list;
}

/* weights_remove(name) */
static PyObject *weights_remove(PyObject *module, PyObject *args)
{
    const char *name;
    (void)module;
    if (!PyArg_ParseTuple(args, "s", &name))
        return NULL;
    const jsn_status status = jsn_weights_remove(name);
    if (status != JSN_OK)
        return native_raise(status);
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"weights_import", weights_import, METH_VARARGS, "Keeps a file of weights."},
    {"weights_fetch", weights_fetch, METH_VARARGS, "Downloads published weights."},
    {"weights_list", weights_list, METH_NOARGS, "The weights in the cache."},
    {"weights_remove", weights_remove, METH_VARARGS, "Removes weights."},
    {NULL, NULL, 0, NULL}};

int native_add_weights(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
