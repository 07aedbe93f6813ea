/* weights/weight_import.c - a file of weights into the cache: names become ours, numbers
 * float32, and what the weights want their images to be like is written beside them. */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/file_pieces.h"
#include "core/json.h"
#include "core/sha256.h"
#include "format/dtype.h"
#include "jensen/network.h"
#include "jensen/option.h"
#include "store/record_card.h"
#include "store/run_folder.h"
#include "weights/weight_cache.h"
#include "weights/weight_file.h"
#include "weights/weight_match.h"
#include "weights/weight_names.h"
#include "weights/weight_preset.h"
#include "weights/weight_record.h"

static void add_piece(void *user, const void *bytes, size_t count)
{
    jsni_sha256_add(user, bytes, count);
}

jsn_status jsni_weights_sum(const char *path, char hex[JSNI_SHA256_HEX])
{
    jsni_sha256 sha;
    jsni_sha256_init(&sha);
    const jsn_status status = jsni_file_pieces(NULL, path, add_piece, &sha);
    jsni_sha256_hex(&sha, hex);
    return status;
}

/* The tensors of `file` that are numbers of a network, under our names. */
typedef struct renamed {
    const jsni_safetensors *file;
    size_t *from; /* [count] places in the file */
    jsni_safetensor *tensors;
    char (*names)[JSNI_WEIGHT_NAME];
    size_t count;
} renamed;

static void widen(void *user, size_t index, void *elements)
{
    const renamed *r = user;
    const jsni_safetensor *stored = jsni_safetensors_at(r->file, r->from[index]);
    jsni_weight_file_take(stored, stored->bytes / jsni_dtype_size(stored->dtype),
                          elements);
}

static jsn_status list_renamed(renamed *r)
{
    const size_t all = jsni_safetensors_count(r->file);
    JSNI_TRY_ALLOC(r->from = jsni_alloc(all, sizeof *r->from));
    JSNI_TRY_ALLOC(r->tensors = jsni_alloc_zero(all, sizeof *r->tensors));
    JSNI_TRY_ALLOC(r->names = jsni_alloc(all, sizeof *r->names));
    for (size_t i = 0; i < all; i++) {
        const jsni_safetensor *t = jsni_safetensors_at(r->file, i);
        if (!jsni_weight_file_is_weight(t->dtype))
            continue;
        if (!jsni_weight_name(r->file, i, r->names[r->count]))
            return jsni_fail(JSN_ERR_DATA, "%s: a name of more than %d characters",
                             jsni_safetensors_path(r->file), JSNI_WEIGHT_NAME - 1);
        jsni_safetensor *to = &r->tensors[r->count];
        *to = *t;
        to->name = r->names[r->count];
        to->dtype = JSN_DTYPE_FLOAT32;
        to->bytes = t->bytes / jsni_dtype_size(t->dtype) * sizeof(float);
        r->from[r->count++] = i;
    }
    return JSN_OK;
}

/* The file with our names, in float32. */
static jsn_status rename_tensors(const jsni_safetensors *file, jsni_safetensors **out)
{
    renamed r = {.file = file};
    jsn_status status = list_renamed(&r);
    if (status == JSN_OK)
        status = jsni_safetensors_make(out, jsni_safetensors_path(file), r.tensors,
                                       r.count, widen, &r);
    jsni_free(r.from);
    jsni_free(r.tensors);
    jsni_free(r.names);
    return status;
}

static jsn_status make_card(jsni_model_card *card, const char *network, size_t classes)
{
    const jsni_weight_preset *preset = jsni_weight_preset_of(network);
    card->image_size =
        preset->image_size > 0 ? preset->image_size : jsn_network_find(network)->height;
    card->members = 1;
    memcpy(card->mean, preset->mean, sizeof card->mean);
    memcpy(card->deviation, preset->deviation, sizeof card->deviation);
    JSNI_TRY_ALLOC(card->network = jsni_text_copy(network));
    JSNI_TRY_ALLOC(card->augment = jsni_text_copy("none"));
    JSNI_TRY_ALLOC(card->evaluation = jsni_text_copy(preset->evaluation));
    JSNI_TRY_ALLOC(card->names = jsni_alloc_zero(classes, sizeof *card->names));
    card->classes = classes;
    for (size_t k = 0; k < classes; k++) {
        char number[24];
        (void)snprintf(number, sizeof number, "%zu", k);
        card->names[k] = classes == JSNI_IMAGENET_CLASSES ? jsni_imagenet_name(k)
                                                          : jsni_text_copy(number);
        JSNI_TRY_ALLOC(card->names[k]);
    }
    return JSN_OK;
}

static jsn_status write_record(const char *folder, const char *name, const char *source,
                               const char *sha256, const char *note)
{
    jsni_json_writer *w = NULL;
    char *text = NULL;
    JSNI_TRY(jsni_json_writer_create(&w, 2));
    jsni_json_begin_object(w, NULL);
    jsni_json_put_text(w, "name", name);
    jsni_json_put_text(w, "source", source);
    jsni_json_put_text(w, "sha256", sha256);
    if (note != NULL)
        jsni_json_put_text(w, "note", note);
    jsni_json_end(w);
    jsn_status status = jsni_json_writer_take(w, &text);
    jsni_json_writer_destroy(w);
    if (status == JSN_OK)
        status = jsni_file_write_in(folder, JSNI_WEIGHTS_RECORD, text, strlen(text));
    jsn_text_release(text);
    return status;
}

