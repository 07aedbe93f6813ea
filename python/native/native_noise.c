/* native/native_noise.c - label noise and the audit of labels, on arrays. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

#include "jensen/audit.h"
#include "jensen/noise.h"

/* Texts of a sequence, borrowed from it; NULL with `*count` 0 for None. The array is the
 * caller's (free). False with an exception. */
static bool get_texts(PyObject *sequence, const char *name, size_t count,
                      const char ***out)
{
    *out = NULL;
    if (sequence == Py_None)
        return true;
    const Py_ssize_t length = PyTuple_Check(sequence) ? PyTuple_Size(sequence) : -1;
    if (length < 0 || (size_t)length != count) {
        PyErr_Format(PyExc_ValueError, "%s is no tuple of %zu texts", name, count);
        return false;
    }
    const char **texts = calloc(count + 1, sizeof *texts);
    if (texts == NULL) {
        (void)PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        texts[i] =
            PyUnicode_AsUTF8AndSize(PyTuple_GetItem(sequence, (Py_ssize_t)i), NULL);
        if (texts[i] == NULL) {
            free(texts);
            return false;
        }
    }
    *out = texts;
    return true;
}

static PyObject *give_noise(const jsn_noise_result *r, const native_array *labels,
                            const native_array *rates, const native_array *counts)
{
    int64_t *cells = counts->data;
    memcpy(labels->data, r->labels, r->samples * sizeof *r->labels);
    memcpy(rates->data, r->class_rates, r->classes * sizeof *r->class_rates);
    for (size_t i = 0; cells != NULL && r->transitions != NULL && i < counts->count;
         i++)
        cells[i] = (int64_t)r->transitions[i];
    return Py_BuildValue("(ddnnd)", r->nominal_rate, r->real_rate, (Py_ssize_t)r->drawn,
                         (Py_ssize_t)r->changed, r->factor);
}

/* What noise() holds. */
typedef struct noise_arrays {
    native_array labels, posteriors, noisy, rates, counts;
} noise_arrays;

static bool get_noise_arrays(noise_arrays *a, PyObject *const objects[5],
                             size_t classes)
{
    return native_array_get(&a->labels, objects[0], "labels", 'i', false, false) &&
           native_array_get(&a->posteriors, objects[1], "posteriors", 'f', false,
                            true) &&
           native_array_get(&a->noisy, objects[2], "noisy", 'i', true, false) &&
           native_array_get(&a->rates, objects[3], "rates", 'd', true, false) &&
           native_array_get(&a->counts, objects[4], "counts", 'q', true, true) &&
           native_array_fits(&a->posteriors, "posteriors", a->labels.count * classes) &&
           native_array_fits(&a->noisy, "noisy", a->labels.count) &&
           native_array_fits(&a->rates, "rates", classes) &&
           native_array_fits(&a->counts, "counts", classes * classes);
}

/* noise(spec, labels, classes, class_names, asymmetric, paths, posteriors, seed, noisy,
 * rates, counts) -> (nominal, real, drawn, changed, factor) */
static PyObject *noise(PyObject *module, PyObject *args)
{
    const char *spec, *asymmetric;
    PyObject *objects[5], *names_object, *paths_object, *result = NULL;
    Py_ssize_t classes;
    unsigned long long seed;
    const char **names = NULL, **paths = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "sOnOzOOKOOO", &spec, &objects[0], &classes,
                          &names_object, &asymmetric, &paths_object, &objects[1], &seed,
                          &objects[2], &objects[3], &objects[4]))
        return NULL;
    if (classes < 2 || classes > 1 << 24) {
        PyErr_Format(PyExc_ValueError, "%zd classes are not in 2..16777216", classes);
        return NULL;
    }
    noise_arrays a;
    jsn_noise *model = NULL;
    jsn_noise_input in;
    jsn_noise_result noisy = {0};
    memset(&a, 0, sizeof a);
    jsn_noise_input_init(&in);
    if (get_noise_arrays(&a, objects, (size_t)classes) &&
        get_texts(names_object, "class_names", (size_t)classes, &names) &&
        get_texts(paths_object, "paths", a.labels.count, &paths)) {
        in.labels = a.labels.data;
        in.samples = a.labels.count;
        in.classes = (size_t)classes;
        in.class_names = names;
        in.asymmetric = asymmetric;
        in.paths = paths;
        in.posteriors = a.posteriors.data;
        in.seed = seed;
        jsn_status status = jsn_noise_create(&model, spec);
        if (status == JSN_OK)
            status = jsn_noise_apply(model, &in, &noisy);
        result = status == JSN_OK ? give_noise(&noisy, &a.noisy, &a.rates, &a.counts)
                                  : native_raise(status);
    }
    jsn_noise_result_release(&noisy);
    jsn_noise_destroy(model);
    free(names);
    free(paths);
    native_array_release(&a.labels);
    native_array_release(&a.posteriors);
    native_array_release(&a.noisy);
    native_array_release(&a.rates);
    native_array_release(&a.counts);
    return result;
}

/* What audit() holds: inputs, then outputs. */
enum {
    LABELS,
    POSTERIORS,
    VIEWS, /* or None */
    SCORE,
    SUGGESTED,
    KIND,
    ORDER,
    MATRIX,
    RATES,
    THRESHOLDS,
    AUDIT_ARRAYS
};

