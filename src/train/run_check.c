/* train/run_check.c - see jensen/run_check.h. */
#include "jensen/run_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/hd.h"
#include "core/json.h"
#include "core/text.h"
#include "data/image_decoder.h"
#include "format/csv.h"
#include "format/npy.h"
#include "format/safetensors.h"
#include "format/tfevents.h"
#include "jensen/array.h"
#include "jensen/image_file.h"
#include "store/record_card.h"
#include "store/record_field.h"
#include "store/run_files.h"
#include "store/run_folder.h"
#include "store/run_record.h"
#include "store/run_rows.h"

const char *jsn_run_file_state_name(jsn_run_file_state state)
{
    static const char *const names[] = {"sound", "readable", "missing", "damaged"};
    return (size_t)state < JSNI_COUNT_OF(names) ? names[state] : "unknown";
}

void jsn_run_checked_release(jsn_run_checked *checked)
{
    if (checked == NULL)
        return;
    for (size_t i = 0; i < checked->file_count; i++) {
        jsni_free(checked->files[i].name);
        jsni_free(checked->files[i].problem);
    }
    jsni_free(checked->files);
    *checked = (jsn_run_checked){0};
}

/* One folder, the whole's or a member's. */
typedef struct place {
    jsn_run_checked *out;
    const char *folder;
    const char *prefix; /* of names: "" or "member-1/" */
    size_t first;       /* of its entries in out->files */
    bool finished;
    jsni_record_result result;
    jsni_record_evaluation evaluation; /* empty where it cannot be read */
    jsni_model_card card;
    jsn_epoch *rows; /* [epochs], owned */
    size_t epochs;
} place;

static jsn_status note(place *p, const char *name, jsn_run_file_state state,
                       const char *problem)
{
    jsn_run_checked *out = p->out;
    jsni_text whole = {0};
    jsn_run_checked_file *files =
        jsni_realloc(out->files, out->file_count + 1, sizeof *files);
    JSNI_TRY_ALLOC(files);
    out->files = files;
    jsn_run_checked_file *last = &files[out->file_count];
    *last = (jsn_run_checked_file){.state = state};
    jsni_text_format(&whole, "%s%s", p->prefix, name);
    JSNI_TRY(jsni_text_take(&whole, &last->name));
    out->file_count++;
    /* Sentences name files from where the program stands; here, as the list does. */
    const size_t folder = strlen(p->folder);
    if (strncmp(problem, p->folder, folder) == 0 && problem[folder] == '/')
        problem += folder + 1;
    JSNI_TRY_ALLOC(last->problem = jsni_text_copy(problem));
    out->sound = out->sound && state <= JSN_RUN_FILE_READABLE;
    return JSN_OK;
}

/* The state of a file of this folder; missing when nothing was noted. */
static jsn_run_file_state state_of(const place *p, const char *name)
{
    const size_t prefix = strlen(p->prefix);
    jsn_run_file_state state = JSN_RUN_FILE_MISSING;
    for (size_t i = p->first; i < p->out->file_count; i++) {
        const jsn_run_checked_file *f = &p->out->files[i];
        if (strncmp(f->name, p->prefix, prefix) == 0 &&
            strcmp(f->name + prefix, name) == 0) {
            if (f->state > JSN_RUN_FILE_READABLE)
                return f->state;
            state = f->state;
        }
    }
    return state;
}

static bool usable(const place *p, const char *name)
{
    return state_of(p, name) <= JSN_RUN_FILE_READABLE;
}

static bool in_the_way(const place *p, const char *name)
{
    return state_of(p, name) == JSN_RUN_FILE_DAMAGED;
}

/* What says nothing of the file: there was no memory, or it cannot be read now. */
static bool is_passing(jsn_status status)
{
    return status == JSN_ERR_MEMORY || status == JSN_ERR_IO;
}

static jsn_status read_json(place *p, const char *name)
{
    bool found = false;
    jsni_json *doc = NULL;
    if (strcmp(name, JSNI_RUN_EVALUATION) == 0)
        return jsni_record_evaluation_read(&p->evaluation, p->folder, &found);
    if (strcmp(name, JSNI_RUN_CARD) == 0)
        return jsni_model_card_find(&p->card, p->folder, &found);
    if (strcmp(name, JSNI_RUN_RESULT) == 0)
        return jsni_record_result_read(&p->result, p->folder, &p->finished);
    JSNI_TRY(jsni_record_open(p->folder, name, &doc));
    jsni_json_destroy(doc);
    return JSN_OK;
}

