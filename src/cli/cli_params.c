/* cli/cli_params.c - see cli_params.h. */
#include "cli/cli_params.h"

#include <stdio.h>

#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_options.h"
#include "core/json.h"

void cli_print_params(const jsn_param_info *params, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const jsn_param_info *p = &params[i];
        char value[80] = "";
        if (p->kind == JSN_PARAM_REAL)
            (void)snprintf(value, sizeof value, "%g, in [%g, %g]", p->initial,
                           p->lowest, p->highest);
        cli_print("    %-12s %s%s%s%s\n",
                  p->kind == JSN_PARAM_POSITIONAL ? "PATH" : p->name, p->help,
                  value[0] ? " (default " : "", value, value[0] ? ")" : "");
    }
}

static void put_param(jsni_json_writer *w, const jsn_param_info *p)
{
    jsni_json_begin_object(w, NULL);
    jsni_json_put_text(w, "name", p->kind == JSN_PARAM_POSITIONAL ? "PATH" : p->name);
    jsni_json_put_text(w, "help", p->help);
    if (p->kind == JSN_PARAM_REAL)
        jsni_json_put_real(w, "initial", p->initial);
    if (p->kind == JSN_PARAM_REAL || p->kind == JSN_PARAM_REALS) {
        jsni_json_put_real(w, "lowest", p->lowest);
        jsni_json_put_real(w, "highest", p->highest);
    }
    jsni_json_put_bool(w, "list", p->kind == JSN_PARAM_REALS);
    jsni_json_end(w);
}

void cli_put_params(jsni_json_writer *w, const jsn_param_info *params, size_t count)
{
    jsni_json_begin_array(w, "params");
    for (size_t i = 0; i < count; i++)
        put_param(w, &params[i]);
    jsni_json_end(w);
}

void cli_put_entry(jsni_json_writer *w, const char *name, const char *summary,
                   const jsn_param_info *params, size_t count)
{
    jsni_json_begin_object(w, NULL);
    jsni_json_put_text(w, "name", name);
    jsni_json_put_text(w, "summary", summary);
    cli_put_params(w, params, count);
    jsni_json_end(w);
}

const jsn_option_info cli_show_options[1] = {
    CLI_JSON_ROW(cli_show_values, "JSON on stdout"),
};

static jsn_status print_table_json(cli_entry (*row)(size_t index))
{
    jsni_json_writer *w = NULL;
    const jsn_status status = jsni_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    jsni_json_begin_array(w, NULL);
    for (size_t i = 0; row(i).name != NULL; i++) {
        const cli_entry e = row(i);
        cli_put_entry(w, e.name, e.summary, e.params, e.param_count);
    }
    jsni_json_end(w);
    return cli_print_json(w);
}

jsn_status cli_show_table(const cli_show_values *values, const jsn_texts *args,
                          cli_entry (*row)(size_t index))
{
    if (args->count > 0)
        return cli_usage("takes no argument '%s'", args->items[0]);
    if (values->json)
        return print_table_json(row);
    for (size_t i = 0; row(i).name != NULL; i++) {
        const cli_entry e = row(i);
        cli_print("%-12s %s\n", e.name, e.summary);
        cli_print_params(e.params, e.param_count);
    }
    return JSN_OK;
}
