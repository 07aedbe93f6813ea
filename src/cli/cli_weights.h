/* cli/cli_weights.h - how the commands about weights tell of them. */
#ifndef JENSEN_CLI_WEIGHTS_H
#define JENSEN_CLI_WEIGHTS_H

#include <stdbool.h>

#include "jensen/weights.h"

/* A line for each, or with `json` an object on a line. */
jsn_status cli_weights_print(const jsn_weights_info *list, size_t count, bool json);

/* Says on stderr what was assumed of weights that have just been imported, if anything. */
void cli_weights_note(const jsn_weights_info *info);

/* All that is known of one, as lines or as that object. */
jsn_status cli_weights_describe(const jsn_weights_info *info, bool json);

#endif /* JENSEN_CLI_WEIGHTS_H */
