/* cli/cli_csv.c - see cli_csv.h. */
#define _POSIX_C_SOURCE 200809L /* fdopen */
#include "cli/cli_csv.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

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

/* What a killed process has left beside the place. */
static void tidy(const char *path)
{
    const char *slash = strrchr(path, '/');
    const int length = slash == NULL ? 1 : slash == path ? 1 : (int)(slash - path);
    char folder[4096];
    if ((size_t)length < sizeof folder) {
        (void)snprintf(folder, sizeof folder, "%.*s", length,
                       slash == NULL ? "." : path);
        jsni_file_remove_left(folder, ".");
    }
}

jsn_status cli_csv_open(cli_csv *csv, const char *path)
{
    *csv = (cli_csv){0};
    if (strcmp(path, "-") == 0) {
        csv->file = stdout;
        return JSN_OK;
    }
    tidy(path);
    const jsn_status status = jsni_file_begin(&csv->writer, NULL, path);
    if (status != JSN_OK)
        return status;
    const int number = dup(csv->writer.fd);
    csv->file = number < 0 ? NULL : fdopen(number, "w");
    if (csv->file != NULL)
        return JSN_OK;
    (void)cli_usage("%s: cannot be written: %s", path, strerror(errno));
    if (number >= 0)
        (void)close(number);
    return jsni_file_end(&csv->writer, JSN_ERR_IO);
}

jsn_status cli_csv_close(cli_csv *csv, jsn_status status)
{
    if (csv->file == NULL)
        return status;
    const bool to_stdout = csv->file == stdout;
    const int lost = ferror(csv->file);
    errno = 0;
    const int failed = to_stdout ? fflush(csv->file) : fclose(csv->file);
    if ((failed != 0 || lost) && status == JSN_OK) {
        (void)cli_usage("%s: cannot be written%s%s",
                        to_stdout ? "stdout" : csv->writer.path, errno != 0 ? ": " : "",
                        errno != 0 ? strerror(errno) : "; is the disk full?");
        status = JSN_ERR_IO;
    }
    csv->file = NULL;
    return to_stdout ? status : jsni_file_end(&csv->writer, status);
}