static jsn_status read_text(place *p, const char *name)
{
    if (strcmp(name, JSNI_RUN_CONFIG) == 0)
        return jsni_run_settings_check(p->folder);
    if (strcmp(name, JSNI_RUN_METRICS) != 0)
        return read_json(p, name);
    return jsni_run_rows_read(p->folder, &p->rows, &p->epochs);
}

static jsn_status read_weights(const char *folder, const char *name)
{
    jsni_safetensors *file = NULL;
    JSNI_TRY(jsni_safetensors_open_in(&file, folder, name));
    const jsn_status status = jsni_safetensors_verify(file);
    jsni_safetensors_close(file);
    return status;
}

/* The last words of a page; one that was cut off lacks them. */
static jsn_status read_page(const place *p, const char *name)
{
    static const char end[] = "</html>";
    enum { MOST_BYTES = 1 << 28 };
    char *data = NULL;
    size_t length = 0;
    JSNI_TRY(jsni_file_read_in(p->folder, name, MOST_BYTES, &data, &length));
    while (length > 0 && (data[length - 1] == '\n' || data[length - 1] == '\r'))
        length--;
    const size_t n = sizeof end - 1;
    const bool whole = length >= n && memcmp(data + length - n, end, n) == 0;
    jsni_free(data);
    return whole ? JSN_OK
                 : jsni_fail(JSN_ERR_DATA, "damaged, the page is cut off; %s",
                             jsni_run_file_find(name)->still);
}

/* The events of all epochs; what a crash cut off is mended when a run continues. */
static jsn_status read_events(const place *p, const char *name)
{
    int64_t last = 0;
    const char *still = jsni_run_file_find(name)->still;
    const jsn_status status = jsni_tfevents_check(p->folder, name, &last);
    if (!p->finished || is_passing(status))
        return status == JSN_ERR_DATA ? JSN_OK : status;
    if (status != JSN_OK) {
        char words[200];
        (void)snprintf(words, sizeof words, "%s", jsn_last_error());
        return jsni_fail(JSN_ERR_DATA, "%s; %s", words, still);
    }
    return last == p->result.epochs || p->result.epochs < 0
               ? JSN_OK
               : jsni_fail(JSN_ERR_DATA, "it ends at epoch %lld of %lld; %s",
                           (long long)last, (long long)p->result.epochs, still);
}

static jsn_status read_file(place *p, const jsni_run_file_info *info)
{
    jsni_csv *csv = NULL;
    jsn_array array = {0};
    jsn_status status = JSN_OK;
    switch (info->kind) {
    case JSNI_RUN_FILE_TEXT:
        return read_text(p, info->name);
    case JSNI_RUN_FILE_TABLE:
        status = jsni_csv_read_in(&csv, p->folder, info->name);
        jsni_csv_destroy(csv);
        return status;
    case JSNI_RUN_FILE_WEIGHTS:
        return read_weights(p->folder, info->name);
    case JSNI_RUN_FILE_ARRAY:
        status = jsni_array_read_in(&array, p->folder, info->name);
        jsn_array_release(&array);
        return status;
    case JSNI_RUN_FILE_EVENTS:
        return read_events(p, info->name);
    case JSNI_RUN_FILE_PAGE:
        return read_page(p, info->name);
    case JSNI_RUN_FILE_LOG:
        break;
    }
    return JSN_OK;
}

/* Whether the folder must have the file. */
static bool is_needed(const place *p, const jsni_run_file_info *info)
{
    for (size_t i = 0; i < p->result.file_count; i++)
        if (strcmp(p->result.files[i].name, info->name) == 0)
            return true;
    if (p->finished && info->always && p->card.members <= 1)
        return true;
    /* Pages of members are made when the last of them has ended. */
    if (p->finished && info->kind == JSNI_RUN_FILE_PAGE && p->prefix[0] == '\0')
        return true;
    return strcmp(info->name, JSNI_RUN_CONFIG) == 0 ||
           strcmp(info->name, JSNI_RUN_CARD) == 0;
}

static bool is_vouched(const place *p, const jsni_run_file_info *info)
{
    if (info->kind == JSNI_RUN_FILE_WEIGHTS || info->kind == JSNI_RUN_FILE_EVENTS)
        return true;
    for (size_t i = 0; i < p->result.file_count; i++)
        if (strcmp(p->result.files[i].name, info->name) == 0)
            return true;
    return false;
}

static jsn_status note_missing(place *p, const jsni_run_file_info *info)
{
    char words[300];
    (void)snprintf(words, sizeof words, "there is no such file%s%s",
                   info->still == NULL ? "" : "; ",
                   info->still == NULL ? "" : info->still);
    return note(p, info->name, JSN_RUN_FILE_MISSING, words);
}

