/* native/native.h - what the files of the extension jensen._native share: failures of the
 * library as Python exceptions, arrays as buffers, and the parts of the module. The
 * extension is written in the limited API of Python 3.11, so that one wheel serves all
 * versions from there on; it uses the public headers of the library alone. */
#ifndef JENSEN_NATIVE_H
#define JENSEN_NATIVE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jensen/param.h"
#include "jensen/status.h"

/* Raises what the status stands for, with the library's sentence. Always NULL. Call it
 * on the thread that the library failed on. */
PyObject *native_raise(jsn_status status);
/* The same with a sentence that another thread left. */
PyObject *native_raise_text(jsn_status status, const char *sentence);

/* A contiguous array that a Python object lends through the buffer protocol. Zeroed at
 * first; release it in any case. */
typedef struct native_array {
    Py_buffer view;
    void *data;   /* NULL: the object is None */
    size_t count; /* elements */
} native_array;

/* `format` is the code of the struct module for an element ('f', 'd', 'i', 'I', 'q', 'B').
 * None gives no data where `optional`. A wrong type, or memory that must be written and
 * cannot, is a TypeError; false then. `name` is for the sentence. */
bool native_array_get(native_array *array, PyObject *object, const char *name,
                      char format, bool writable, bool optional);
void native_array_release(native_array *array);

/* False with a ValueError unless the array, if there is one, has `count` elements. */
bool native_array_fits(const native_array *array, const char *name, size_t count);
/* The same for rows x columns, whose product may be more than a size can be. */
bool native_array_fits_table(const native_array *array, const char *name, size_t rows,
                             size_t columns);

/* (name, help, initial, lowest, highest) of the parameters of a table entry, as a tuple.
 * What has no number (a text, a list) has None for the three. NULL with an exception. */
PyObject *native_params(const jsn_param_info *params, size_t count);

/* Who hears of a long call, and what went wrong there: an exception of the callable, or a
 * signal, as of Ctrl-C. It stops the call, which raises it at its end. */
typedef struct native_listener {
    PyObject *callable; /* NULL: nobody */
    bool stop;          /* an exception waits */
    PyObject *type, *value, *trace;
} native_listener;

/* NULL where nobody is to hear (None). */
native_listener native_listen(PyObject *callable);
/* Keeps the first exception; the interpreter's lock is held. */
void native_listener_keep(native_listener *l);
/* Whether to stop; asks for signals. `user` is the listener. Takes the lock. */
int native_listener_stop(void *user);
/* Raises what was kept; false where nothing was. */
bool native_listener_raise(native_listener *l);

/* One function a file; each adds its types and functions. -1 with an exception. */
int native_add_errors(PyObject *module);
int native_add_block(PyObject *module);
int native_add_loss(PyObject *module);
int native_add_loss_gpu(PyObject *module);
int native_add_augment(PyObject *module);
int native_add_noise(PyObject *module);
int native_add_theory(PyObject *module);
int native_add_train(PyObject *module);
int native_add_study(PyObject *module);
int native_add_weights(PyObject *module);

#endif /* JENSEN_NATIVE_H */
