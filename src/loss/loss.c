/* loss/loss.c - the table of losses, and the handle. Knows no loss by name: everything
 * particular to one is in its own file. */
#include "jensen/loss.h"

#include "core/alloc.h"
#include "core/fail.h"
#include "core/names.h"
#include "loss/loss_impl.h"
#include "loss/loss_list.h"
#include "loss/mixture.h"

#define TABLE_DECLARE(id) extern const jsni_loss_def jsni_loss_##id;
JSNI_LOSS_LIST(TABLE_DECLARE)
#undef TABLE_DECLARE

#define TABLE_ENTRY(id) &jsni_loss_##id,
static const jsni_loss_def *const table[] = {JSNI_LOSS_LIST(TABLE_ENTRY)};
#undef TABLE_ENTRY

/* More would overflow nothing, but is a mistake. */
enum { MOST_CLASSES = 1 << 24 };

size_t jsn_loss_count(void)
{
    return JSNI_COUNT_OF(table);
}

const jsn_loss_info *jsn_loss_describe(size_t index)
{
    return index < JSNI_COUNT_OF(table) ? &table[index]->info : NULL;
}

static jsn_status find_def(const char *spec, size_t *index)
{
    for (size_t i = 0; i < JSNI_COUNT_OF(table); i++)
        if (jsni_spec_names(spec, table[i]->info.name)) {
            *index = i;
            return JSN_OK;
        }
    jsni_names names;
    jsni_names_begin(&names, spec, "'jensen show losses'");
    for (size_t i = 0; i < JSNI_COUNT_OF(table); i++)
        jsni_names_add(&names, table[i]->info.name);
    return jsni_names_fail(&names, JSN_ERR_UNKNOWN_NAME, "no loss named '%s'",
                           names.word);
}

/* views == 0: the spec is only checked. */
static jsn_status read_spec(const char *spec, size_t views, size_t *index,
                            jsni_loss_setup *setup)
{
    jsni_spec_value values[JSNI_LOSS_MAX_PARAMS];
    JSNI_TRY(find_def(spec, index));
    const jsni_loss_def *def = table[*index];
    JSNI_TRY(jsni_spec_values(spec, def->info.params, def->info.param_count, values));
    *setup = (jsni_loss_setup){.outer = 1.0, .views_wanted = def->info.views};
    for (size_t i = 0; i < def->info.param_count; i++)
        setup->constant[i] = values[i].real;
    return def->prepare == NULL ? JSN_OK : def->prepare(spec, values, views, setup);
}

jsn_status jsn_loss_check(const char *spec, size_t *views)
{
    if (spec == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "loss: the spec is NULL");
    size_t index = 0;
    jsni_loss_setup setup;
    JSNI_TRY(read_spec(spec, 0, &index, &setup));
    if (views != NULL)
        *views = setup.views_wanted;
    return JSN_OK;
}

/* The most that any level of this machine needs, in whole cache lines. */
static size_t scratch_need(size_t classes, size_t views)
{
    size_t most = 0;
    for (int level = JSN_LOSS_DOUBLE; level <= JSN_LOSS_AVX512; level++) {
        const jsni_loss_ops *ops = jsni_loss_level_ops((jsn_loss_level)level);
        const size_t bytes = ops == NULL ? 0 : ops->scratch_bytes(classes, views);
        most = bytes > most ? bytes : most;
    }
    return (most + 63) / 64 * 64;
}

jsn_status jsn_loss_create(jsn_loss **out, const char *spec, size_t classes,
                           size_t views)
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
                         classes, jsn_noun(classes, "class", "classes"), views,
                         jsn_noun(views, "view", "views"), (int)MOST_CLASSES,
                         (int)JSN_LOSS_MAX_VIEWS);
    size_t index = 0;
    jsni_loss_setup setup;
    JSNI_TRY(read_spec(spec, views, &index, &setup));

    jsn_loss *loss = jsni_alloc_zero(1, sizeof *loss);
    JSNI_TRY_ALLOC(loss);
    loss->def = table[index];
    loss->index = index;
    loss->classes = classes;
    loss->views = views;
    loss->all_views = setup;
    jsn_loss_first_view_only(loss, false);
    loss->scratch_bytes = scratch_need(classes, views);
    loss->workers = 1;
    loss->scratch = jsni_alloc_zero(1, loss->scratch_bytes);
    if (loss->scratch == NULL) {
        jsn_loss_destroy(loss);
        return JSN_ERR_MEMORY;
    }
    *out = loss;
    return JSN_OK;
}

void jsn_loss_destroy(jsn_loss *loss)
{
    if (loss == NULL)
        return;
    jsni_pool_destroy(loss->pool);
    jsni_free(loss->scratch);
    jsni_free(loss);
}

const jsn_loss_info *jsn_loss_describe_of(const jsn_loss *loss)
{
    if (loss == NULL)
        return NULL;
    return &loss->def->info;
}

void jsn_loss_first_view_only(jsn_loss *loss, bool on)
{
    if (loss == NULL)
        return;
    loss->first_only = on;
    loss->setup = loss->all_views;
    if (on && loss->def->joint) /* all of these are made by jsni_pi_prepare() */
        jsni_pi_first_view(&loss->setup);
    for (size_t i = 0; i < JSNI_LOSS_CONSTANTS; i++)
        loss->constant_f[i] = (float)loss->setup.constant[i];
}

void jsni_loss_for_device(const jsn_loss *loss, jsni_loss_device *out)
{
    out->index = loss->index;
    out->classes = loss->classes;
    out->views = loss->views;
    out->views_read = loss->first_only ? 1 : loss->views;
    out->joint = loss->def->joint;
    out->root = loss->def->root;
    out->in_double = loss->setup.in_double;
    out->outer = loss->setup.outer;
    for (size_t i = 0; i < JSNI_LOSS_CONSTANTS; i++)
        out->constant[i] = loss->setup.constant[i];
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

jsn_status jsn_loss_set_level(jsn_loss *loss, jsn_loss_level level)
{
    if (loss == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "loss: NULL");
    if (!jsn_loss_level_exists(level))
        return jsni_fail(JSN_ERR_UNSUPPORTED, "loss: this machine or build lacks %s",
                         jsn_loss_level_name(level));
    loss->forced = level;
    return JSN_OK;
}

jsn_loss_level jsn_loss_level_used(const jsn_loss *loss)
{
    if (loss == NULL)
        return (jsn_loss_level){0};
    return loss->used;
}
