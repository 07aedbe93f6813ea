/* cli/cli_generate.h - the man page, the bash completion and docs/commands.md, made from
 * the command and option tables (`jensen --print-man`, `--print-completion`,
 * `--print-markdown`), so that they cannot fall behind --help. The first two are made when
 * the program is built; a test compares the third. */
#ifndef JENSEN_CLI_GENERATE_H
#define JENSEN_CLI_GENERATE_H

void cli_print_man(void);
void cli_print_completion(void);
void cli_print_markdown(void);

#endif /* JENSEN_CLI_GENERATE_H */
