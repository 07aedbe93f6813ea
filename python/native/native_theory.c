/* native/native_theory.c - jensen/theory.h, function by function. */
#include "native.h"

#include "jensen/theory.h"

static bool get_reals(native_array *array, PyObject *object, const char *name,
                      size_t count)
{
    return native_array_get(array, object, name, 'd', false, true) &&
           native_array_fits(array, name, count);
}

static PyObject *give_bounds(const jsn_theory_bounds *b)
{
    return Py_BuildValue("{s:n,s:n,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:N}", "classes",
                         (Py_ssize_t)b->classes, "views", (Py_ssize_t)b->views, "pi1",
                         b->pi1, "z", b->z, "lower", b->lower, "upper", b->upper,
                         "upper_js", b->upper_js, "c1", b->c1, "c2", b->c2,
                         "upper_tight", PyBool_FromLong(b->upper_tight));
}

/* With the weights where there are any. */
static jsn_status find_bounds(jsn_theory_bounds *b, Py_ssize_t classes,
                              Py_ssize_t views, double pi1, const native_array *weights)
{
    const size_t k = classes < 0 ? 0 : (size_t)classes,
                 v = views < 0 ? 0 : (size_t)views;
    return weights->data == NULL ? jsn_theory_bounds_equal(b, k, v, pi1)
                                 : jsn_theory_bounds_weighted(b, k, v, weights->data);
}

/* bounds(classes, views, pi1, weights) */
static PyObject *bounds(PyObject *module, PyObject *args)
{
    Py_ssize_t classes, views;
    double pi1;
    PyObject *object, *result = NULL;
    native_array weights = {0};
    jsn_theory_bounds b;
    (void)module;
    if (!PyArg_ParseTuple(args, "nndO", &classes, &views, &pi1, &object))
        return NULL;
    if (get_reals(&weights, object, "weights", (size_t)views + 1)) {
        const jsn_status status = find_bounds(&b, classes, views, pi1, &weights);
        result = status == JSN_OK ? give_bounds(&b) : native_raise(status);
    }
    native_array_release(&weights);
    return result;
}

/* label_sum(loss, parameter, classes) -> (lower, upper) */
static PyObject *label_sum(PyObject *module, PyObject *args)
{
    int loss;
    double parameter, lower = 0.0, upper = 0.0;
    Py_ssize_t classes;
    (void)module;
    if (!PyArg_ParseTuple(args, "idn", &loss, &parameter, &classes))
        return NULL;
    const jsn_status status =
        jsn_theory_label_sum((jsn_theory_loss)loss, parameter,
                             classes < 0 ? 0 : (size_t)classes, &lower, &upper);
    return status == JSN_OK ? Py_BuildValue("(dd)", lower, upper)
                            : native_raise(status);
}

/* curve(which, parameter, points, out): 0 the scaled JS, 1 to 4 the gradient scales, 5 f,
 * 6 its second derivative, each at all points. */
static PyObject *curve(PyObject *module, PyObject *args)
{
    int which;
    double parameter;
    PyObject *points_object, *out_object, *result = NULL;
    native_array points = {0}, out = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "idOO", &which, &parameter, &points_object,
                          &out_object))
        return NULL;
    if (which < 0 || which > 6) {
        PyErr_Format(PyExc_ValueError, "theory: no curve %d", which);
        return NULL;
    }
    if (native_array_get(&points, points_object, "points", 'd', false, false) &&
        native_array_get(&out, out_object, "out", 'd', true, false) &&
        native_array_fits(&out, "out", points.count)) {
        const double *x = points.data;
        double *y = out.data;
        for (size_t i = 0; i < points.count; i++)
            y[i] = which == 0   ? jsn_theory_js(parameter, x[i])
                   : which == 5 ? jsn_theory_f(parameter, x[i])
                   : which == 6 ? jsn_theory_f_second(parameter, x[i])
                                : jsn_theory_gradient_scale(
                                      (jsn_theory_loss)(which - 1), parameter, x[i]);
        result = Py_NewRef(Py_None);
    }
    native_array_release(&points);
    native_array_release(&out);
    return result;
}

/* match_gce(q, p) -> (pi1, 1 - pi1) */
static PyObject *match_gce(PyObject *module, PyObject *args)
{
    double q, p, pi1 = 0.0, rest = 0.0;
    (void)module;
    if (!PyArg_ParseTuple(args, "dd", &q, &p))
        return NULL;
    const jsn_status status = jsn_theory_match_gce(q, p, &pi1, &rest);
    return status == JSN_OK ? Py_BuildValue("(dd)", pi1, rest) : native_raise(status);
}

