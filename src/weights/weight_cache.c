/* weights/weight_cache.c - see weight_cache.h and jensen/weights.h:
 *
 *     CACHE/weights/NAME/model.safetensors   our names, float32, with a checksum
 *     CACHE/weights/NAME/model.json          the model card
 *     CACHE/weights/NAME/weights.json        name, source and its SHA-256
 */
#define _POSIX_C_SOURCE 200809L
#include "weights/weight_cache.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/hd.h"
#include "core/json.h"
#include "core/names.h"
#include "data/cache_folder.h"
#include "store/record_card.h"
#include "store/record_field.h"
#include "store/run_folder.h"
#include "weights/weight_record.h"

/* What a folder of weights holds, in the order in which it is removed. */
static const char *const files[] = {JSNI_WEIGHTS_RECORD, JSNI_RUN_CARD, JSNI_RUN_MODEL};

bool jsni_weights_is_name(const char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789-_.";
    const size_t length = strlen(name);
    return length > 0 && length <= 80 && strspn(name, allowed) == length &&
           name[0] != '.' && name[0] != '-' && strcmp(name, "none") != 0;
}

/* The folder of all, or NULL where the cache is off. */
static jsn_status find_root(char **out)
{
    char *cache = NULL;
    *out = NULL;
    JSNI_TRY(jsni_cache_folder(NULL, &cache));
    if (cache == NULL)
        return JSN_OK;
    *out = jsni_path_join(cache, "weights");
    jsni_free(cache);
    return *out == NULL ? JSN_ERR_MEMORY : JSN_OK;
}

jsn_status jsni_weights_root(char **out)
{
    JSNI_TRY(find_root(out));
    if (*out == NULL)
        return jsni_fail(JSN_ERR_IO, "weights are kept in the cache, which is off; set "
                                     "JENSEN_CACHE to a folder");
    const jsn_status status = jsni_folder_create(*out);
    if (status != JSN_OK) {
        jsni_free(*out);
        *out = NULL;
    }
    return status;
}

/* The folder of the weights of a name, NULL where there are none. JSN_ERR_DATA: a link stands in
 * the way. */
static jsn_status find_folder(const char *name, char **out)
{
    char *root = NULL, *folder = NULL;
    bool there = false;
    *out = NULL;
    if (!jsni_weights_is_name(name))
        return JSN_OK;
    JSNI_TRY(find_root(&root));
    if (root == NULL)
        return JSN_OK;
    folder = jsni_path_join(root, name);
    jsni_free(root);
    JSNI_TRY_ALLOC(folder);
    const jsn_status status = jsni_file_find(folder, JSNI_WEIGHTS_RECORD, &there);
    if (status == JSN_OK && there)
        *out = folder;
    else
        jsni_free(folder);
    return status;
}

jsn_status jsni_weights_folder(const char *name, char **out)
{
    const jsn_status status = find_folder(name, out);
    return status == JSN_ERR_DATA ? JSN_OK : status;
}

jsn_status jsni_weights_or_path(const char *name, char **out)
{
    JSNI_TRY(jsni_weights_folder(name, out));
    if (*out == NULL)
        *out = jsni_text_copy(name);
    return *out == NULL ? JSN_ERR_MEMORY : JSN_OK;
}

void jsn_weights_release(jsn_weights_info *info)
{
    if (info == NULL)
        return;
    jsni_free(info->name);
    jsni_free(info->network);
    jsni_free(info->source);
    jsni_free(info->sha256);
    jsni_free(info->evaluation);
    jsni_free(info->note);
    *info = (jsn_weights_info){0};
}

/* Moves what the card says. */
static void take_card(jsn_weights_info *out, jsni_model_card *card)
{
    out->network = card->network;
    out->evaluation = card->evaluation;
    out->image_size = card->image_size;
    out->classes = card->classes;
    memcpy(out->mean, card->mean, sizeof out->mean);
    memcpy(out->deviation, card->deviation, sizeof out->deviation);
    card->network = card->evaluation = NULL;
}

