/* loss/plugin_load.c - losses from shared objects; see jsn_loss_load() in jensen/loss.h.
 *
 * Loading runs the file's code, so this is done for files that a user names, and nothing
 * that is read (a configuration, a run, a study) can ask for it. The record is checked
 * before it is believed: a plugin of another version has another layout behind its head.
 */
#include <ctype.h>
#include <dlfcn.h>
#include <elf.h>
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/sha256.h"
#include "core/text.h"
#include "loss/loss_impl.h"
#include "loss/loss_number.h"
#include "loss/plugin_load.h"
#include "loss/row.h"
/* behind row.h, whose types it uses */
#include "loss/plugin_define.h"

enum { MOST_NAME = 31, MOST_TEXT = 200 };

typedef struct plugin_entry {
    jsni_loss_def def;
    char sha256[JSNI_SHA256_HEX];
    char *file; /* owned */
} plugin_entry;

/* Filled by jsn_loss_load() alone, which is not called while losses are made. */
static plugin_entry entries[JSNI_LOSS_MAX_PLUGINS];
static size_t entry_count;

const jsni_loss_def *jsni_loss_plugin_at(size_t index)
{
    return index < entry_count ? &entries[index].def : NULL;
}

const char *jsni_loss_plugin_sha256(size_t row)
{
    return row < JSNI_LOSS_TOTAL ? NULL : entries[row - JSNI_LOSS_TOTAL].sha256;
}

const char *jsni_loss_plugin_file(size_t row)
{
    return row < JSNI_LOSS_TOTAL ? NULL : entries[row - JSNI_LOSS_TOTAL].file;
}

static jsn_status check_head(const char *path, const jsni_plugin_head *head)
{
    const jsni_plugin_head want = JSNI_PLUGIN_HEAD;
    if (memcmp(head->magic, want.magic, sizeof want.magic) != 0)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "%s: is not a loss for jensen; 'jensen plugin new' writes one",
                         path);
    if (head->version != want.version)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "%s: was compiled for version %u of plugins, this jensen has "
                         "%u; compile it with this jensen's headers",
                         path, (unsigned)head->version, (unsigned)want.version);
    if (head->record_bytes != want.record_bytes || head->row_bytes != want.row_bytes ||
        head->grad_bytes != want.grad_bytes)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "%s: its records have %u, %u and %u bytes, not %u, %u and %u; "
                         "compile it with this jensen's headers",
                         path, (unsigned)head->record_bytes, (unsigned)head->row_bytes,
                         (unsigned)head->grad_bytes, (unsigned)want.record_bytes,
                         (unsigned)want.row_bytes, (unsigned)want.grad_bytes);
    return JSN_OK;
}

/* A name that a spec can hold: letters, digits, '-' and '_'. */
static bool is_name(const char *name)
{
    size_t length = 0;
    if (name == NULL || !islower((unsigned char)name[0]))
        return false;
    while (length <= MOST_NAME && (isalnum((unsigned char)name[length]) ||
                                   name[length] == '-' || name[length] == '_'))
        length++;
    return length <= MOST_NAME && name[length] == '\0';
}

static bool is_param(const jsn_param_info *p)
{
    return is_name(p->name) && p->help != NULL && p->kind == JSN_PARAM_REAL &&
           isfinite(p->lowest) && isfinite(p->highest) && p->lowest <= p->initial &&
           p->initial <= p->highest;
}

static jsn_status check_record(const char *path, const jsni_plugin_record *r)
{
    if (!is_name(r->name) || r->summary == NULL || r->row == NULL ||
        memchr(r->summary, '\0', MOST_TEXT) == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "%s: the loss needs a name of at most %d small letters, "
                         "digits, '-' and '_', a summary and a row",
                         path, (int)MOST_NAME);
    if (r->kind & ~(JSNI_JOINT | JSNI_HARD_ONLY) || r->prepares)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "%s: a plugin is of the kind JSNI_ONE_VIEW, JSNI_JOINT or "
                         "JSNI_HARD_ONLY, and its prepare is NULL",
                         path);
    if (r->param_count > JSNI_LOSS_MAX_PARAMS ||
        (r->param_count > 0 && r->params == NULL))
        return jsni_fail(JSN_ERR_ARGUMENT, "%s: a loss has at most %d parameters", path,
                         (int)JSNI_LOSS_MAX_PARAMS);
    for (size_t i = 0; i < r->param_count; i++)
        if (!is_param(&r->params[i]))
            return jsni_fail(JSN_ERR_ARGUMENT,
                             "%s: parameter %zu needs a name, a help text, the kind "
                             "JSN_PARAM_REAL and an initial value within finite bounds",
                             path, i + 1);
    const jsni_loss_def *def = NULL;
    for (size_t i = 0; (def = jsni_loss_def_at(i)) != NULL; i++)
        if (strcmp(def->info.name, r->name) == 0)
            return jsni_fail(JSN_ERR_ARGUMENT,
                             "%s: jensen has a loss '%s' itself; choose another name",
                             path, r->name);
    return JSN_OK;
}

/* Whether all that the loader maps is in the file: it looks at no length itself, and
 * reading behind the end would end the process. */
