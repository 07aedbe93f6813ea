/* core/progress.c - see progress.h. */
#include "core/progress.h"

#include <math.h>
#include <stdarg.h>

#include "core/text.h"

void jsni_say(const jsn_logger *logger, jsn_log_level level, const char *format, ...)
{
    char text[1200];
    va_list args;
    if (logger == NULL || logger->message == NULL)
        return;
    va_start(args, format);
    (void)jsni_format_list(text, sizeof text, format, args);
    va_end(args);
    logger->message(logger->user, level, text);
}

void jsni_progress(const jsn_logger *logger, const char *what, uint64_t done,
                   uint64_t total)
{
    if (logger == NULL || logger->progress == NULL)
        return;
    const jsn_progress p = {
        .size = sizeof p, .what = what, .done = done, .total = total, .left = NAN};
    logger->progress(logger->user, &p);
}
