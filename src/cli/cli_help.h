/* cli/cli_help.h - help texts, all made from the command and option tables. */
#ifndef JENSEN_CLI_HELP_H
#define JENSEN_CLI_HELP_H

#include <stdio.h>

#include "cli/cli.h"

void cli_help_overview(FILE *to);
void cli_help_command(const cli_command *command);

/* What the table says of an option's values, for behind its help: " (0 to 1, default: 0)",
 * or "" where there is nothing to say. */
void cli_option_note(const jsn_option_info *row, char *out, size_t size);

/* Help for the first word of two-word commands ("theory"); `second` is what followed
 * it, or NULL. Returns 0, and prints nothing, when no command starts with the word. */
int cli_help_group(const char *word, const char *second);

#endif /* JENSEN_CLI_HELP_H */
