/* cli/cli_numbers.h - numbers joined by '/', as in specs, and results as JSON. */
#ifndef JENSEN_CLI_NUMBERS_H
#define JENSEN_CLI_NUMBERS_H

#include <stddef.h>

#include "core/json.h"
#include "jensen/status.h"

/* Parses "0.5/0.3/0.2" whole into out[0..most); *count says how many. The complaint
 * names `option`. */
jsn_status cli_numbers(const char *option, const char *text, size_t most, double *out,
                       size_t *count);

/* Prints what the writer holds on a line of stdout; destroys the writer. */
jsn_status cli_print_json(jsni_json_writer *writer);

#endif /* JENSEN_CLI_NUMBERS_H */
