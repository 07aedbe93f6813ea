/* cli/cli_progress.h - messages and progress on stderr; see cli_logger() in cli.h. */
#ifndef JENSEN_CLI_PROGRESS_H
#define JENSEN_CLI_PROGRESS_H

#include <stdbool.h>

void cli_progress_quiet(void);
void cli_progress_verbose(void);

/* Whether everything is shown that the library says (-v). */
bool cli_progress_shows_all(void);

/* Removes an unfinished bar, so that what is printed next starts on a clean line. */
void cli_progress_clear(void);

#endif /* JENSEN_CLI_PROGRESS_H */
