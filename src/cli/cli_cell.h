/* cli/cli_cell.h - texts in columns: widths are those on a terminal, not bytes. */
#ifndef JENSEN_CLI_CELL_H
#define JENSEN_CLI_CELL_H

#include <stddef.h>

#include "cli/cli_record.h"

enum { CLI_CELL_MOST = 200 }; /* columns of a cell */

/* Columns that a UTF-8 text takes on a terminal; a byte that is no UTF-8 takes one. */
size_t cli_cell_width(const char *text);

/* The text, or as much of it as fits into `width` columns and `room` bytes; cut short it
 * ends in an ellipsis. Control characters and broken bytes become '?'. */
void cli_cell_cut(const char *text, size_t width, char *out, size_t room);

/* Words of a record (JSON has none of them) in a column of `width` (at most
 * CLI_CELL_MOST) columns, at its left or right end. A longer text is cut and ends in an
 * ellipsis. Control characters become '?'. */
void cli_cell_left(cli_record *r, const char *text, size_t width);
void cli_cell_right(cli_record *r, const char *text, size_t width);

#endif /* JENSEN_CLI_CELL_H */
