/* loss/loss.c - the table of losses, and the handle. Knows no loss by name: everything
 * particular to one is in its own file. */
#include "jensen/loss.h"

#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/text.h"
#include "core/words.h"
#include "loss/loss_impl.h"
#include "loss/loss_list.h"
#include "loss/loss_mode.h"
#include "loss/mixture.h"

#define TABLE_DECLARE(id) extern const jsni_loss_def jsni_loss_##id;
JSNI_LOSS_LIST(TABLE_DECLARE)
#undef TABLE_DECLARE

#define TABLE_ENTRY(id) &jsni_loss_##id,
static const jsni_loss_def *const table[] = {JSNI_LOSS_LIST(TABLE_ENTRY)};
#undef TABLE_ENTRY

/* More would overflow nothing, but is a mistake. */
enum { MOST_CLASSES = 1 << 24 };

const jsni_loss_def *jsni_loss_def_at(size_t index)
{
    return index < JSNI_COUNT_OF(table) && !table[index]->hidden &&
                   !table[index]->method
               ? table[index]
               : NULL;
}

const jsn_loss_info *jsn_loss_describe(size_t index)
{
    const jsni_loss_def *def = jsni_loss_def_at(index);
    return def == NULL ? NULL : &def->info;
}

const jsni_loss_def *jsni_method_def_at(size_t index, size_t *place)
{
    size_t found = 0;
    for (size_t i = 0; i < JSNI_COUNT_OF(table); i++)
        if (table[i]->method && found++ == index) {
            *place = i;
            return table[i];
        }
    return NULL;
}

static jsn_entry entry_of(const jsni_loss_def *def)
{
    if (def == NULL)
        return (jsn_entry){0};
    return (jsn_entry){def->info.name, def->info.summary, def->info.params,
                       def->info.param_count};
}

jsn_entry jsni_loss_entry(size_t index)
{
    return entry_of(jsni_loss_def_at(index));
}

jsn_entry jsni_method_entry(size_t index)
{
    size_t unused = 0;
    return entry_of(jsni_method_def_at(index, &unused));
}

/* The views that a spec wants: the most of its terms. */
static size_t views_wanted(const jsni_loss_term *terms, size_t count)
{
    size_t most = 0;
    for (size_t i = 0; i < count; i++)
        most = terms[i].setup.views_wanted > most ? terms[i].setup.views_wanted : most;
    return most;
}

jsn_status jsn_loss_check(const char *spec, size_t *views)
{
    if (spec == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "loss: the spec is NULL");
    jsni_loss_term terms[JSNI_LOSS_MAX_TERMS];
    size_t count = 0;
    jsni_loss_clip clip;
    JSNI_TRY(jsni_loss_read_spec(spec, 0, terms, &count, &clip));
    if (views != NULL)
        *views = views_wanted(terms, count);
    return JSN_OK;
}

/* The most that any level of this machine needs, in whole cache lines. */
static size_t scratch_need(size_t classes, size_t views)
{
    size_t most = 0;
    for (int level = JSNI_LOSS_DOUBLE; level <= JSNI_LOSS_AVX512; level++) {
        const jsni_loss_ops *ops = jsni_loss_level_ops((jsni_loss_level)level);
        const size_t bytes = ops == NULL ? 0 : ops->scratch_bytes(classes, views);
        most = bytes > most ? bytes : most;
    }
    return (most + 63) / 64 * 64;
}

/* What the terms of a loss say of it as a whole. */
static jsn_status describe(jsn_loss *loss, const char *spec)
{
    const jsni_loss_term *terms = loss->terms;
    loss->info = terms[0].def->info;
    for (size_t i = 0; i < loss->term_count; i++) {
        loss->joint = loss->joint || terms[i].def->joint;
        loss->root = loss->root || terms[i].def->root;
        loss->in_double = loss->in_double || terms[i].setup.in_double;
        loss->method = loss->method || terms[i].def->method;
        loss->info.soft =
            loss->info.soft && terms[i].def->info.soft && terms[i].setup.matrix == NULL;
    }
    if (loss->term_count == 1 && loss->clip.tau == 0.0)
        return JSN_OK;
    JSNI_TRY_ALLOC(loss->name = jsni_text_copy(spec));
    loss->info.name = loss->name;
    loss->info.summary =
        loss->clip.tau > 0.0 ? "a loss of clipped logits" : "a sum of losses";
    loss->info.params = NULL;
    loss->info.param_count = 0;
    loss->info.views = views_wanted(terms, loss->term_count);
    return JSN_OK;
}

