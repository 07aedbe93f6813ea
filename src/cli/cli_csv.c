/* cli/cli_csv.c - see cli_csv.h. */
#include "cli/cli_csv.h"

#include <errno.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_print.h"

void cli_put_quoted(FILE *file, const char *text, const char *special)
{
    if (strpbrk(text, special) == NULL)
        cli_print_to(file, "%s", text);
    else
        cli_print_quoted(file, text);
}

void cli_csv_cell(FILE *file, const char *text)
{
    cli_put_quoted(file, text, ",\"\n\r");
}

jsn_status cli_csv_open(FILE **file, const char *path)
{
    *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    if (*file != NULL)
        return JSN_OK;
    (void)cli_usage("%s: cannot be written: %s", path, strerror(errno));
    return JSN_ERR_IO;
}

jsn_status cli_csv_close(FILE *file, const char *path, jsn_status status)
{
    if (file == NULL)
        return status;
    const int lost = ferror(file);
    const char *name = file == stdout ? "stdout" : path;
    errno = 0;
    const int failed = file == stdout ? fflush(file) : fclose(file);
    if ((failed != 0 || lost) && status == JSN_OK) {
        (void)cli_usage("%s: cannot be written%s%s", name, errno != 0 ? ": " : "",
                        errno != 0 ? strerror(errno) : "; is the disk full?");
        return JSN_ERR_IO;
    }
    return status;
}
