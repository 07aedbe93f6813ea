/* cli/command_loss.c - evaluates a loss and its gradient on arrays in .npy files: for a
 * look at a loss, and for other languages to check themselves against. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_loss.h"
#include "cli/cli_numbers.h"
#include "cli/cli_options.h"
#include "cli/cli_record.h"
#include "core/json.h"
#include "jensen/array.h"
#include "jensen/backend.h"
#include "jensen/loss.h"

typedef struct loss_values {
    jsn_texts logits, plugin;
    char *labels, *targets, *grad, *device;
    int64_t threads;
    bool json, check;
} loss_values;

static const jsn_option_info options[] = {
    {"logits", 0, JSN_OPTION_TEXTS, NULL, 0, 0, NULL, "FILE",
     "float32 or float64 [N][K]; once for each view", offsetof(loss_values, logits)},
    {"labels", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "FILE",
     "int32 or int64 [N], each in 0..K-1", offsetof(loss_values, labels)},
    {"targets", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "FILE",
     "soft targets instead of labels, float [N][K]", offsetof(loss_values, targets)},
    {"grad", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "PREFIX",
     "write the gradient of the mean to PREFIX0.npy, PREFIX1.npy, ..., one per view",
     offsetof(loss_values, grad)},
    {"device", 0, JSN_OPTION_TEXT, "cpu", 0, 0, NULL, "D",
     "where to compute float32 logits: cpu, cuda, cuda:1, ref",
     offsetof(loss_values, device)},
    {"threads", 't', JSN_OPTION_INT, "1", 0, 1024, NULL, "N",
     "CPU threads; 0: all cores. The result is the same for any number",
     offsetof(loss_values, threads)},
    {"check", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "test the loss instead: gradients against central differences, shifts, float32 "
     "against float64, ties, extreme logits",
     offsetof(loss_values, check)},
    CLI_PLUGIN_ROW(loss_values),
    CLI_JSON_ROW(loss_values, "print {\"loss\":MEAN,\"per_sample\":[...]}"),
};

/* The arrays of a call. */
typedef struct loss_work {
    const loss_values *values;
    size_t views, samples, classes;
    jsn_array *arrays; /* [views], as read */
    jsn_array all;     /* [views][samples][classes] */
    jsn_array grad;    /* the same */
    jsn_array labels, targets;
    double *per_sample; /* [samples], or NULL where the loss has none */
} loss_work;

static jsn_status read_view(loss_work *w, size_t v)
{
    const char *path = w->values->logits.items[v];
    jsn_array *a = &w->arrays[v];
    const jsn_status status = jsn_array_read(a, path);
    if (status != JSN_OK)
        return status;
    if (a->dtype != JSN_DTYPE_FLOAT32 && a->dtype != JSN_DTYPE_FLOAT64)
        return cli_fail(JSN_ERR_DATA, "%s: logits are float32 or float64, not %s", path,
                        jsn_dtype_name(a->dtype));
    if (a->rank != 2 || a->shape[0] < 1 || a->shape[1] < 2)
        return cli_fail(
            JSN_ERR_DATA,
            "%s: logits are [samples][classes], at least one sample and two "
            "classes",
            path);
    const jsn_array *first = &w->arrays[0];
    if (a->shape[0] != first->shape[0] || a->shape[1] != first->shape[1] ||
        a->dtype != first->dtype)
        return cli_fail(JSN_ERR_DATA, "%s: %s [%zu][%zu] beside %s [%zu][%zu] in %s",
                        path, jsn_dtype_name(a->dtype), a->shape[0], a->shape[1],
                        jsn_dtype_name(first->dtype), first->shape[0], first->shape[1],
                        w->values->logits.items[0]);
    return JSN_OK;
}

/* Bytes of an array of float32 or float64. */
static size_t view_bytes(const jsn_array *view)
{
    return jsn_array_count(view) *
           (view->dtype == JSN_DTYPE_FLOAT64 ? sizeof(double) : sizeof(float));
}

static jsn_status read_logits(loss_work *w)
{
    w->views = w->values->logits.count;
    w->arrays = calloc(w->views, sizeof *w->arrays);
    if (w->arrays == NULL)
        return JSN_ERR_MEMORY;
    jsn_status status = JSN_OK;
    for (size_t v = 0; v < w->views && status == JSN_OK; v++)
        status = read_view(w, v);
    if (status != JSN_OK)
        return status;
    w->samples = w->arrays[0].shape[0];
    w->classes = w->arrays[0].shape[1];
    const size_t shape[3] = {w->views, w->samples, w->classes};
    status = jsn_array_create(&w->all, w->arrays[0].dtype, 3, shape);
    if (status == JSN_OK && w->values->grad != NULL)
        status = jsn_array_create(&w->grad, w->arrays[0].dtype, 3, shape);
    for (size_t v = 0; v < w->views && status == JSN_OK; v++) {
        const size_t bytes = view_bytes(&w->arrays[v]);
        memcpy((char *)w->all.data + v * bytes, w->arrays[v].data, bytes);
    }
    return status;
}

