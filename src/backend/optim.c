/* backend/optim.c - the table of optimisers. Knows none by name. */
#include "backend/optim_impl.h"

#include <stdio.h>

#include "core/fail.h"
#include "core/hd.h"
#include "core/names.h"

#define TABLE_ENTRY(id) &jsni_optim_##id,
static const jsni_optim_def *const table[] = {JSNI_OPTIM_LIST(TABLE_ENTRY)};
#undef TABLE_ENTRY

size_t jsn_optimiser_count(void)
{
    return JSNI_COUNT_OF(table);
}

const jsn_optimiser_info *jsn_optimiser_describe(size_t index)
{
    return index < JSNI_COUNT_OF(table) ? &table[index]->info : NULL;
}

jsn_status jsni_optim_parse(const char *spec, jsni_update *out, size_t *slots)
{
    size_t i = 0;
    while (i < JSNI_COUNT_OF(table) && !jsni_spec_names(spec, table[i]->info.name))
        i++;
    if (i == JSNI_COUNT_OF(table)) {
        jsni_names names;
        jsni_names_begin(&names, spec, NULL);
        for (size_t k = 0; k < JSNI_COUNT_OF(table); k++)
            jsni_names_add(&names, table[k]->info.name);
        return jsni_names_fail(&names, JSN_ERR_UNKNOWN_NAME, "no optimiser '%s'",
                               names.word);
    }
    const jsni_optim_def *def = table[i];
    jsni_spec_value values[JSNI_OPTIM_MAX_PARAMS];
    JSNI_TRY(jsni_spec_values(spec, def->info.params, def->info.param_count, values));
    *out = (jsni_update){.kind = def->kind, .decay_all = true};
    def->set(out, values);
    *slots = def->slots;
    return JSN_OK;
}

double jsni_update_decay(const jsni_update *update, jsni_role role)
{
    return update->decay_all || role == JSNI_ROLE_WEIGHT ? update->decay : 0.0;
}

void jsni_optim_apply(const jsni_update *update, jsni_role role, size_t count,
                      float *params, const float *grads, float *state, size_t stride)
{
    for (size_t i = 0; i < JSNI_COUNT_OF(table); i++)
        if (table[i]->kind == update->kind)
            table[i]->apply(update, jsni_update_decay(update, role), count, params,
                            grads, state, stride);
}