static jsn_status read_entry(const char *folder, const char *name,
                             jsn_weights_info *out)
{
    jsni_json *doc = NULL;
    jsni_model_card card = {0};
    *out = (jsn_weights_info){0};
    jsn_status status = jsni_model_card_read(&card, folder);
    if (status == JSN_OK)
        status = jsni_record_open(folder, JSNI_WEIGHTS_RECORD, &doc);
    if (status == JSN_OK && doc == NULL)
        status = jsni_fail(JSN_ERR_DATA, "%s: has no %s", folder, JSNI_WEIGHTS_RECORD);
    if (status == JSN_OK)
        status = jsni_record_text(doc, "source", &out->source);
    if (status == JSN_OK)
        status = jsni_record_text(doc, "sha256", &out->sha256);
    if (status == JSN_OK)
        status = jsni_record_text(doc, "note", &out->note);
    if (status == JSN_OK && (out->source == NULL || out->sha256 == NULL))
        status = jsni_fail(JSN_ERR_DATA, "%s/%s: lacks 'source' or 'sha256'", folder,
                           JSNI_WEIGHTS_RECORD);
    if (status == JSN_OK) {
        take_card(out, &card);
        out->name = jsni_text_copy(name);
        status = out->name == NULL ? JSN_ERR_MEMORY : JSN_OK;
    }
    jsni_model_card_release(&card);
    jsni_json_destroy(doc);
    if (status != JSN_OK)
        jsn_weights_release(out);
    return status;
}

/* What to do about a damaged entry; other failures stay as they are. */
static jsn_status say_damaged(jsn_status status, const char *name)
{
    char words[400];
    if (status != JSN_ERR_DATA)
        return status;
    (void)snprintf(words, sizeof words, "%s", jsn_last_error());
    return jsni_fail(status,
                     "the weights '%s' in the cache are damaged: %s; 'jensen weights "
                     "remove %s' removes them",
                     name, words, name);
}

jsn_status jsni_weights_read(const char *folder, const char *name,
                             jsn_weights_info *out)
{
    return say_damaged(read_entry(folder, name, out), name);
}

/* The names in the cache, sorted. */
static jsn_status list_entries(jsni_folder_entry **out, size_t *count)
{
    char *root = NULL;
    bool there = false;
    *out = NULL;
    *count = 0;
    JSNI_TRY(find_root(&root));
    if (root == NULL)
        return JSN_OK;
    jsn_status status = jsni_folder_find(NULL, root, &there);
    if (status == JSN_OK && there)
        status = jsni_folder_list(root, out, count);
    jsni_free(root);
    return status;
}

/* What could not be read: the first, and how many. */
typedef struct unread {
    jsn_status status;
    char words[600];
    size_t count;
} unread;

/* Reads an entry behind the others; what cannot be read is none of theirs. */
static jsn_status list_entry(const char *name, jsn_weights_info *list, size_t *found,
                             unread *left)
{
    char *folder = NULL;
    jsn_status status = say_damaged(find_folder(name, &folder), name);
    if (folder != NULL) {
        status = jsni_weights_read(folder, name, &list[*found]);
        *found += status == JSN_OK;
        jsni_free(folder);
    }
    if (status != JSN_ERR_DATA && status != JSN_ERR_IO)
        return status;
    if (left->count++ == 0) {
        left->status = status;
        (void)snprintf(left->words, sizeof left->words, "%s", jsn_last_error());
    }
    return JSN_OK;
}

/* There is nothing of a name, neither in the cache nor as a file or folder. */
static jsn_status nothing_named(const char *name)
{
    jsni_folder_entry *entries = NULL;
    size_t count = 0;
    jsni_names names;
    JSNI_TRY(list_entries(&entries, &count));
    jsni_names_begin(&names, name, NULL);
    for (size_t i = 0; i < count; i++)
        jsni_names_add(&names, entries[i].name);
    jsni_folder_free(entries, count);
    if (names.nearest[0] != '\0')
        return jsni_fail(JSN_ERR_DATA,
                         "%s: there is no such file or folder, and the cache has no "
                         "weights of that name; did you mean '%s'?",
                         name, names.nearest);
    return jsni_fail(
        JSN_ERR_DATA,
        "%s: there is no such file or folder, and the cache has no weights "
        "of that name ('jensen weights list' shows them; 'make weights' and "
        "'jensen weights fetch' bring some)",
        name);
}

jsn_status jsni_weights_check_name(const char *name)
{
    bool folder = false, file = false;
    char *weights = NULL;
    JSNI_TRY(jsni_weights_folder(name, &weights));
    jsni_free(weights);
    if (weights != NULL || strpbrk(name, "/.") != NULL)
        return JSN_OK;
    JSNI_TRY(jsni_folder_find(NULL, name, &folder));
    JSNI_TRY(jsni_file_find(NULL, name, &file));
    return folder || file ? JSN_OK : nothing_named(name);
}

