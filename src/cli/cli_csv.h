/* cli/cli_csv.h - tables that commands write: cells of a CSV file. */
#ifndef JENSEN_CLI_CSV_H
#define JENSEN_CLI_CSV_H

#include <stdio.h>

#include "core/file.h"
#include "jensen/status.h"

/* A text that holds any of `special` stands in quotes, its own quotes doubled. */
void cli_put_quoted(FILE *file, const char *text, const char *special);

/* A cell of a table, quoted where it must be. */
void cli_csv_cell(FILE *file, const char *text);

/* A table on its way to its file, which takes its place when it is whole. */
typedef struct cli_csv {
    FILE *file; /* NULL: none is written */
    jsni_file_writer writer;
} cli_csv;

/* Opens a table to be written, "-" for stdout, and closes it: with a failure in `status` what was
 * there before stays. Whatever cannot be written is said and gives JSN_ERR_IO. A zeroed one can be
 * closed. */
jsn_status cli_csv_open(cli_csv *csv, const char *path);
jsn_status cli_csv_close(cli_csv *csv, jsn_status status);

#endif /* JENSEN_CLI_CSV_H */
