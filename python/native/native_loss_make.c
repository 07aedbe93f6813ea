/* native/native_loss_make.c - a loss by its spec, with the matrix that "forward:matrix=FILE"
 * names, and what of a call is checked before it. */
#include "native_loss.h"

#include "jensen/noise.h"

static jsn_status give_matrix(jsn_loss *loss, const char *path, size_t classes)
{
    jsn_array matrix;
    const jsn_status status = jsn_noise_read_matrix(&matrix, path);
    if (status != JSN_OK)
        return status;
    const size_t rows = matrix.shape[0];
    const jsn_status given =
        rows == classes ? jsn_loss_set_matrix(loss, matrix.data) : JSN_ERR_DATA;
    jsn_array_release(&matrix);
    if (rows != classes)
        (void)PyErr_Format(PyExc_ValueError,
                           "%s: a matrix of %zu classes, the logits have %zu", path,
                           rows, classes);
    return given;
}

jsn_status native_loss_make(jsn_loss **out, const char *spec, size_t classes,
                            size_t views)
{
    const jsn_status status = jsn_loss_create(out, spec, classes, views);
    const char *path = status == JSN_OK ? jsn_loss_matrix_path(*out) : NULL;
    return path != NULL ? give_matrix(*out, path, classes) : status;
}

bool native_loss_sizes(const loss_call *call)
{
    size_t entries = 0, all = 0;
    if (call->samples == 0 || call->views == 0 || call->classes == 0) {
        PyErr_SetString(PyExc_ValueError, "loss: the logits are empty");
        return false;
    }
    if (__builtin_mul_overflow(call->samples, call->classes, &entries) ||
        __builtin_mul_overflow(entries, call->views, &all) ||
        all > (size_t)PY_SSIZE_T_MAX / 8) {
        PyErr_SetString(PyExc_ValueError, "loss: the logits are too large");
        return false;
    }
    return true;
}

bool native_loss_ignore(PyObject *object, loss_call *call)
{
    call->ignores = object != Py_None;
    if (call->ignores)
        call->ignore_index = PyLong_AsLongLong(object);
    return !call->ignores || PyErr_Occurred() == NULL;
}
