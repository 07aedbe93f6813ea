/* cli/cli_csv.h - tables that commands write: cells of a CSV file. */
#ifndef JENSEN_CLI_CSV_H
#define JENSEN_CLI_CSV_H

#include <stdio.h>

#include "jensen/status.h"

/* A text that holds any of `special` stands in quotes, its own quotes doubled. */
void cli_put_quoted(FILE *file, const char *text, const char *special);

/* A cell of a table, quoted where it must be. */
void cli_csv_cell(FILE *file, const char *text);

/* Opens a table to be written, "-" for stdout, and closes it; whatever cannot be written is
 * said and gives JSN_ERR_IO. A NULL `file` is fine. */
jsn_status cli_csv_open(FILE **file, const char *path);
jsn_status cli_csv_close(FILE *file, const char *path, jsn_status status);

#endif /* JENSEN_CLI_CSV_H */
