/* cli/cli_cell.h - texts in columns: widths are counted in characters, not in bytes. */
#ifndef JENSEN_CLI_CELL_H
#define JENSEN_CLI_CELL_H

#include <stddef.h>

/* Characters of a UTF-8 text; a byte that is none counts as one. */
size_t cli_cell_width(const char *text);

/* Prints a text on stdout in a column of `width` characters, at its left or right end. A
 * longer one is cut and ends in an ellipsis. Control characters become '?'. */
void cli_put_left(const char *text, size_t width);
void cli_put_right(const char *text, size_t width);

#endif /* JENSEN_CLI_CELL_H */