static jsn_status write_files(const char *folder, const jsni_safetensors *file,
                              const jsni_model_card *card)
{
    const size_t count = jsni_safetensors_count(file);
    const jsni_pair pairs[] = {{"format", "pt"}, {"network", card->network}};
    char *text = NULL;
    jsni_safetensor *tensors = jsni_alloc(count, sizeof *tensors);
    JSNI_TRY_ALLOC(tensors);
    for (size_t i = 0; i < count; i++)
        tensors[i] = *jsni_safetensors_at(file, i);
    jsn_status status =
        jsni_safetensors_write(folder, JSNI_RUN_MODEL, tensors, count, pairs, 2, true);
    jsni_free(tensors);
    if (status == JSN_OK)
        status = jsni_model_card_text(card, &text);
    if (status == JSN_OK)
        status = jsni_file_write_in(folder, JSNI_RUN_CARD, text, strlen(text));
    jsn_text_release(text);
    return status;
}

/* Puts weights of a known network into the cache under a name that is free. */
static jsn_status keep(const char *name, const char *source, const char *sha256,
                       const char *note, const jsni_safetensors *file,
                       const char *network)
{
    jsni_model_card card = {0};
    char *root = NULL, *folder = NULL;
    size_t classes = 0;
    JSNI_TRY(jsni_weight_file_classes(file, network, &classes));
    if (classes < 2)
        return jsni_fail(JSN_ERR_DATA, "%s: its classifier has fewer than two classes",
                         jsni_safetensors_path(file));
    jsn_status status = jsni_weights_root(&root);
    if (status == JSN_OK) {
        folder = jsni_path_join(root, name);
        status = folder == NULL ? JSN_ERR_MEMORY : jsni_folder_create(folder);
    }
    if (status == JSN_OK)
        jsni_file_remove_left(folder, "."); /* of an import that was killed */
    if (status == JSN_OK)
        status = make_card(&card, network, classes);
    if (status == JSN_OK)
        status = write_files(folder, file, &card);
    if (status == JSN_OK)
        status = write_record(folder, name, source, sha256, note);
    jsni_model_card_release(&card);
    jsni_free(folder);
    jsni_free(root);
    return status;
}

/* Whether the name is taken: by the same file, which is fine, or by another. */
static jsn_status look_for(const char *name, const char *sha256, bool *same)
{
    char *folder = NULL;
    jsn_weights_info there = {0};
    *same = false;
    JSNI_TRY(jsni_weights_folder(name, &folder));
    if (folder == NULL)
        return JSN_OK;
    jsn_status status = jsni_weights_read(folder, name, &there);
    jsni_free(folder);
    if (status != JSN_OK)
        return status;
    *same = strcmp(there.sha256, sha256) == 0;
    if (!*same)
        status =
            jsni_fail(JSN_ERR_DATA,
                      "the cache has other weights '%s' (from %s); --as gives these "
                      "another name, 'jensen weights remove %s' removes those",
                      name, there.source, name);
    jsn_weights_release(&there);
    return status;
}

static jsn_status import_opened(const char *path, const char *source,
                                const jsni_safetensors *file, const char *note,
                                const char *name, jsn_weights_info *info)
{
    char network[JSNI_NETWORK_SPEC], sha256[JSNI_SHA256_HEX];
    bool same = false;
    JSNI_TRY(jsni_weight_file_network(file, network, sizeof network));
    if (network[0] == '\0')
        return jsni_fail(JSN_ERR_DATA,
                         "%s: its tensors fit no network of 'jensen show networks'",
                         jsni_safetensors_path(file));
    char kept[JSNI_NETWORK_SPEC]; /* "cnn:width=8" becomes "cnn-width-8" */
    (void)snprintf(kept, sizeof kept, "%s", name != NULL ? name : network);
    for (char *at = kept; *at != '\0'; at++)
        if (strchr(":=,", *at) != NULL)
            *at = '-';
    JSNI_TRY(jsni_weights_sum(path, sha256));
    JSNI_TRY(look_for(kept, sha256, &same));
    if (!same)
        JSNI_TRY(keep(kept, source, sha256, note, file, network));
    return info == NULL ? JSN_OK : jsn_weights_find(kept, info);
}

jsn_status jsni_weights_import(const char *file, const char *source, const char *name,
                               jsn_weights_info *info)
{
    jsni_safetensors *theirs = NULL, *ours = NULL;
    const char *note = NULL;
    if (info != NULL)
        *info = (jsn_weights_info){0};
    if (name != NULL && !jsni_weights_is_name(name))
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "--as '%.80s': a name has letters, digits, '-', '_' and '.', "
                         "and is not 'none'",
                         name);
    JSNI_TRY(jsni_weight_file_open(&theirs, NULL, file, &note));
    jsn_status status = rename_tensors(theirs, &ours);
    jsni_safetensors_close(theirs);
    if (status == JSN_OK)
        status = import_opened(file, source, ours, note, name, info);
    jsni_safetensors_close(ours);
    return status;
}

jsn_status jsn_weights_import(const char *file, const char *name,
                              jsn_weights_info *info)
{
    JSNI_NEED(file);
    const char *slash = strrchr(file, '/');
    return jsni_weights_import(file, slash == NULL ? file : slash + 1, name, info);
}