static jsn_status read_labels(loss_work *w, const char *path)
{
    jsn_array raw = {0};
    jsn_status status = jsn_array_read(&raw, path);
    if (status != JSN_OK)
        return status;
    if (raw.dtype == JSN_DTYPE_FLOAT32 || raw.dtype == JSN_DTYPE_FLOAT64 ||
        raw.dtype == JSN_DTYPE_FLOAT16)
        status = cli_fail(JSN_ERR_DATA, "%s: labels are integers, not %s", path,
                          jsn_dtype_name(raw.dtype));
    else if (raw.rank != 1 || raw.shape[0] != w->samples)
        status = cli_fail(JSN_ERR_DATA, "%s: labels are [%zu], one for each sample",
                          path, w->samples);
    else if (jsn_array_convert(&w->labels, &raw, JSN_DTYPE_INT32) != JSN_OK)
        status = cli_fail(JSN_ERR_DATA, "%s: %s", path, jsn_last_error());
    jsn_array_release(&raw);
    return status;
}

static jsn_status read_targets(loss_work *w, const char *path)
{
    jsn_array raw = {0};
    jsn_status status = jsn_array_read(&raw, path);
    if (status != JSN_OK)
        return status;
    if (raw.dtype != JSN_DTYPE_FLOAT32 && raw.dtype != JSN_DTYPE_FLOAT64)
        status = cli_fail(JSN_ERR_DATA, "%s: targets are float32 or float64, not %s",
                          path, jsn_dtype_name(raw.dtype));
    else if (raw.rank != 2 || raw.shape[0] != w->samples || raw.shape[1] != w->classes)
        status = cli_fail(JSN_ERR_DATA, "%s: targets are [%zu][%zu], as the logits",
                          path, w->samples, w->classes);
    else if (jsn_array_convert(&w->targets, &raw, w->all.dtype) != JSN_OK)
        status = cli_fail(JSN_ERR_DATA, "%s: %s", path, jsn_last_error());
    jsn_array_release(&raw);
    return status;
}

static jsn_status write_gradient(const loss_work *w)
{
    const size_t shape[2] = {w->samples, w->classes};
    for (size_t v = 0; v < w->views; v++) {
        jsn_array view = {0};
        char path[4096];
        const int length = snprintf(path, sizeof path, "%s%zu.npy", w->values->grad, v);
        if (length < 0 || (size_t)length >= sizeof path)
            return cli_usage("--grad: the prefix is too long");
        jsn_status status = jsn_array_create(&view, w->grad.dtype, 2, shape);
        if (status == JSN_OK) {
            const size_t bytes = view_bytes(&view);
            memcpy(view.data, (const char *)w->grad.data + v * bytes, bytes);
            status = jsn_array_write(&view, path);
        }
        jsn_array_release(&view);
        if (status != JSN_OK)
            return status;
    }
    return JSN_OK;
}

static jsn_status print_result(const loss_work *w, double mean)
{
    jsni_json_writer *writer = NULL;
    const jsn_status status = jsni_json_writer_create(&writer, 0);
    if (status != JSN_OK)
        return status;
    if (!w->values->json) {
        jsni_json_put_real(writer, NULL, mean);
        return cli_print_json(writer);
    }
    jsni_json_begin_object(writer, NULL);
    jsni_json_put_real(writer, "loss", mean);
    jsni_json_begin_array(writer, "per_sample");
    for (size_t i = 0; i < w->samples && w->per_sample != NULL; i++)
        jsni_json_put_real(writer, NULL, w->per_sample[i]);
    jsni_json_end(writer);
    jsni_json_end(writer);
    return cli_print_json(writer);
}

/* Devices have the float32 kernels of training; the definition in double is the CPU's. */
static jsn_status evaluate_on(const char *device, jsn_loss *loss,
                              const jsn_loss_batch *batch, jsn_loss_result *result)
{
    jsn_device_info info;
    if (strcmp(device, "cpu") == 0)
        return jsn_loss_eval(loss, batch, result);
    const jsn_status status = jsn_device_describe(device, &info);
    if (status != JSN_OK)
        return status;
    if (batch->type == JSN_LOSS_F32)
        return jsn_loss_eval_on(device, loss, batch, result);
    cli_say("float64 logits: evaluated by the definition, on the CPU\n");
    return jsn_loss_eval(loss, batch, result);
}

