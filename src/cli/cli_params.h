/* cli/cli_params.h - the parameters of a table entry, for `jensen show`. */
#ifndef JENSEN_CLI_PARAMS_H
#define JENSEN_CLI_PARAMS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/cli_record.h"
#include "jensen/catalog.h"
#include "jensen/option.h"

/* The parameters of an entry: the array "params", or a line each with key, default,
 * bounds, help. */
void cli_show_params(cli_record *r, const jsn_param_info *params, size_t count);
/* An entry of a table: name, in text by `format`, summary and parameters. */
void cli_show_entry(cli_record *r, const char *format, const jsn_entry *entry);

typedef struct cli_show_values {
    bool json;
} cli_show_values;

/* The one option of `jensen show datasets` and the like. */
extern const jsn_option_info cli_show_options[1];

/* A whole command that shows a table, as lines or as JSON. */
jsn_status cli_show_table(const cli_show_values *values, const jsn_texts *args,
                          jsn_catalog table);

#endif /* JENSEN_CLI_PARAMS_H */
