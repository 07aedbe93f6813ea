/* cli/cli_help.h - help texts, all made from the command and option tables. */
#ifndef JENSEN_CLI_HELP_H
#define JENSEN_CLI_HELP_H

#include <stdio.h>

#include "cli/cli.h"

void cli_help_overview(FILE *to);
void cli_help_command(const cli_command *command);

/* Help for the first word of two-word commands ("theory"); `second` is what followed
 * it, or NULL. Returns 0, and prints nothing, when no command starts with the word. */
int cli_help_group(const char *word, const char *second);

#endif /* JENSEN_CLI_HELP_H */
