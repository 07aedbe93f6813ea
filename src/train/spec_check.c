/* train/spec_check.c - see spec_check.h. */
#include "train/spec_check.h"

#include <string.h>

#include "backend/optim_impl.h"
#include "core/fail.h"
#include "core/option.h"
#include "jensen/augment.h"
#include "jensen/loss.h"
#include "jensen/noise.h"
#include "jensen/recipe.h"
#include "loss/loss_mode.h"
#include "nn/network_impl.h"
#include "train/recipe_find.h"
#include "train/schedule.h"

static jsn_status check_loss(const char *spec)
{
    return jsn_loss_check(spec, NULL);
}

static jsn_status check_network(const char *spec)
{
    jsni_spec_value values[JSNI_NETWORK_MAX_PARAMS];
    const jsn_network_info *info = jsn_network_find(spec);
    if (info == NULL)
        return JSN_ERR_UNKNOWN_NAME;
    return jsni_spec_values(spec, info->params, info->param_count, values);
}

static jsn_status check_augment(const char *spec)
{
    char *unused = NULL;
    const jsn_status status = jsn_augment_evaluation(spec, &unused);
    jsn_text_release(unused);
    return status;
}

/* Noise from files is read where the run is. */
static jsn_status check_noise(const char *spec)
{
    if (jsni_spec_names(spec, "file") || jsni_spec_names(spec, "matrix") ||
        jsni_spec_names(spec, "instance"))
        return JSN_OK;
    jsn_noise *noise = NULL;
    const jsn_status status = jsn_noise_create(&noise, spec);
    jsn_noise_destroy(noise);
    return status;
}

static jsn_status check_schedule(const char *spec)
{
    enum { ANY = 1000000 }; /* epochs: their number may be open, or an axis */
    jsni_schedule schedule;
    return jsni_schedule_parse(spec, ANY, &schedule);
}

static jsn_status check_optimiser(const char *spec)
{
    jsni_update unused;
    size_t slots = 0;
    return jsni_optim_parse(spec, &unused, &slots);
}

static jsn_status check_recipe(const char *name)
{
    jsn_recipe recipe;
    return jsni_recipe_find(name, &recipe);
}

jsn_status jsni_train_check_spec(const char *option, const char *text)
{
    static const struct {
        const char *option;
        jsn_status (*check)(const char *text);
    } checks[] = {{"loss", check_loss},         {"loss-noisy", check_loss},
                  {"network", check_network},   {"augment", check_augment},
                  {"noise", check_noise},       {"schedule", check_schedule},
                  {"recipe", check_recipe},     {"optimizer", check_optimiser},
                  {"method", jsni_method_check}};
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        if (strcmp(option, checks[i].option) == 0)
            return checks[i].check(text);
    return JSN_OK;
}

jsn_status jsni_train_check_specs(const jsn_train_config *config)
{
    size_t count = 0;
    const jsn_option_info *table = jsn_train_options(&count);
    jsn_status status = JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < count; i++) {
        char *text = NULL;
        if (table[i].kind != JSN_OPTION_TEXT || !jsni_options_is_set(&table[i], config))
            continue;
        status = jsni_options_text(&table[i], config, &text);
        if (status == JSN_OK)
            status = jsni_train_check_spec(table[i].name, text);
        jsn_text_release(text);
    }
    return status;
}