/* Adds the term of a method to those of the spec, or puts it in their place. */
static jsn_status add_method(jsn_loss *loss, const char *spec, const char *method)
{
    jsni_loss_term term;
    JSNI_TRY(jsni_loss_read_method(method, loss->views, &term));
    const char *name = term.def->info.name;
    if (loss->clip.tau > 0.0)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "method %s: logitclip cannot be combined with a method", name);
    if (term.def->whole) {
        if (strcmp(spec, "ce") != 0)
            return jsni_fail(JSN_ERR_ARGUMENT,
                             "method %s: is a cross-entropy of its own and cannot be "
                             "combined with the loss '%s'; leave the loss out",
                             name, spec);
        loss->term_count = 0;
    } else if (loss->terms[0].def->root) {
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "method %s: %s is the root of a mean and cannot be summed",
                         name, loss->terms[0].def->info.name);
    }
    if (loss->term_count == JSNI_LOSS_MAX_TERMS)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "method %s: '%s' and the method are more than %d losses", name,
                         spec, (int)JSNI_LOSS_MAX_TERMS);
    loss->terms[loss->term_count++] = term;
    return JSN_OK;
}

jsn_status jsn_loss_create(jsn_loss **out, const char *spec, size_t classes,
                           size_t views)
{
    return jsni_loss_create_method(out, spec, NULL, classes, views);
}

jsn_status jsni_loss_create_method(jsn_loss **out, const char *spec, const char *method,
                                   size_t classes, size_t views)
{
    if (out == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "loss: out is NULL");
    *out = NULL;
    if (spec == NULL || classes < 2 || views < 1)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "loss: needs a spec, 2 classes and 1 view; has %zu and %zu",
                         classes, views);
    if (classes > MOST_CLASSES || views > JSN_LOSS_MAX_VIEWS)
        return jsni_fail(JSN_ERR_RANGE, "loss: %zu %s, %zu %s; at most %d and %d",
                         classes, jsni_noun(classes, "class", "classes"), views,
                         jsni_noun(views, "view", "views"), (int)MOST_CLASSES,
                         (int)JSN_LOSS_MAX_VIEWS);
    jsn_loss *loss = jsni_alloc_zero(1, sizeof *loss);
    JSNI_TRY_ALLOC(loss);
    loss->classes = classes;
    loss->views = views;
    jsn_status status =
        jsni_loss_read_spec(spec, views, loss->terms, &loss->term_count, &loss->clip);
    if (status == JSN_OK && method != NULL)
        status = add_method(loss, spec, method);
    if (status == JSN_OK)
        status = describe(loss, spec);
    if (status == JSN_OK)
        status = jsni_loss_find_matrix(loss);
    if (status == JSN_OK) {
        jsni_loss_first_view_only(loss, false);
        loss->scratch_bytes = scratch_need(classes, views);
        loss->workers = 1;
        loss->scratch = jsni_alloc_zero(1, loss->scratch_bytes);
        status = loss->scratch == NULL ? JSN_ERR_MEMORY : JSN_OK;
    }
    if (status != JSN_OK) {
        jsn_loss_destroy(loss);
        return status;
    }
    *out = loss;
    return JSN_OK;
}

jsn_status jsni_method_check(const char *spec)
{
    jsni_loss_term unused;
    return jsni_loss_read_method(spec, 0, &unused);
}