static bool get_audit_arrays(native_array *a, PyObject *const *objects, bool f64,
                             size_t classes, size_t views)
{
    static const struct {
        const char *name;
        char format;
        bool by_class;
    } rows[AUDIT_ARRAYS] = {{"labels", 'i', false},     {"posteriors", 'f', false},
                            {"views", 'f', false},      {"score", 'f', false},
                            {"suggested", 'i', false},  {"kind", 'B', false},
                            {"order", 'I', false},      {"matrix", 'd', true},
                            {"class_rates", 'd', true}, {"thresholds", 'd', true}};
    for (size_t i = 0; i < AUDIT_ARRAYS; i++) {
        const char format = i == POSTERIORS && f64 ? 'd' : rows[i].format;
        if (!native_array_get(&a[i], objects[i], rows[i].name, format, i >= SCORE,
                              i == VIEWS))
            return false;
        size_t count = rows[i].by_class ? classes : a[LABELS].count;
        if (i == POSTERIORS || i == MATRIX)
            count *= classes;
        if (i == VIEWS)
            count *= classes * views;
        if (!native_array_fits(&a[i], rows[i].name, count))
            return false;
    }
    return true;
}

static PyObject *give_audit(const jsn_audit_result *r, const native_array *a)
{
    memcpy(a[SCORE].data, r->score, r->samples * sizeof *r->score);
    memcpy(a[SUGGESTED].data, r->suggested, r->samples * sizeof *r->suggested);
    memcpy(a[KIND].data, r->kind, r->samples * sizeof *r->kind);
    memcpy(a[ORDER].data, r->order, r->suspects * sizeof *r->order);
    memcpy(a[MATRIX].data, r->matrix, r->classes * r->classes * sizeof *r->matrix);
    memcpy(a[RATES].data, r->class_rates, r->classes * sizeof *r->class_rates);
    memcpy(a[THRESHOLDS].data, r->thresholds, r->classes * sizeof *r->thresholds);
    return Py_BuildValue("(nddd)", (Py_ssize_t)r->suspects, r->noise_rate, r->noise_low,
                         r->noise_high);
}

/* audit(classes, views, f64, method, cutoff, confidence, threads, arrays) with the arrays as
 * above -> (suspects, rate, low, high) */
static PyObject *audit(PyObject *module, PyObject *args)
{
    Py_ssize_t classes, views, threads;
    int f64;
    jsn_audit_options options;
    PyObject *objects[AUDIT_ARRAYS], *result = NULL;
    native_array a[AUDIT_ARRAYS];
    (void)module;
    jsn_audit_options_init(&options);
    if (!PyArg_ParseTuple(args, "nnpsddn(OOOOOOOOOO)", &classes, &views, &f64,
                          &options.method, &options.cutoff, &options.confidence,
                          &threads, &objects[0], &objects[1], &objects[2], &objects[3],
                          &objects[4], &objects[5], &objects[6], &objects[7],
                          &objects[8], &objects[9]))
        return NULL;
    if (classes < 1 || classes > 1 << 24 || views < 0 || views > 1000 || threads < 0) {
        PyErr_SetString(PyExc_ValueError,
                        "audit: classes, views or threads out of bounds");
        return NULL;
    }
    options.threads = (size_t)threads;
    memset(a, 0, sizeof a);
    if (get_audit_arrays(a, objects, f64 != 0, (size_t)classes, (size_t)views)) {
        jsn_audit_input in;
        jsn_audit_result judged = {0};
        jsn_status status;
        jsn_audit_input_init(&in);
        in.labels = a[LABELS].data;
        in.samples = a[LABELS].count;
        in.classes = (size_t)classes;
        in.posteriors = f64 ? NULL : a[POSTERIORS].data;
        in.posteriors64 = f64 ? a[POSTERIORS].data : NULL;
        in.views = a[VIEWS].data;
        in.view_count = (size_t)views;
        Py_BEGIN_ALLOW_THREADS status = jsn_audit(&in, &options, &judged);
        Py_END_ALLOW_THREADS result =
            status == JSN_OK ? give_audit(&judged, a) : native_raise(status);
        jsn_audit_result_release(&judged);
    }
    for (size_t i = 0; i < AUDIT_ARRAYS; i++)
        native_array_release(&a[i]);
    return result;
}

/* audit_kinds(): their names, by number. */
static PyObject *audit_kinds(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    PyObject *list = PyList_New(0);
    for (int i = 0; list != NULL && i < JSN_AUDIT_KINDS; i++) {
        PyObject *name = PyUnicode_FromString(jsn_audit_kind_name((jsn_audit_kind)i));
        if (name == NULL || PyList_Append(list, name) != 0)
            Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

static PyMethodDef functions[] = {
    {"noise", noise, METH_VARARGS, "Noisy labels."},
    {"audit", audit, METH_VARARGS, "Judges labels."},
    {"audit_kinds", audit_kinds, METH_NOARGS, "What a suspect can be."},
    {NULL, NULL, 0, NULL}};

int native_add_noise(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
