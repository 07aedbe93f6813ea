/* cli/cli_progress.h - messages and progress on stderr; see cli_logger() in cli.h. */
#ifndef JENSEN_CLI_PROGRESS_H
#define JENSEN_CLI_PROGRESS_H

void cli_progress_quiet(void);
void cli_progress_verbose(void);

/* Removes an unfinished bar, so that what is printed next starts on a clean line. */
void cli_progress_clear(void);

#endif /* JENSEN_CLI_PROGRESS_H */
