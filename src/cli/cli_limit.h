/* cli/cli_limit.h - the option --limit of commands that open data. main.c sets what it
 * says before the command runs. */
#ifndef JENSEN_CLI_LIMIT_H
#define JENSEN_CLI_LIMIT_H

#include "jensen/limit.h"
#include "jensen/option.h"

/* The row of a command whose values have a field `jsn_texts limit`. */
#define CLI_LIMIT_ROW(values)                                                         \
    {                                                                                 \
        "limit", 0, JSN_OPTION_TEXTS, NULL, 0, 0, NULL, "NAME=VALUE", JSN_LIMIT_HELP, \
            offsetof(values, limit)                                                   \
    }

#endif /* JENSEN_CLI_LIMIT_H */
