/* cli/cli_params.h - prints the parameters of a table entry, for `jensen show`. */
#ifndef JENSEN_CLI_PARAMS_H
#define JENSEN_CLI_PARAMS_H

#include <stddef.h>

#include "jensen/param.h"

/* One line a parameter: key, default, bounds, help. */
void cli_print_params(const jsn_param_info *params, size_t count);

#endif /* JENSEN_CLI_PARAMS_H */
