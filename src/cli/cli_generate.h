/* cli/cli_generate.h - the man page and the bash completion, made from the command and
 * option tables when the program is built (`jensen --print-man`, `--print-completion`),
 * so that they cannot fall behind --help. */
#ifndef JENSEN_CLI_GENERATE_H
#define JENSEN_CLI_GENERATE_H

void cli_print_man(void);
void cli_print_completion(void);

#endif /* JENSEN_CLI_GENERATE_H */