jsn_status jsn_weights_list(jsn_weights_info **out, size_t *count)
{
    JSNI_NEED(out);
    JSNI_NEED(count);
    jsni_folder_entry *entries = NULL;
    size_t entry_count = 0, found = 0;
    unread left = {.status = JSN_OK};
    *out = NULL;
    *count = 0;
    JSNI_TRY(list_entries(&entries, &entry_count));
    jsn_weights_info *list = jsni_alloc_zero(entry_count, sizeof *list);
    jsn_status status = list == NULL ? JSN_ERR_MEMORY : JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < entry_count; i++)
        status = list_entry(entries[i].name, list, &found, &left);
    jsni_folder_free(entries, entry_count);
    if (status != JSN_OK) {
        jsn_weights_list_free(list, found);
        return status;
    }
    *out = list;
    *count = found;
    return left.count == 0   ? JSN_OK
           : left.count == 1 ? jsni_fail(left.status, "%s", left.words)
                             : jsni_fail(left.status, "%s (the first of %zu)",
                                         left.words, left.count);
}

void jsn_weights_list_free(jsn_weights_info *list, size_t count)
{
    for (size_t i = 0; list != NULL && i < count; i++)
        jsn_weights_release(&list[i]);
    jsni_free(list);
}

static jsn_status no_such(const char *name)
{
    jsni_folder_entry *entries = NULL;
    size_t count = 0;
    JSNI_TRY(list_entries(&entries, &count));
    jsni_names names;
    jsni_names_begin(&names, name, NULL);
    for (size_t i = 0; i < count; i++)
        jsni_names_add(&names, entries[i].name);
    const jsn_status status =
        count == 0
            ? jsni_fail(JSN_ERR_DATA,
                        "no weights '%s' in the cache, which has none yet", names.word)
            : jsni_names_fail(&names, JSN_ERR_DATA, "no weights '%s' in the cache",
                              names.word);
    jsni_folder_free(entries, count);
    return status;
}

jsn_status jsn_weights_find(const char *name, jsn_weights_info *out)
{
    JSNI_NEED(name);
    JSNI_NEED(out);
    char *folder = NULL;
    JSNI_TRY(jsni_weights_folder(name, &folder));
    if (folder == NULL)
        return no_such(name);
    const jsn_status status = jsni_weights_read(folder, name, out);
    jsni_free(folder);
    return status;
}

/* Removes a file of an entry, also an empty folder in its place; what is not there is fine. */
static jsn_status remove_file(const char *folder, const char *name)
{
    char *path = jsni_path_join(folder, name);
    JSNI_TRY_ALLOC(path);
    jsn_status status = JSN_OK;
    if (unlink(path) != 0 && errno != ENOENT && rmdir(path) != 0)
        status =
            jsni_fail(JSN_ERR_IO, "%s: cannot be removed: %s", path, strerror(errno));
    jsni_free(path);
    return status;
}

/* Removes what belongs into the folder of an entry, whatever state it is in, and the folder. */
static jsn_status remove_folder(const char *folder)
{
    for (size_t i = 0; i < JSNI_COUNT_OF(files); i++)
        JSNI_TRY(remove_file(folder, files[i]));
    jsni_file_remove_left(folder, ".");
    return rmdir(folder) == 0 ? JSN_OK
                              : jsni_fail(JSN_ERR_IO, "%s: cannot be removed: %s",
                                          folder, strerror(errno));
}

/* A link is removed alone: what it leads to is not the cache's. */
static jsn_status remove_entry(const char *root, const char *name)
{
    struct stat info;
    char *folder = jsni_path_join(root, name);
    JSNI_TRY_ALLOC(folder);
    jsn_status status = JSN_OK;
    const int unseen = lstat(folder, &info) != 0 ? errno : 0;
    if (unseen != 0 && jsni_errno_status(unseen) == JSN_ERR_IO)
        status = jsni_fail(JSN_ERR_IO, "%s: %s", folder, strerror(unseen));
    else if (unseen == 0 && S_ISLNK(info.st_mode))
        status = remove_file(root, name);
    else if (unseen == 0 && S_ISDIR(info.st_mode))
        status = remove_folder(folder);
    else
        status = no_such(name);
    jsni_free(folder);
    return status;
}

jsn_status jsn_weights_remove(const char *name)
{
    JSNI_NEED(name);
    char *root = NULL;
    if (jsni_weights_is_name(name))
        JSNI_TRY(find_root(&root));
    if (root == NULL)
        return no_such(name);
    const jsn_status status = remove_entry(root, name);
    jsni_free(root);
    return status;
}
