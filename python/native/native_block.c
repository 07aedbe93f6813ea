/* native/native_block.c - memory for large gradients that is used again: the type Block.
 *
 * A training step frees its gradient just before the next one asks for as much. The
 * system's allocator often gives such memory back in between, and taking it into use again
 * costs as much as a third of the loss. So the block that was freed last waits here for the
 * next request of its size. Everything happens under Python's lock. */
#include "native.h"

#include <stdlib.h>

/* More than this is not kept: no process should hold so much for nothing. */
static const size_t most_kept = (size_t)256 << 20;
enum { ALIGNMENT = 64 };

typedef struct {
    PyObject_HEAD void *data;
    size_t bytes;
} BlockObject;

static void *kept;
static size_t kept_bytes;

static void drop_kept(void)
{
    free(kept);
    kept = NULL;
    kept_bytes = 0;
}

/* Block(bytes) */
static PyObject *block_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    Py_ssize_t bytes;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "n", &bytes))
        return NULL;
    if (bytes < 1) {
        PyErr_SetString(PyExc_ValueError, "a block has 1 byte at least");
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    BlockObject *self = (BlockObject *)allocate(type, 0);
    if (self == NULL)
        return NULL;
    self->bytes = (size_t)bytes;
    if (kept_bytes == self->bytes) {
        self->data = kept;
        kept = NULL;
        kept_bytes = 0;
        return (PyObject *)self;
    }
    drop_kept();
    if (posix_memalign(&self->data, ALIGNMENT, self->bytes) != 0) {
        self->data = NULL;
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void block_free(PyObject *object)
{
    BlockObject *self = (BlockObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (self->data != NULL && self->bytes <= most_kept) {
        drop_kept();
        kept = self->data;
        kept_bytes = self->bytes;
    } else {
        free(self->data);
    }
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static int block_get(PyObject *object, Py_buffer *view, int flags)
{
    const BlockObject *self = (BlockObject *)object;
    return PyBuffer_FillInfo(view, object, self->data, (Py_ssize_t)self->bytes, 0,
                             flags);
}

static PyType_Slot block_slots[] = {{Py_tp_new, block_new},
                                    {Py_tp_dealloc, block_free},
                                    {Py_bf_getbuffer, block_get},
                                    {0, NULL}};

static PyType_Spec block_spec = {.name = "jensen._native.Block",
                                 .basicsize = sizeof(BlockObject),
                                 .flags = Py_TPFLAGS_DEFAULT,
                                 .slots = block_slots};

int native_add_block(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&block_spec);
    if (type == NULL)
        return -1;
    const int result = PyModule_AddObjectRef(module, "Block", type);
    Py_DECREF(type);
    return result;
}
