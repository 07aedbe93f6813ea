/* cli/cli_record.c - see cli/cli_record.h. */
#include "cli/cli_record.h"

#include <math.h>
#include <stdarg.h>

#include "cli/cli.h"

jsn_status cli_record_open(cli_record *r, bool json)
{
    *r = (cli_record){NULL};
    return json ? jsni_json_writer_create(&r->json, 0) : JSN_OK;
}

jsn_status cli_record_close(cli_record *r)
{
    char *text = NULL;
    if (r->json == NULL)
        return JSN_OK;
    const jsn_status status = jsni_json_writer_take(r->json, &text);
    if (status == JSN_OK) {
        cli_write(text);
        cli_print("\n");
    }
    jsn_text_release(text);
    cli_record_drop(r);
    return status;
}

void cli_record_drop(cli_record *r)
{
    jsni_json_writer_destroy(r->json);
    r->json = NULL;
}

void cli_begin_object(cli_record *r, const char *key)
{
    if (r->json != NULL)
        jsni_json_begin_object(r->json, key);
}

void cli_begin_array(cli_record *r, const char *key)
{
    if (r->json != NULL)
        jsni_json_begin_array(r->json, key);
}

void cli_end(cli_record *r)
{
    if (r->json != NULL)
        jsni_json_end(r->json);
}

void cli_field_text(cli_record *r, const char *key, const char *format,
                    const char *value)
{
    if (r->json != NULL)
        jsni_json_put_text(r->json, key, value);
    else if (format != NULL)
        cli_print(format, value);
}

void cli_field_int(cli_record *r, const char *key, const char *format, int64_t value)
{
    if (r->json != NULL)
        jsni_json_put_int(r->json, key, value);
    else if (format != NULL)
        cli_print(format, (long long)value);
}

void cli_field_real(cli_record *r, const char *key, const char *format, double value)
{
    if (r->json != NULL)
        jsni_json_put_real(r->json, key, value);
    else if (format != NULL)
        cli_print(format, value);
}

void cli_field_share(cli_record *r, const char *key, const char *format, double value)
{
    if (r->json != NULL)
        jsni_json_put_real(r->json, key, value);
    else if (format != NULL && !isnan(value))
        cli_print(format, 100.0 * value);
}

void cli_field_bool(cli_record *r, const char *key, const char *yes, const char *no,
                    bool value)
{
    const char *text = value ? yes : no;
    if (r->json != NULL)
        jsni_json_put_bool(r->json, key, value);
    else if (text != NULL)
        cli_write(text);
}

void cli_field_null(cli_record *r, const char *key)
{
    if (r->json != NULL)
        jsni_json_put_null(r->json, key);
}

void cli_field_reals(cli_record *r, const char *key, const char *format,
                     const float *values, size_t count)
{
    cli_begin_array(r, key);
    for (size_t i = 0; i < count; i++)
        cli_field_real(r, NULL, format, (double)values[i]);
    cli_end(r);
}

void cli_words(cli_record *r, const char *format, ...)
{
    if (r->json != NULL)
        return;
    va_list args;
    va_start(args, format);
    cli_print_list(format, &args);
    va_end(args);
}