void jsni_loss_forget(jsn_loss *loss)
{
    if (loss->kept == NULL || loss->kept->copies == NULL)
        return;
    loss->kept->release(loss->kept->copies);
    *loss->kept = (jsni_loss_kept){0};
}

double jsni_loss_memory_spread(const jsn_loss *loss)
{
    return loss->terms[loss->term_count - 1].setup.spread;
}

void jsn_loss_destroy(jsn_loss *loss)
{
    if (loss == NULL)
        return;
    jsni_pool_destroy(loss->pool);
    jsni_free(loss->scratch);
    jsni_free(loss->name);
    jsni_free(loss->matrix);
    jsni_loss_forget(loss);
    jsni_free(loss->kept);
    jsni_free(loss->table);
    jsni_free(loss->table_f);
    jsni_free(loss);
}

const jsn_loss_info *jsn_loss_describe_of(const jsn_loss *loss)
{
    if (loss == NULL)
        return NULL;
    return &loss->info;
}

void jsni_loss_first_view_only(jsn_loss *loss, bool on)
{
    if (loss == NULL)
        return;
    loss->first_only = on;
    for (size_t t = 0; t < loss->term_count; t++) {
        jsni_loss_term *term = &loss->terms[t];
        term->setup = term->all_views;
        /* All of the table are made by jsni_pi_prepare(), but for the methods. */
        if (on && term->def->joint && !term->def->method &&
            term->index < JSNI_COUNT_OF(table))
            jsni_pi_first_view(&term->setup);
        for (size_t i = 0; i < JSNI_LOSS_CONSTANTS; i++)
            term->constant_f[i] = (float)term->setup.constant[i];
    }
}

void jsni_loss_for_device(const jsn_loss *loss, jsni_loss_device *out)
{
    *out = (jsni_loss_device){.classes = loss->classes,
                              .views = loss->views,
                              .views_read = loss->first_only ? 1 : loss->views,
                              .joint = loss->joint,
                              .root = loss->root,
                              .in_double = loss->in_double || loss->clip.tau > 0.0,
                              .tau = loss->clip.tau,
                              .power = loss->clip.power,
                              .outer = loss->terms[0].setup.outer,
                              .term_count = loss->term_count};
    for (size_t t = 0; t < loss->term_count; t++) {
        const jsni_loss_term *from = &loss->terms[t];
        jsni_loss_device_term *to = &out->terms[t];
        to->index = from->index;
        to->weight = from->weight;
        to->joint = from->def->joint;
        to->method = from->def->method;
        to->matrix = from->setup.matrix != NULL;
        to->plugin = from->plugin;
        to->in_double = from->setup.in_double;
        memcpy(to->constant, from->setup.constant, sizeof to->constant);
    }
}

jsn_status jsn_loss_set_threads(jsn_loss *loss, size_t threads)
{
    jsni_pool *pool = NULL;
    if (loss == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "loss: NULL");
    if (threads == 0)
        threads = jsni_usable_cores();
    if (threads > 1)
        JSNI_TRY(jsni_pool_create(&pool, threads));
    char *scratch = jsni_alloc_zero(threads, loss->scratch_bytes);
    if (scratch == NULL) {
        jsni_pool_destroy(pool);
        return JSN_ERR_MEMORY;
    }
    jsni_pool_destroy(loss->pool);
    jsni_free(loss->scratch);
    loss->pool = pool;
    loss->workers = threads;
    loss->scratch = scratch;
    return JSN_OK;
}

jsn_status jsni_loss_set_level(jsn_loss *loss, jsni_loss_level level)
{
    if (loss == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "loss: NULL");
    if (!jsni_loss_level_exists(level))
        return jsni_fail(JSN_ERR_UNSUPPORTED, "loss: this machine or build lacks %s",
                         jsni_loss_level_name(level));
    loss->forced = level;
    return JSN_OK;
}

jsni_loss_level jsni_loss_level_used(const jsn_loss *loss)
{
    if (loss == NULL)
        return (jsni_loss_level){0};
    return loss->used;
}