/* divergence(weights, p, classes) */
static PyObject *divergence(PyObject *module, PyObject *args)
{
    PyObject *weights_object, *p_object, *result = NULL;
    Py_ssize_t classes;
    native_array weights = {0}, p = {0};
    double value = 0.0;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOn", &weights_object, &p_object, &classes))
        return NULL;
    if (native_array_get(&weights, weights_object, "weights", 'd', false, false) &&
        native_array_get(&p, p_object, "p", 'd', false, false) &&
        native_array_fits_table(&p, "p", weights.count, (size_t)classes)) {
        const jsn_status status = jsn_theory_divergence(weights.count, (size_t)classes,
                                                        weights.data, p.data, &value);
        result = status == JSN_OK ? PyFloat_FromDouble(value) : native_raise(status);
    }
    native_array_release(&weights);
    native_array_release(&p);
    return result;
}

/* decompose(views, classes, pi1, weights, label, p) */
static PyObject *decompose(PyObject *module, PyObject *args)
{
    Py_ssize_t views, classes, label;
    double pi1;
    PyObject *weights_object, *p_object, *result = NULL;
    native_array weights = {0}, p = {0};
    jsn_theory_parts parts;
    (void)module;
    if (!PyArg_ParseTuple(args, "nndOnO", &views, &classes, &pi1, &weights_object,
                          &label, &p_object))
        return NULL;
    if (get_reals(&weights, weights_object, "weights", (size_t)views + 1) &&
        native_array_get(&p, p_object, "p", 'd', false, false) &&
        native_array_fits_table(&p, "p", (size_t)views, (size_t)classes)) {
        const jsn_status status =
            jsn_theory_decompose(&parts, (size_t)views, (size_t)classes, pi1,
                                 weights.data, (size_t)label, p.data);
        result = status == JSN_OK
                     ? Py_BuildValue("{s:d,s:d,s:d,s:d,s:d}", "z", parts.z, "gjs",
                                     parts.gjs, "js", parts.js, "consistency",
                                     parts.consistency, "spread", parts.spread)
                     : native_raise(status);
    }
    native_array_release(&weights);
    native_array_release(&p);
    return result;
}

/* risk(classes, views, pi1, weights, eta or None, transition or None, prior or None,
 * consistent) */
static PyObject *risk(PyObject *module, PyObject *args)
{
    Py_ssize_t classes, views;
    double pi1, eta;
    PyObject *weights_object, *transition_object, *prior_object, *result = NULL;
    int consistent;
    native_array weights = {0}, transition = {0}, prior = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "nndOdOOp", &classes, &views, &pi1, &weights_object,
                          &eta, &transition_object, &prior_object, &consistent))
        return NULL;
    if (classes > 1 << 20) {
        PyErr_SetString(PyExc_ValueError, "theory: too many classes");
        return NULL;
    }
    if (get_reals(&weights, weights_object, "weights", (size_t)views + 1) &&
        get_reals(&transition, transition_object, "transition",
                  (size_t)classes * (size_t)classes) &&
        get_reals(&prior, prior_object, "prior", (size_t)classes)) {
        jsn_theory_bounds b;
        jsn_theory_risk r;
        jsn_status status = find_bounds(&b, classes, views, pi1, &weights);
        if (status == JSN_OK)
            status = transition.data == NULL
                         ? jsn_theory_risk_symmetric(&r, &b, eta, consistent != 0)
                         : jsn_theory_risk_asymmetric(&r, &b, transition.data,
                                                      prior.data, consistent != 0);
        result =
            status == JSN_OK
                ? Py_BuildValue("{s:d,s:d,s:d,s:d}", "noisy_lowest", r.noisy_lowest,
                                "noisy_highest", r.noisy_highest, "clean_lowest",
                                r.clean_lowest, "clean_highest", r.clean_highest)
                : native_raise(status);
    }
    native_array_release(&weights);
    native_array_release(&transition);
    native_array_release(&prior);
    return result;
}

static PyMethodDef functions[] = {
    {"theory_bounds", bounds, METH_VARARGS, "Constants that bound a loss."},
    {"theory_label_sum", label_sum, METH_VARARGS, "Bounds of the sum over all labels."},
    {"theory_curve", curve, METH_VARARGS, "A function at points."},
    {"theory_match_gce", match_gce, METH_VARARGS, "pi1 for a q."},
    {"theory_divergence", divergence, METH_VARARGS, "D(p1, ..., pM)."},
    {"theory_decompose", decompose, METH_VARARGS, "GJS = JS + consistency."},
    {"theory_risk", risk, METH_VARARGS, "Risk bounds."},
    {NULL, NULL, 0, NULL}};

int native_add_theory(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