static jsn_status evaluate(loss_work *w, jsn_loss *loss)
{
    jsn_loss_batch batch;
    jsn_loss_batch_init(&batch);
    batch.samples = w->samples;
    batch.type = w->all.dtype == JSN_DTYPE_FLOAT64 ? JSN_LOSS_F64 : JSN_LOSS_F32;
    batch.logits = w->all.data;
    batch.labels = w->labels.data;
    batch.targets = w->targets.data;
    if (jsn_loss_describe_of(loss)->per_sample) {
        w->per_sample = calloc(w->samples, sizeof *w->per_sample);
        if (w->per_sample == NULL)
            return JSN_ERR_MEMORY;
    }
    jsn_loss_result result = {0.0, w->per_sample, w->grad.data};
    jsn_status status = evaluate_on(w->values->device, loss, &batch, &result);
    /* What the loss refuses for its value came out of a file. */
    if (status == JSN_ERR_NUMERIC && w->values->logits.count > 1)
        return cli_fail(JSN_ERR_DATA, "%s and %s: %s", w->values->logits.items[0],
                        w->values->logits.count == 2 ? w->values->logits.items[1]
                                                     : "the other views",
                        jsn_last_error());
    if (status == JSN_ERR_RANGE || status == JSN_ERR_NUMERIC)
        return cli_fail(JSN_ERR_DATA, "%s: %s",
                        status == JSN_ERR_NUMERIC   ? w->values->logits.items[0]
                        : w->values->labels != NULL ? w->values->labels
                                                    : w->values->targets,
                        jsn_last_error());
    if (status == JSN_OK && w->values->grad != NULL)
        status = write_gradient(w);
    return status == JSN_OK ? print_result(w, result.mean) : status;
}

/* Exit code 1 when the loss has not what every loss must have. */
static jsn_status check_loss(const char *spec, bool json)
{
    jsn_loss_finding findings[JSN_LOSS_FINDINGS];
    cli_record r;
    size_t failed = 0;
    jsn_status status = jsn_loss_verify(spec, findings);
    if (status == JSN_OK)
        status = cli_record_open(&r, json);
    if (status != JSN_OK)
        return status;
    cli_begin_array(&r, NULL);
    for (size_t i = 0; i < JSN_LOSS_FINDINGS; i++) {
        const jsn_loss_finding *f = &findings[i];
        failed += f->passed ? 0 : 1;
        cli_begin_object(&r, NULL);
        cli_words(&r, "%-6s ", f->passed ? "ok" : "FAILED");
        cli_field_text(&r, "name", "%-50s ", f->name);
        cli_field_real(&r, "worst", "%8.2g, ", f->worst);
        cli_field_real(&r, "limit", "at most %g\n", f->limit);
        cli_field_bool(&r, "passed", NULL, NULL, f->passed);
        cli_end(&r);
    }
    cli_end(&r);
    status = cli_record_close(&r);
    if (status == JSN_OK && failed > 0)
        return cli_fail(JSN_ERR_NUMERIC, "%s: %zu of %d checks failed", spec, failed,
                        (int)JSN_LOSS_FINDINGS);
    return status;
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const loss_values *v = values;
    loss_work w = {.values = v};
    jsn_loss *loss = NULL;
    if (args->count != 1)
        return cli_usage("needs one loss, such as gjs:pi1=0.5; has %zu", args->count);
    if (v->check && (v->logits.count > 0 || v->labels != NULL || v->targets != NULL ||
                     v->grad != NULL))
        return cli_usage("--check makes its own logits and labels");
    if (v->check)
        return check_loss(args->items[0], v->json);
    if (v->logits.count == 0)
        return cli_usage("--logits is missing");
    if ((v->labels == NULL) == (v->targets == NULL))
        return cli_usage("needs --labels or --targets, one of them");
    jsn_status status = jsn_loss_check(args->items[0], NULL);
    if (status == JSN_OK)
        status = read_logits(&w);
    if (status == JSN_OK)
        status = v->labels != NULL ? read_labels(&w, v->labels)
                                   : read_targets(&w, v->targets);
    if (status == JSN_OK)
        status = cli_loss_create(&loss, args->items[0], w.classes, w.views);
    if (status == JSN_OK)
        status = jsn_loss_set_threads(loss, (size_t)v->threads);
    if (status == JSN_OK)
        status = evaluate(&w, loss);
    jsn_loss_destroy(loss);
    for (size_t i = 0; i < w.views && w.arrays != NULL; i++)
        jsn_array_release(&w.arrays[i]);
    free(w.arrays);
    jsn_array_release(&w.all);
    jsn_array_release(&w.grad);
    jsn_array_release(&w.labels);
    jsn_array_release(&w.targets);
    free(w.per_sample);
    return status;
}

const cli_command cli_command_loss = {
    .name = "loss",
    .summary = "evaluate a loss and its gradient on .npy arrays",
    .usage =
        "SPEC (--logits FILE [--logits FILE ...] (--labels FILE | --targets FILE) | "
        "--check)",
    .details =
        "Prints the mean over the samples. A loss that compares views (gjs) reads\n"
        "all of them together, any other averages over them. float64 logits are\n"
        "evaluated by the definition in double, float32 logits by the fast path that\n"
        "training uses. 'jensen show losses' lists the losses.\n\n"
        "  jensen loss gjs:pi1=0.5 --logits v2.npy --logits v3.npy --labels y.npy\n"
        "  jensen loss ce --logits z.npy --targets t.npy --grad g --json\n"
        "  jensen loss myloss:q=0.5 --plugin ./myloss.so --check",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(loss_values),
    .run = run,
};
