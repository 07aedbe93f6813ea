/* cli/cli_params.c - see cli_params.h. */
#include "cli/cli_params.h"

#include <stdio.h>

void cli_print_params(const jsn_param_info *params, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const jsn_param_info *p = &params[i];
        char value[80] = "";
        if (p->kind == JSN_PARAM_REAL)
            (void)snprintf(value, sizeof value, "%g, in [%g, %g]", p->initial,
                           p->lowest, p->highest);
        (void)printf("    %-12s %s%s%s%s\n",
                     p->kind == JSN_PARAM_POSITIONAL ? "PATH" : p->name, p->help,
                     value[0] ? " (default " : "", value, value[0] ? ")" : "");
    }
}
