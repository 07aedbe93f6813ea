/* core/status.c - status texts and the thread's latest error sentence. */
#include "core/fail.h"

#include <stdarg.h>
#include <string.h>

#include "core/text.h"

enum { MESSAGE_SIZE = 1024 };

static _Thread_local char message[MESSAGE_SIZE];

const char *jsn_status_text(jsn_status status)
{
#define STATUS_CASE(code, text) \
    case code:                  \
        return text;
    switch (status) {
        JSN_STATUS_LIST(STATUS_CASE)
    }
#undef STATUS_CASE
    return "unknown status";
}

const char *jsn_last_error(void)
{
    return message;
}

jsn_status jsni_fail(jsn_status status, const char *format, ...)
{
    /* Through a second buffer, so that a sentence may quote jsn_last_error(). */
    char text[MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    (void)jsni_format_list(text, sizeof text, format, args);
    va_end(args);
    memcpy(message, text, sizeof message);
    return status;
}