static jsn_status check_whole(const char *path, const char *data, size_t length)
{
    Elf64_Ehdr head;
    if (length < sizeof head || memcmp(data, ELFMAG, SELFMAG) != 0 ||
        data[EI_CLASS] != ELFCLASS64)
        return jsni_fail(
            JSN_ERR_ARGUMENT,
            "%s: is not a shared object; 'jensen plugin new' says how to compile one",
            path);
    memcpy(&head, data, sizeof head);
    for (size_t i = 0; i < head.e_phnum; i++) {
        Elf64_Phdr part;
        bool inside = head.e_phentsize == sizeof part && head.e_phoff <= length &&
                      (i + 1) * sizeof part <= length - head.e_phoff;
        if (inside) {
            memcpy(&part, data + head.e_phoff + i * sizeof part, sizeof part);
            inside = part.p_offset <= length && part.p_filesz <= length - part.p_offset;
        }
        if (!inside)
            return jsni_fail(JSN_ERR_ARGUMENT,
                             "%s: the file is cut off, or damaged; compile it again",
                             path);
    }
    return JSN_OK;
}

/* Reads the file once, for its hash and for whether it can be loaded. */
static jsn_status look_at_file(const char *path, char hex[JSNI_SHA256_HEX])
{
    enum { MOST_BYTES = 64 * 1024 * 1024 };
    char *data = NULL;
    size_t length = 0;
    jsni_sha256 sha;
    JSNI_TRY(jsni_file_read(path, MOST_BYTES, &data, &length));
    jsni_sha256_init(&sha);
    jsni_sha256_add(&sha, data, length);
    jsni_sha256_hex(&sha, hex);
    const jsn_status status = check_whole(path, data, length);
    jsni_free(data);
    return status;
}

/* The record of the shared object, checked. It is loaded for good: handles of losses hold
 * its functions. */
static jsn_status find_record(const char *path, const char *real,
                              const jsni_plugin_record **out)
{
    void *library = dlopen(real, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *why = dlerror();
        return jsni_fail(JSN_ERR_ARGUMENT, "%s: cannot be loaded: %.300s", path,
                         why == NULL ? "the system does not say why" : why);
    }
    const void *symbol = dlsym(library, JSNI_PLUGIN_SYMBOL);
    jsn_status status = JSN_OK;
    if (symbol == NULL)
        status = jsni_fail(JSN_ERR_ARGUMENT,
                           "%s: has no " JSNI_PLUGIN_SYMBOL
                           "; a plugin ends in JSNI_LOSS_DEFINE(...) of loss/plugin.h",
                           path);
    if (status == JSN_OK)
        status = check_head(path, symbol);
    if (status == JSN_OK)
        status = check_record(path, symbol);
    if (status != JSN_OK) {
        (void)dlclose(library);
        return status;
    }
    *out = symbol;
    return JSN_OK;
}

/* Keeps `real`, on success. */
static jsn_status add(const char *path, char *real, const char *sha256)
{
    const jsni_plugin_record *r = NULL;
    if (entry_count == JSNI_LOSS_MAX_PLUGINS)
        return jsni_fail(JSN_ERR_RANGE, "%s: at most %d plugins are loaded", path,
                         (int)JSNI_LOSS_MAX_PLUGINS);
    JSNI_TRY(find_record(path, real, &r));
    for (size_t i = 0; i < entry_count; i++)
        if (strcmp(entries[i].def.info.name, r->name) == 0)
            return jsni_fail(JSN_ERR_ARGUMENT,
                             "%s: another plugin has a loss '%s' already", path,
                             r->name);
    plugin_entry *entry = &entries[entry_count];
    *entry = (plugin_entry){.def = {.info = {.name = r->name,
                                             .summary = r->summary,
                                             .params = r->params,
                                             .param_count = r->param_count,
                                             .views = r->kind & JSNI_JOINT ? 2 : 1,
                                             .soft = (r->kind & JSNI_HARD_ONLY) == 0,
                                             .per_sample = true},
                                    .joint = (r->kind & JSNI_JOINT) != 0}};
    memcpy(entry->sha256, sha256, sizeof entry->sha256);
    entry->file = real;
    jsni_loss_set_row(JSNI_LOSS_TOTAL + entry_count, r->row);
    entry_count++;
    return JSN_OK;
}

jsn_status jsn_loss_load(const char *path, const jsn_loss_info **out)
{
    JSNI_NEED(path);
    char sha256[JSNI_SHA256_HEX];
    char *real = NULL;
    size_t i = 0;
    JSNI_TRY(look_at_file(path, sha256));
    while (i < entry_count && strcmp(entries[i].sha256, sha256) != 0)
        i++;
    if (i == entry_count) {
        /* With its whole path: a bare name would be looked for among the system's. */
        JSNI_TRY(jsni_path_real(path, &real));
        const jsn_status status = add(path, real, sha256);
        if (status != JSN_OK)
            jsni_free(real);
        JSNI_TRY(status);
    }
    if (out != NULL)
        *out = &entries[i].def.info;
    return JSN_OK;
}
