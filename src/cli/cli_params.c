/* cli/cli_params.c - see cli_params.h. */
#include "cli/cli_params.h"

#include "cli/cli.h"
#include "cli/cli_options.h"

static void show_param(cli_record *r, const jsn_param_info *p)
{
    const bool real = p->kind == JSN_PARAM_REAL;
    const bool bounded = real || p->kind == JSN_PARAM_REALS;
    cli_begin_object(r, NULL);
    cli_field_text(r, "name", "    %-12s",
                   p->kind == JSN_PARAM_POSITIONAL ? "PATH" : p->name);
    cli_field_text(r, "help", " %s", p->help);
    if (real)
        cli_field_real(r, "initial", " (default %g", p->initial);
    if (bounded) {
        cli_field_real(r, "lowest", real ? ", in [%g" : NULL, p->lowest);
        cli_field_real(r, "highest", real ? ", %g])" : NULL, p->highest);
    }
    cli_field_bool(r, "list", "\n", "\n", p->kind == JSN_PARAM_REALS);
    cli_end(r);
}

void cli_show_params(cli_record *r, const jsn_param_info *params, size_t count)
{
    cli_begin_array(r, "params");
    for (size_t i = 0; i < count; i++)
        show_param(r, &params[i]);
    cli_end(r);
}

void cli_show_entry(cli_record *r, const char *format, const jsn_entry *entry)
{
    cli_begin_object(r, NULL);
    cli_field_text(r, "name", format, entry->name);
    cli_field_text(r, "summary", " %s\n", entry->summary);
    cli_show_params(r, entry->params, entry->param_count);
    cli_end(r);
}

const jsn_option_info cli_show_options[1] = {
    CLI_JSON_ROW(cli_show_values, "JSON on stdout"),
};

jsn_status cli_show_table(const cli_show_values *values, const jsn_texts *args,
                          jsn_catalog table)
{
    cli_record r;
    jsn_entry entry;
    if (args->count > 0)
        return cli_usage("takes no argument '%s'", args->items[0]);
    const jsn_status status = cli_record_open(&r, values->json);
    if (status != JSN_OK)
        return status;
    cli_begin_array(&r, NULL);
    for (size_t i = 0; (entry = jsn_catalog_at(table, i)).name != NULL; i++)
        cli_show_entry(&r, "%-12s", &entry);
    cli_end(&r);
    return cli_record_close(&r);
}
