/* native/native_listener.c - exceptions and signals during a long call of the library, which
 * holds no lock of the interpreter: it is stopped, and they are raised when it has returned. */
#include "native.h"

native_listener native_listen(PyObject *callable)
{
    const native_listener l = {.callable = callable == Py_None ? NULL : callable};
    return l;
}

void native_listener_keep(native_listener *l)
{
    if (!l->stop)
        PyErr_Fetch(&l->type, &l->value, &l->trace);
    else
        PyErr_Clear();
    l->stop = true;
}

int native_listener_stop(void *user)
{
    native_listener *l = user;
    if (l->stop)
        return 1;
    const PyGILState_STATE state = PyGILState_Ensure();
    if (PyErr_CheckSignals() != 0)
        native_listener_keep(l);
    PyGILState_Release(state);
    return l->stop;
}

bool native_listener_raise(native_listener *l)
{
    if (l->stop)
        PyErr_Restore(l->type, l->value, l->trace);
    return l->stop;
}