static jsn_status check_file(place *p, const jsni_run_file_info *info)
{
    bool there = false;
    jsn_status status = jsni_file_find(p->folder, info->name, &there);
    if (there && status == JSN_OK)
        status = read_file(p, info);
    if (there && status == JSN_OK)
        status = jsni_run_files_verify(&p->result, p->folder, info->name, true);
    if (is_passing(status))
        return status;
    if (status != JSN_OK)
        return note(p, info->name, JSN_RUN_FILE_DAMAGED, jsn_last_error());
    if (there)
        return note(p, info->name,
                    is_vouched(p, info) ? JSN_RUN_FILE_SOUND : JSN_RUN_FILE_READABLE,
                    "");
    return is_needed(p, info) ? note_missing(p, info) : JSN_OK;
}

static jsn_status check_thumbnail(place *p, const char *name)
{
    enum { MOST_BYTES = 1 << 20 };
    char *data = NULL;
    size_t length = 0;
    bool there = false;
    jsn_image image = {0};
    jsn_status status = jsni_file_find(p->folder, name, &there);
    if (status == JSN_OK && !there)
        return note(p, name, JSN_RUN_FILE_MISSING, "there is no such file");
    if (status == JSN_OK)
        status = jsni_file_read_in(p->folder, name, MOST_BYTES, &data, &length);
    if (status == JSN_OK)
        status = jsni_image_decode(&image, data, length, name);
    jsn_image_release(&image);
    jsni_free(data);
    return status == JSN_ERR_DATA
               ? note(p, name, JSN_RUN_FILE_DAMAGED, jsn_last_error())
               : status;
}

static jsn_status check_thumbnails(place *p)
{
    for (size_t i = 0; i < p->evaluation.doubtful_count; i++)
        if (p->evaluation.doubtful[i].thumbnail != NULL)
            JSNI_TRY(check_thumbnail(p, p->evaluation.doubtful[i].thumbnail));
    return JSN_OK;
}

/* Whether two numbers, each of which may be unknown, are told alike by two files. */
static bool differ(double a, double b)
{
    return !isnan(a) && !isnan(b) && a != b;
}

static bool other_classes(const place *p)
{
    const jsni_record_evaluation *e = &p->evaluation;
    if (e->class_count == 0 || p->card.classes == 0)
        return false;
    bool other = e->class_count != p->card.classes;
    for (size_t k = 0; !other && k < e->class_count; k++)
        other = strcmp(e->classes[k], p->card.names[k]) != 0;
    return other;
}

/* What the files say of one another. */
static jsn_status check_agreement(place *p)
{
    const jsni_record_evaluation *e = &p->evaluation;
    const jsni_record_numbers *r = &p->result.numbers;
    char words[160];
    if (usable(p, JSNI_RUN_EVALUATION) && usable(p, JSNI_RUN_CARD) && other_classes(p))
        JSNI_TRY(note(p, JSNI_RUN_EVALUATION, JSN_RUN_FILE_DAMAGED,
                      "its classes are not those of " JSNI_RUN_CARD));
    if (!p->finished)
        return JSN_OK;
    if (p->card.members == 1 && p->result.epochs >= 0 && usable(p, JSNI_RUN_METRICS) &&
        (size_t)p->result.epochs != p->epochs) {
        (void)snprintf(words, sizeof words, "it tells of %lld epochs, %s of %zu",
                       (long long)p->result.epochs, JSNI_RUN_METRICS, p->epochs);
        JSNI_TRY(note(p, JSNI_RUN_RESULT, JSN_RUN_FILE_DAMAGED, words));
    }
    if (!usable(p, JSNI_RUN_EVALUATION))
        return JSN_OK;
    if ((e->test.known && differ(e->test.accuracy, r->test_acc)) ||
        (e->val.known && differ(e->val.accuracy, r->val_acc)))
        JSNI_TRY(note(p, JSNI_RUN_RESULT, JSN_RUN_FILE_DAMAGED,
                      "its accuracy is not that of " JSNI_RUN_EVALUATION));
    return JSN_OK;
}

static void release_place(place *p)
{
    jsni_record_result_release(&p->result);
    jsni_record_evaluation_release(&p->evaluation);
    jsni_model_card_release(&p->card);
    jsni_free(p->rows);
}

