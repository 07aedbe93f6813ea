/* cli/cli_help.h - help texts, all made from the command and option tables. */
#ifndef JENSEN_CLI_HELP_H
#define JENSEN_CLI_HELP_H

#include <stdio.h>

#include "cli/cli.h"

void cli_help_overview(FILE *to);
void cli_help_command(const cli_command *command);

/* Whether `row` is the option of the command whose value is a name of its table. */
bool cli_option_named(const cli_command *command, const jsn_option_info *row);

enum { CLI_OPTION_HELP = 640 };

/* The help of an option with what the tables say of its values: names, bounds and the initial
 * one: "format of the file: onnx, pytorch, safetensors (default: onnx)". */
void cli_option_help(const cli_command *command, const jsn_option_info *row,
                     char out[CLI_OPTION_HELP]);

/* Help for the first word of two-word commands ("theory"); `second` is what followed
 * it, or NULL. Returns 0, and prints nothing, when no command starts with the word. */
int cli_help_group(const char *word, const char *second);

#endif /* JENSEN_CLI_HELP_H */
