/* native/native_study.c - reading a study: its trials with their options, facts and curves. */
#include "native.h"

#include <string.h>

#include "jensen/sweep.h"

static PyObject *text_of(const char *text)
{
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "backslashreplace");
}

static PyObject *pairs_of(const jsn_sweep_pair *pairs, size_t count)
{
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict != NULL && i < count; i++) {
        PyObject *name = text_of(pairs[i].name), *text = text_of(pairs[i].text);
        if (name == NULL || text == NULL || PyDict_SetItem(dict, name, text) != 0)
            Py_CLEAR(dict);
        Py_XDECREF(name);
        Py_XDECREF(text);
    }
    return dict;
}

static PyObject *curve_of(const jsn_sweep_trial *trial)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < trial->step_count; i++) {
        PyObject *value = PyFloat_FromDouble(trial->steps[i]);
        if (value == NULL || PyList_Append(list, value) != 0)
            Py_CLEAR(list);
        Py_XDECREF(value);
    }
    return list;
}

/* (number, state, value, measured, options, facts, curve) */
static PyObject *trial_of(const jsn_sweep_trial *trial)
{
    PyObject *options = pairs_of(trial->options, trial->option_count);
    PyObject *facts = pairs_of(trial->facts, trial->fact_count);
    PyObject *curve = curve_of(trial);
    PyObject *row = NULL;
    if (options != NULL && facts != NULL && curve != NULL)
        row = Py_BuildValue("(LsdsOOO)", (long long)trial->number,
                            jsn_sweep_state_name(trial->state), trial->value,
                            trial->measured, options, facts, curve);
    Py_XDECREF(options);
    Py_XDECREF(facts);
    Py_XDECREF(curve);
    return row;
}

/* The trials by number, and those of the best configuration; NULL with an exception. */
static PyObject *study_of(const jsn_sweep *sweep, const jsn_sweep_trial *trials,
                          size_t count)
{
    jsn_sweep_choice choice;
    const jsn_status status = jsn_sweep_choose(sweep, trials, count, NULL, &choice);
    if (status != JSN_OK)
        return native_raise(status);
    PyObject *rows = PyList_New(0), *best = PyList_New(0), *result = NULL;
    bool good = rows != NULL && best != NULL;
    for (size_t i = 0; good && i < count; i++) {
        PyObject *row = trial_of(&trials[i]);
        good = row != NULL && PyList_Append(rows, row) == 0;
        Py_XDECREF(row);
    }
    for (size_t i = 0; good && i < choice.n; i++) {
        PyObject *index = PyLong_FromSize_t(choice.trials[i]);
        good = index != NULL && PyList_Append(best, index) == 0;
        Py_XDECREF(index);
    }
    jsn_sweep_choice_release(&choice);
    if (good)
        result = Py_BuildValue("(ssOO)", jsn_sweep_about(sweep).name,
                               jsn_sweep_about(sweep).objective, rows, best);
    Py_XDECREF(rows);
    Py_XDECREF(best);
    return result;
}

/* study(url, name) -> (name, objective, trials, indices of the best configuration) */
static PyObject *study(PyObject *module, PyObject *args)
{
    const char *url, *name;
    jsn_sweep *sweep = NULL;
    jsn_sweep_trial *trials = NULL;
    size_t count = 0;
    jsn_status status;
    (void)module;
    if (!PyArg_ParseTuple(args, "ss", &url, &name))
        return NULL;
    Py_BEGIN_ALLOW_THREADS status = jsn_sweep_open_to_read(&sweep, url, name);
    if (status == JSN_OK)
        status = jsn_sweep_trials(sweep, &trials, &count);
    Py_END_ALLOW_THREADS PyObject *result =
        status == JSN_OK ? study_of(sweep, trials, count) : native_raise(status);
    jsn_sweep_trials_release(trials, count);
    jsn_sweep_close(sweep);
    return result;
}

static PyMethodDef functions[] = {
    {"study", study, METH_VARARGS, "Reads the trials of a study."},
    {NULL, NULL, 0, NULL}};

int native_add_study(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