static jsn_status check_files(place *p)
{
    /* Result and card first: they tell what there must be. */
    const jsni_run_file_info *result = jsni_run_file_find(JSNI_RUN_RESULT);
    const jsni_run_file_info *card = jsni_run_file_find(JSNI_RUN_CARD);
    JSNI_TRY(check_file(p, result));
    JSNI_TRY(check_file(p, card));
    for (size_t i = 0; jsni_run_file_at(i) != NULL; i++)
        if (jsni_run_file_at(i) != result && jsni_run_file_at(i) != card)
            JSNI_TRY(check_file(p, jsni_run_file_at(i)));
    /* The last files before the result: where they are, it was there, or the run was
     * stopped between the two. */
    if (!p->finished && !in_the_way(p, JSNI_RUN_RESULT) &&
        usable(p, JSNI_RUN_EVALUATION) &&
        (p->card.members > 1 || usable(p, JSNI_RUN_MODEL)))
        JSNI_TRY(note_missing(p, result));
    JSNI_TRY(check_thumbnails(p));
    return check_agreement(p);
}

static bool can_resume(const place *p)
{
    return !p->finished && !in_the_way(p, JSNI_RUN_RESULT) &&
           (usable(p, JSNI_RUN_CHECKPOINT) || usable(p, JSNI_RUN_PREVIOUS)) &&
           !in_the_way(p, JSNI_RUN_METRICS) && !in_the_way(p, JSNI_RUN_BEST);
}

/* The result of a member, for which that of the whole vouches. */
static jsn_status check_vouched(const place *whole, const char *member)
{
    char name[64];
    place p = *whole;
    (void)snprintf(name, sizeof name, "%s/%s", member, JSNI_RUN_RESULT);
    const jsn_status status =
        jsni_run_files_verify(&whole->result, whole->folder, name, true);
    return status == JSN_ERR_DATA
               ? note(&p, name, JSN_RUN_FILE_DAMAGED, jsn_last_error())
               : status;
}

static jsn_status check_member(const place *whole, size_t number, bool *predict,
                               bool *resume)
{
    char name[32], prefix[40];
    (void)snprintf(name, sizeof name, "member-%zu", number);
    (void)snprintf(prefix, sizeof prefix, "%s/", name);
    char *folder = jsni_path_join(whole->folder, name);
    JSNI_TRY_ALLOC(folder);
    place p = {.out = whole->out,
               .folder = folder,
               .prefix = prefix,
               .first = whole->out->file_count};
    bool there = false;
    jsn_status status = jsni_folder_find(whole->folder, name, &there);
    if (status == JSN_OK && there)
        status = check_files(&p);
    if (status == JSN_OK && there)
        status = check_vouched(whole, name);
    else if (whole->finished)
        status =
            note(&p, JSNI_RUN_CONFIG, JSN_RUN_FILE_MISSING, "there is no such folder");
    *predict =
        *predict && there && usable(&p, JSNI_RUN_MODEL) && usable(&p, JSNI_RUN_CARD);
    *resume = *resume && (!there || p.finished || can_resume(&p));
    release_place(&p);
    jsni_free(folder);
    return status;
}

static jsn_status check_whole(place *p)
{
    jsni_run_record record;
    jsn_run_checked *out = p->out;
    JSNI_TRY(check_files(p));
    out->finished = p->finished;
    out->predict =
        usable(p, JSNI_RUN_CARD) && (p->card.members > 1 || usable(p, JSNI_RUN_MODEL));
    out->resume = p->card.members > 1 ? !p->finished : can_resume(p);
    for (size_t m = 1; p->card.members > 1 && m <= p->card.members; m++)
        JSNI_TRY(check_member(p, m, &out->predict, &out->resume));
    const jsn_status status = jsni_run_record_read(&record, p->folder);
    out->report = status == JSN_OK;
    if (status == JSN_OK)
        jsni_run_record_release(&record);
    return is_passing(status) ? status : JSN_OK;
}

/* Whether there is anything of a run. */
static jsn_status check_is_run(const char *folder)
{
    static const char *const marks[] = {JSNI_RUN_CONFIG, JSNI_RUN_CARD, JSNI_RUN_RESULT,
                                        JSNI_RUN_CHECKPOINT};
    for (size_t i = 0; i < JSNI_COUNT_OF(marks); i++) {
        bool there = false;
        const jsn_status status = jsni_file_find(folder, marks[i], &there);
        if (there || status == JSN_ERR_DATA) /* a link stands for it */
            return JSN_OK;
        JSNI_TRY(status);
    }
    return jsni_fail(JSN_ERR_DATA, "%s: not a run folder (there is no %s)", folder,
                     JSNI_RUN_CONFIG);
}

jsn_status jsn_run_check(jsn_run_checked *out, const char *folder)
{
    JSNI_NEED(out);
    JSNI_NEED(folder);
    *out = (jsn_run_checked){.sound = true};
    JSNI_TRY(check_is_run(folder));
    place whole = {.out = out, .folder = folder, .prefix = ""};
    const jsn_status status = check_whole(&whole);
    release_place(&whole);
    if (status != JSN_OK)
        jsn_run_checked_release(out);
    return status;
}
