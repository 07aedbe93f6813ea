/* backend/optim.c - the table of optimisers. Knows none by name. */
#include "backend/optim_impl.h"

#include "backend/optim_list.h"
#include "core/fail.h"
#include "core/hd.h"
#include "core/names.h"
#include "core/spec.h"

#define TABLE_DECLARE(id) extern const jsni_optim_def jsni_optim_##id;
JSNI_OPTIM_LIST(TABLE_DECLARE)
#undef TABLE_DECLARE

#define TABLE_ENTRY(id) &jsni_optim_##id,
static const jsni_optim_def *const table[] = {JSNI_OPTIM_LIST(TABLE_ENTRY)};
#undef TABLE_ENTRY

jsn_entry jsni_optim_entry(size_t index)
{
    return index < JSNI_COUNT_OF(table) ? table[index]->info : (jsn_entry){0};
}

/* The place in the table, or its length with the failure recorded. */
static size_t find(const char *spec)
{
    size_t i = 0;
    while (i < JSNI_COUNT_OF(table) && !jsni_spec_names(spec, table[i]->info.name))
        i++;
    if (i < JSNI_COUNT_OF(table))
        return i;
    jsni_names names;
    jsni_names_begin(&names, spec, NULL);
    for (size_t k = 0; k < JSNI_COUNT_OF(table); k++)
        jsni_names_add(&names, table[k]->info.name);
    (void)jsni_names_fail(&names, JSN_ERR_UNKNOWN_NAME, "no optimiser '%s'",
                          names.word);
    return i;
}

const jsni_optim_def *jsni_optim_find(const char *spec)
{
    const size_t i = find(spec);
    return i < JSNI_COUNT_OF(table) ? table[i] : NULL;
}

jsn_status jsni_optim_parse(const char *spec, jsni_update *out, size_t *slots)
{
    const size_t i = find(spec);
    if (i == JSNI_COUNT_OF(table))
        return JSN_ERR_UNKNOWN_NAME;
    const jsni_optim_def *def = table[i];
    jsni_spec_value values[JSNI_OPTIM_MAX_PARAMS];
    JSNI_TRY(jsni_spec_values(spec, def->info.params, def->info.param_count, values));
    *out = (jsni_update){.optimiser = i, .decay_all = true};
    for (size_t k = 0; k < def->info.param_count; k++)
        out->value[k] = values[k].real;
    *slots = def->slots;
    return JSN_OK;
}

void jsni_optim_prepare(const jsni_update *update, jsni_role role,
                        float constant[JSNI_OPTIM_CONSTANTS])
{
    const bool decays = update->decay_all || role == JSNI_ROLE_WEIGHT;
    for (size_t i = 0; i < JSNI_OPTIM_CONSTANTS; i++)
        constant[i] = 0.0f;
    table[update->optimiser]->prepare(update, decays ? update->decay : 0.0, constant);
    constant[JSNI_OPTIM_L1] = decays ? (float)update->l1 : 0.0f;
}

void jsni_optim_apply(const jsni_update *update, jsni_role role, size_t count,
                      float *params, const float *grads, float *state, size_t stride)
{
    float constant[JSNI_OPTIM_CONSTANTS];
    jsni_optim_prepare(update, role, constant);
    table[update->optimiser]->apply(constant, count, params, grads, state, stride);
}
