/* train/problem_mark.c - see problem.h: by what a problem is known again. */
#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "train/problem.h"
#include "train/run_differs.h"
#include "train/run_name.h"

/* Paths and labels, numbers in one order of bytes on every machine (weights of soft
 * labels in the machine's own). */
static void add_label(jsni_sha256 *sha, int32_t number)
{
    const uint32_t label = (uint32_t)number;
    const uint8_t bytes[4] = {(uint8_t)label, (uint8_t)(label >> 8),
                              (uint8_t)(label >> 16), (uint8_t)(label >> 24)};
    jsni_sha256_add(sha, bytes, sizeof bytes);
}

static void add_part(jsni_sha256 *sha, const jsni_problem *p, const jsni_part *part)
{
    char count[32];
    (void)snprintf(count, sizeof count, "%zu", part->count);
    jsni_sha256_add(sha, count, strlen(count) + 1);
    for (size_t i = 0; i < part->count; i++) {
        const char *path = jsn_dataset_path(part->data, part->split, part->index[i]);
        jsni_sha256_add(sha, path, strlen(path) + 1);
        add_label(sha, part->used[i]);
        /* Else the truth follows from the labels and the options. */
        if (p->own.tells_truth)
            add_label(sha, part->given[i]);
    }
    if (part->soft != NULL)
        jsni_sha256_add(sha, part->soft, part->count * p->classes * sizeof *part->soft);
}

/* By what runs know that they were tested on the same images, whatever they trained on. */
static void mark_test(const jsni_problem *p, char out[JSNI_SHA256_HEX])
{
    const jsni_part *part = &p->test;
    jsni_sha256 sha;
    out[0] = '\0';
    if (part->data == NULL)
        return;
    jsni_sha256_init(&sha);
    for (size_t i = 0; i < part->count; i++) {
        const char *path = jsn_dataset_path(part->data, part->split, part->index[i]);
        const char *name = p->names[part->given[i]];
        jsni_sha256_add(&sha, path, strlen(path) + 1);
        jsni_sha256_add(&sha, name, strlen(name) + 1);
    }
    jsni_sha256_hex(&sha, out);
}

static size_t images(const jsn_dataset *data)
{
    size_t count = 0;
    for (int s = 0; data != NULL && s < JSN_SPLITS; s++)
        count += jsn_dataset_samples(data, (jsn_split)s);
    return count;
}

void jsni_problem_mark_make(const jsni_problem *p, jsni_problem_mark *out)
{
    jsni_sha256 sha;
    jsni_sha256_init(&sha);
    for (size_t k = 0; k < p->classes; k++)
        jsni_sha256_add(&sha, p->names[k], strlen(p->names[k]) + 1);
    add_part(&sha, p, &p->train);
    add_part(&sha, p, &p->val);
    add_part(&sha, p, &p->test);
    jsni_sha256_hex(&sha, out->digest);
    mark_test(p, out->test);
    (void)snprintf(out->text, sizeof out->text, "%zu images of %zu classes",
                   images(p->data) + images(p->val_data) + images(p->test_data),
                   p->classes);
}

/* The option that names the folder: a study has one for those of all its trials. */
static const char *folder_option(const char *folder)
{
    const char *slash = strrchr(folder, '/');
    return slash != NULL && strncmp(slash, "/trial-", 7) == 0 ? "--runs" : "--out";
}

static jsn_status refuse_options(const jsni_problem_mark *mark,
                                 const jsni_kept_mark *kept, const char *differing,
                                 const char *folder)
{
    const bool other =
        kept->data_text != NULL && strcmp(kept->data_text, mark->text) != 0;
    return jsni_fail(JSN_ERR_ARGUMENT,
                     "%s: this run has other options%s%s%s%.60s%s%s%s; choose "
                     "another folder (%s) or delete it",
                     folder, differing[0] != '\0' ? ": " : "", differing,
                     other ? ", and other data (then " : "",
                     other ? kept->data_text : "", other ? ", now " : "",
                     other ? mark->text : "", other ? ")" : "", folder_option(folder));
}

static jsn_status refuse_data(const jsni_problem_mark *mark, const jsni_kept_mark *kept,
                              const char *folder)
{
    const char *const option = folder_option(folder);
    if (kept->data_text != NULL && strcmp(kept->data_text, mark->text) != 0)
        return jsni_fail(
            JSN_ERR_DATA,
            "%s: the data has changed since this run began: then %.60s, now %s; put it "
            "back to continue the run, or train on the new data with %s NEW",
            folder, kept->data_text, mark->text, option);
    return jsni_fail(JSN_ERR_DATA,
                     "%s: the data has changed since this run began: as many images, "
                     "but other ones, or other labels; put it back to continue the "
                     "run, or train on the new data with %s NEW",
                     folder, option);
}

jsn_status jsni_problem_mark_check(const jsni_problem_mark *mark,
                                   const jsni_kept_mark *kept,
                                   const jsn_train_config *config, const char *folder)
{
    char fingerprint[JSNI_FINGERPRINT];
    JSNI_TRY(jsni_run_fingerprint(config, fingerprint));
    if (kept->options == NULL || strcmp(kept->options, fingerprint) != 0) {
        jsni_text differing = {0};
        bool same = false;
        jsn_status status =
            jsni_run_differs(folder, config, kept->options, &differing, &same);
        if (status == JSN_OK && !same)
            status = refuse_options(
                mark, kept, differing.data != NULL ? differing.data : "", folder);
        jsni_text_release(&differing);
        JSNI_TRY(status);
    }
    if (kept->data == NULL || strcmp(kept->data, mark->digest) == 0)
        return JSN_OK;
    return refuse_data(mark, kept, folder);
}
