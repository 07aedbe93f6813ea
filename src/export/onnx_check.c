/* export/onnx_check.c - an exported file in ONNX Runtime beside the classifier. */
#include <math.h>
#include <stdio.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/text.h"
#include "export/export_impl.h"
#include "export/onnx_runtime.h"
#include "jensen/augment.h"
#include "jensen/image_file.h"

typedef struct checker {
    jsn_classifier *classifier;
    jsni_onnx_runtime *runtime;
    size_t classes;
    double *ours;  /* [classes]: probabilities */
    float *logits; /* [classes]: ours, of a raw model */
    float *its;    /* [classes] */
    float *batch;  /* [3][size][size], of a raw model */
    jsn_image image;
} checker;

/* The batch that the run's transform makes of the image, in the model without it. */
static jsn_status run_raw(const checker *c)
{
    static const jsn_augment_key plain = {0};
    JSNI_TRY(jsn_augment_apply(c->classifier->plain, c->classifier->scratch, &c->image,
                               &plain, c->batch));
    return jsni_onnx_runtime_run_raw(c->runtime, c->batch,
                                     jsn_classifier_image_size(c->classifier), c->its,
                                     c->classes);
}

/* One image; what cannot be read is counted and left out. */
static jsn_status compare(checker *c, const char *path, jsn_export_difference *found)
{
    const jsn_status read = jsn_image_read(&c->image, path);
    if (read == JSN_ERR_DATA || read == JSN_ERR_UNSUPPORTED) {
        found->unread++;
        return JSN_OK;
    }
    JSNI_TRY(read);
    const bool raw = jsni_onnx_runtime_raw(c->runtime);
    JSNI_TRY(jsn_classifier_predict(c->classifier, &c->image, 1, c->ours, c->logits));
    JSNI_TRY(raw ? run_raw(c)
                 : jsni_onnx_runtime_run(c->runtime, &c->image, c->its, c->classes));
    double worst = 0.0;
    for (size_t k = 0; k < c->classes; k++) {
        const double own = raw ? (double)c->logits[k] : c->ours[k];
        const double apart = fabs(own - (double)c->its[k]);
        worst = apart <= worst ? worst : apart; /* NaN stays */
    }
    found->images++;
    if (!(worst <= found->largest)) {
        jsni_text text = jsni_text_in(found->path, sizeof found->path);
        jsni_text_add(&text, path);
        found->largest = worst;
    }
    return JSN_OK;
}

static jsn_status compare_all(checker *c, const char *folder,
                              jsn_export_difference *found)
{
    jsn_texts paths = {0};
    jsn_status status = jsn_image_find(&paths, folder, NULL);
    for (size_t i = 0; status == JSN_OK && i < paths.count; i++)
        status = compare(c, paths.items[i], found);
    jsn_texts_release(&paths);
    if (status == JSN_OK && found->images == 0)
        status = jsni_fail(JSN_ERR_DATA, "%s: no image that can be read", folder);
    return status;
}

jsn_status jsn_export_check(jsn_classifier *classifier, const char *path,
                            const char *folder, jsn_export_difference *found)
{
    JSNI_NEED(classifier);
    JSNI_NEED(path);
    JSNI_NEED(folder);
    JSNI_NEED(found);
    const size_t classes = jsn_classifier_classes(classifier);
    checker c = {.classifier = classifier, .classes = classes};
    *found = (jsn_export_difference){0};
    JSNI_TRY(jsni_onnx_runtime_open(&c.runtime, path));
    jsni_text version = jsni_text_in(found->version, sizeof found->version);
    jsni_text_add(&version, jsni_onnx_runtime_version(c.runtime));
    const size_t size = jsn_classifier_image_size(classifier);
    c.ours = jsni_alloc(classes, sizeof *c.ours);
    c.its = jsni_alloc(classes, sizeof *c.its);
    c.logits = jsni_alloc(classes, sizeof *c.logits);
    c.batch = jsni_alloc(3 * size * size, sizeof *c.batch);
    const jsn_status status =
        c.ours == NULL || c.its == NULL || c.logits == NULL || c.batch == NULL
            ? JSN_ERR_MEMORY
            : compare_all(&c, folder, found);
    jsni_onnx_runtime_close(c.runtime);
    jsni_free(c.ours);
    jsni_free(c.its);
    jsni_free(c.logits);
    jsni_free(c.batch);
    jsn_image_release(&c.image);
    return status;
}
