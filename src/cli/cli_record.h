/* cli/cli_record.h - a result as one list of fields, which is printed as text or, with
 * --json, as one line of JSON. A field is written once: its key in JSON, how its text
 * reads, its value. The texts follow each other as they are listed.
 *
 *     cli_record r;
 *     jsn_status status = cli_record_open(&r, v->json);
 *     if (status != JSN_OK)
 *         return status;
 *     cli_begin_object(&r, NULL);
 *     cli_field_text(&r, "split", "split     %s\n", split);
 *     cli_field_share(&r, "accuracy", "accuracy  %.2f%%\n", accuracy);
 *     cli_field_real(&r, "loss", NULL, loss);        // in JSON alone
 *     cli_words(&r, "\nclass  precision\n");         // in text alone
 *     cli_end(&r);
 *     return cli_record_close(&r);
 *
 * A text format takes the one value of its field: %s, %lld, or a conversion of a double. */
#ifndef JENSEN_CLI_RECORD_H
#define JENSEN_CLI_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/cli_print.h"
#include "core/json.h"
#include "jensen/status.h"

typedef struct cli_record {
    jsni_json_writer *json; /* NULL: text */
} cli_record;

JSN_MUST_CHECK jsn_status cli_record_open(cli_record *r, bool json);
/* Prints the JSON. To be called once, also when the result stays unfinished: then with
 * cli_record_drop(), which prints nothing. */
JSN_MUST_CHECK jsn_status cli_record_close(cli_record *r);
void cli_record_drop(cli_record *r);

/* Levels of JSON; the text knows none. Keys of entries in an array are NULL. */
void cli_begin_object(cli_record *r, const char *key);
void cli_begin_array(cli_record *r, const char *key);
void cli_end(cli_record *r);

void cli_field_text(cli_record *r, const char *key, const char *format,
                    const char *value);
void cli_field_int(cli_record *r, const char *key, const char *format, int64_t value);
void cli_field_real(cli_record *r, const char *key, const char *format, double value);
/* A share of 1, which the text has in percent and leaves out where it is NaN. */
void cli_field_share(cli_record *r, const char *key, const char *format, double value);
/* The text of a truth is `yes` or `no`. */
void cli_field_bool(cli_record *r, const char *key, const char *yes, const char *no,
                    bool value);
/* No value; the text has none of it. */
void cli_field_null(cli_record *r, const char *key);
/* Arrays; the text has each entry by `format`. */
void cli_field_reals(cli_record *r, const char *key, const char *format,
                     const float *values, size_t count);

/* What only the text has. */
void cli_words(cli_record *r, const char *format, ...) CLI_PRINTF(2, 3);

#endif /* JENSEN_CLI_RECORD_H */
