/* cli/cli_params.h - prints the parameters of a table entry, for `jensen show`. */
#ifndef JENSEN_CLI_PARAMS_H
#define JENSEN_CLI_PARAMS_H

#include <stdbool.h>
#include <stddef.h>

#include "jensen/json.h"
#include "jensen/option.h"
#include "jensen/param.h"

/* One line a parameter: key, default, bounds, help. */
void cli_print_params(const jsn_param_info *params, size_t count);
/* The same as the array "params" of a JSON object. */
void cli_put_params(jsn_json_writer *writer, const jsn_param_info *params,
                    size_t count);
/* An entry of a table: an object with name, summary and params. */
void cli_put_entry(jsn_json_writer *writer, const char *name, const char *summary,
                   const jsn_param_info *params, size_t count);

typedef struct cli_show_values {
    bool json;
} cli_show_values;

/* The one option of `jensen show datasets` and the like. */
extern const jsn_option_info cli_show_options[1];

#endif /* JENSEN_CLI_PARAMS_H */
