/* native/native_loss.h - what an evaluation reads and writes, and the handles of the library
 * that an object of jensen._native.Loss keeps. */
#ifndef JENSEN_NATIVE_LOSS_H
#define JENSEN_NATIVE_LOSS_H

#include "native.h" /* first: Python chooses what the system headers show */

#include "jensen/loss.h"

typedef enum target_kind { LABELS_64, LABELS_32, SOFT } target_kind;
typedef enum reduction { MEAN, SUM, NONE } reduction;

/* One evaluation: what is read and written. */
typedef struct loss_call {
    size_t views, samples, classes;
    bool f64;           /* logits, soft targets, value and gradient */
    const void *logits; /* [views][samples][classes] */
    const void *target; /* [samples] labels, or [samples][classes] */
    target_kind kind;
    const double *class_weights, *sample_weights; /* or NULL */
    bool ignores; /* samples with the label ignore_index */
    int64_t ignore_index;
    reduction reduction;
    void *value; /* [1], or [samples] for NONE */
    void *grad;  /* as the logits, or NULL: of the mean for MEAN, else of the sum */
} loss_call;

typedef struct handle {
    struct handle *next;
    jsn_loss *loss;
    size_t classes, views;
    size_t threads; /* as asked for; 1 at first */
    size_t room;    /* samples */
    int32_t *labels;
    double *weights, *values;
} handle;

typedef struct LossObject {
    PyObject_HEAD char *spec;
    handle *idle;
    unsigned process;
} LossObject;

/* A loss by its spec, with its matrix read. A failure may have set an exception, which then
 * says more than the library. */
jsn_status native_loss_make(jsn_loss **out, const char *spec, size_t classes,
                            size_t views);

/* A handle that fits, from the object's list or new; NULL with the exception. */
handle *native_loss_take(LossObject *self, const loss_call *call);
/* Gives it back. */
void native_loss_give(LossObject *self, handle *h);

/* False with a ValueError: nothing to evaluate, or more than memory can hold. */
bool native_loss_sizes(const loss_call *call);
/* The label that does not count, or None; false with an exception. */
bool native_loss_ignore(PyObject *object, loss_call *call);

/* Loss.launch() */
PyObject *native_loss_launch(PyObject *object, PyObject *const *args, Py_ssize_t count);

#endif /* JENSEN_NATIVE_LOSS_H */
