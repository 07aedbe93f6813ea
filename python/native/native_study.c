/* native/native_study.c - studies: making one, doing its runs, and reading its trials with
 * their options, facts and curves. */
#include "native.h"

#include <string.h>

#include "jensen/dataset.h"
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

/* A study of data that is not there would fail with its first run. */
static jsn_status look_for_data(const jsn_train_config *base)
{
    const char *const specs[] = {base->data, base->val, base->test};
    jsn_status status = JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < sizeof specs / sizeof specs[0]; i++) {
        jsn_dataset *data = NULL;
        if (specs[i] != NULL)
            status = jsn_dataset_open(&data, specs[i], NULL);
        jsn_dataset_close(data);
    }
    return status;
}

static jsn_status create(const char *url, const char *name, const char *path)
{
    jsn_sweep_plan plan;
    jsn_train_config base;
    memset(&plan, 0, sizeof plan);
    jsn_train_config_clear(&base);
    jsn_status status = jsn_sweep_plan_init(&plan);
    if (status == JSN_OK)
        status = jsn_sweep_plan_read(path, &plan, &base);
    if (status == JSN_OK)
        status = jsn_train_config_read_file(&base);
    if (status == JSN_OK)
        status = look_for_data(&base);
    if (status == JSN_OK)
        status = jsn_sweep_create(NULL, url, name, &plan, &base);
    jsn_sweep_plan_release(&plan);
    jsn_train_config_release(&base);
    return status;
}

/* study_create(url, name, path): a study by a file with its axes and options. */
static PyObject *study_create(PyObject *module, PyObject *args)
{
    const char *url, *name, *path;
    jsn_status status;
    (void)module;
    if (!PyArg_ParseTuple(args, "sss", &url, &name, &path))
        return NULL;
    Py_BEGIN_ALLOW_THREADS status = create(url, name, path);
    Py_END_ALLOW_THREADS return status == JSN_OK ? Py_NewRef(Py_None)
                                                 : native_raise(status);
}

static void tell_of_run(const char *run, void *user)
{
    native_listener *l = user;
    if (l->callable == NULL || l->stop)
        return;
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *answer = PyObject_CallFunction(l->callable, "s", run);
    if (answer == NULL)
        native_listener_keep(l);
    Py_XDECREF(answer);
    PyGILState_Release(state);
}

/* study_run(url, name, folder, threads, device or None, retry, callback or None): does the
 * runs that are left; the callback hears of the folder of each. -> how many ended */
static PyObject *study_run(PyObject *module, PyObject *args)
{
    const char *url, *name;
    PyObject *callable;
    jsn_sweep *sweep = NULL;
    jsn_sweep_worker worker;
    Py_ssize_t threads;
    int retry;
    size_t done = 0;
    jsn_status status;
    (void)module;
    jsn_sweep_worker_init(&worker);
    if (!PyArg_ParseTuple(args, "sssnzpO", &url, &name, &worker.folder, &threads,
                          &worker.device, &retry, &callable))
        return NULL;
    native_listener l = native_listen(callable);
    worker.threads = threads;
    worker.ended = tell_of_run;
    Py_BEGIN_ALLOW_THREADS status = jsn_sweep_open(&sweep, url, name);
    if (status == JSN_OK && retry)
        status = jsn_sweep_retry(sweep, NULL);
    if (status == JSN_OK)
        status = jsn_sweep_work(sweep, &worker, NULL, native_listener_stop, &l, &done);
    jsn_sweep_close(sweep);
    Py_END_ALLOW_THREADS if (native_listener_raise(&l)) return NULL;
    return status == JSN_OK ? PyLong_FromSize_t(done) : native_raise(status);
}

static PyMethodDef functions[] = {
    {"study_create", study_create, METH_VARARGS, "Makes a study."},
    {"study_run", study_run, METH_VARARGS, "Does the runs of a study."},
    {"study", study, METH_VARARGS, "Reads the trials of a study."},
    {NULL, NULL, 0, NULL}};

int native_add_study(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
