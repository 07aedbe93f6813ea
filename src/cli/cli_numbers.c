/* cli/cli_numbers.c - see cli/cli_numbers.h. */
#include "cli/cli_numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "core/json.h"

jsn_status cli_numbers(const char *option, const char *text, size_t most, double *out,
                       size_t *count)
{
    *count = 0;
    for (;;) {
        const size_t length = strcspn(text, "/");
        char piece[64], *end = NULL;
        if (length >= sizeof piece)
            return cli_usage("--%s: '%s' is not a number", option, text);
        memcpy(piece, text, length);
        piece[length] = '\0';
        const double value = strtod(piece, &end);
        /* strtod() alone would take spaces, hexadecimal, "inf" and "nan". */
        if (length == 0 || *end != '\0' || !isfinite(value) ||
            strspn(piece, "0123456789+-.eE") != length)
            return cli_usage("--%s: '%s' is not a number", option, piece);
        if (*count == most)
            return cli_usage("--%s: more than %zu numbers", option, most);
        out[(*count)++] = value;
        if (text[length] == '\0')
            return JSN_OK;
        text += length + 1;
    }
}

jsn_status cli_print_json(jsni_json_writer *writer)
{
    char *text = NULL;
    const jsn_status status = jsni_json_writer_take(writer, &text);
    if (status == JSN_OK) {
        cli_write(text);
        cli_print("\n");
    }
    jsn_text_release(text);
    jsni_json_writer_destroy(writer);
    return status;
}
