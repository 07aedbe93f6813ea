/* train/run_optimiser.c - see run_optimiser.h. */
#include "train/run_optimiser.h"

#include <math.h>
#include <string.h>

#include "backend/optim_impl.h"
#include "core/fail.h"
#include "core/option.h"
#include "core/spec.h"
#include "core/text.h"

static const jsn_option_info *find_option(const char *name)
{
    size_t count = 0;
    const jsn_option_info *table = jsn_train_options(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

jsn_status jsni_run_optimiser(const jsn_train_config *config, char **out)
{
    const char *spec = config->optimizer;
    const jsni_optim_def *def = jsni_optim_find(spec);
    jsni_spec_value values[JSNI_OPTIM_MAX_PARAMS];
    *out = NULL;
    if (def == NULL)
        return JSN_ERR_UNKNOWN_NAME;
    JSNI_TRY(jsni_spec_values(spec, def->info.params, def->info.param_count, values));
    jsni_text text = {0};
    jsni_text_add(&text, spec);
    char before = strchr(spec, ':') == NULL ? ':' : ',';
    for (size_t i = 0; i < def->info.param_count; i++) {
        const jsn_option_info *option = find_option(def->info.params[i].name);
        char *value = NULL;
        if (values[i].given || option == NULL)
            continue;
        if (jsni_options_text(option, config, &value) != JSN_OK)
            text.status = JSN_ERR_MEMORY;
        else
            jsni_text_format(&text, "%c%s=%s", before, option->name, value);
        jsn_text_release(value);
        before = ',';
    }
    return jsni_text_take(&text, out);
}

double jsni_run_l1(const jsn_train_config *config)
{
    return isnan(config->l1) ? 0.0 : config->l1;
}
