/* report/axis.c - see report/axis.h. */
#include "report/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"

/* Ranges end here, and data beyond lie outside of the plot: inside, differences, quotients
 * and powers of ten are finite and not zero. */
#define LARGEST     1e300
#define SMALLEST    1e-290 /* what is smaller is 0 */
#define LOG_LARGEST 1e130  /* on logarithmic axes, where quotients count */

static double between(double low, double value, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* The number with a real minus sign, and no "-0". */
static void write_number(char text[JSNI_TICK_TEXT], double value, int decimals)
{
    char plain[JSNI_TICK_TEXT - 4];
    const double unit = pow(10.0, -decimals);
    const double shown = fabs(value) < 0.5 * unit ? 0.0 : value;
    (void)jsni_format(plain, sizeof plain, "%.*f", decimals, fabs(shown));
    (void)snprintf(text, JSNI_TICK_TEXT, "%s%s", shown < 0.0 ? "\xE2\x88\x92" : "",
                   plain);
}

static void write_power(char text[JSNI_TICK_TEXT], double value)
{
    const int exponent = (int)lrint(floor(log10(value) + 1e-9));
    const double mantissa = value / pow(10.0, exponent);
    const int first = (int)lrint(mantissa);
    if (exponent >= -3 && exponent <= 3)
        write_number(text, value, exponent < 0 ? -exponent : 0);
    else if (first == 1)
        (void)snprintf(text, JSNI_TICK_TEXT, "10^{%s%d}",
                       exponent < 0 ? "\xE2\x88\x92" : "",
                       exponent < 0 ? -exponent : exponent);
    else
        (void)snprintf(text, JSNI_TICK_TEXT,
                       "%d\xC2\xB7"
                       "10^{%s%d}",
                       first, exponent < 0 ? "\xE2\x88\x92" : "",
                       exponent < 0 ? -exponent : exponent);
}

static size_t linear_ticks(double low, double high, size_t most, jsni_tick *ticks)
{
    static const double nice[] = {1.0, 2.0, 2.5, 5.0, 10.0};
    const double rough = (high - low) / (double)most;
    const double power = pow(10.0, floor(log10(rough)));
    double step = 10.0 * power;
    int decimals = 0;
    for (size_t i = 0; i < 5; i++)
        /* 2.5 itself would give whole numbers (epochs) decimals that they do not need. */
        if (nice[i] * power >= rough * (1.0 - 1e-9) && nice[i] * power != 2.5) {
            step = nice[i] * power;
            break;
        }
    /* As many decimals as the step itself has. */
    while (decimals < 15 &&
           fabs(step * pow(10.0, decimals) - rint(step * pow(10.0, decimals))) > 1e-6)
        decimals++;
    /* The sum makes 0 of -0. */
    const double first = ceil(low / step - 1e-6) + 0.0,
                 last = floor(high / step + 1e-6);
    const bool huge = fmax(fabs(low), fabs(high)) >= 1e7 || decimals > 6;
    size_t count = 0;
    for (double n = first; n <= last && count < JSNI_TICKS; n += 1.0, count++) {
        ticks[count].value = n * step;
        if (huge)
            (void)jsni_format(ticks[count].text, JSNI_TICK_TEXT, "%.3g", n * step);
        else
            write_number(ticks[count].text, n * step, decimals);
    }
    return count;
}

/* Decades, thinned to `most`; with few of them also 2 and 5; minor ticks between. */
static size_t log_ticks(double low, double high, size_t most, jsni_tick *ticks)
{
    const int first = (int)floor(log10(low) + 1e-9),
              last = (int)ceil(log10(high) - 1e-9);
    const int decades = last - first > 0 ? last - first : 1;
    const int every = 1 + (decades - 1) / (int)most;
    const bool halves = 3.0 * log10(high / low) <= (double)most;
    size_t count = 0;
    for (int e = first; e <= last; e++)
        for (int digit = 1; digit < 10; digit++) {
            const double value = digit * pow(10.0, e);
            const bool label = (digit == 1 && (e - first) % every == 0) ||
                               (halves && (digit == 2 || digit == 5));
            if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9) ||
                count == JSNI_TICKS || (!label && decades > 6))
                continue;
            ticks[count].value = value;
            ticks[count].text[0] = '\0';
            if (label)
                write_power(ticks[count].text, value);
            count++;
        }
    return count;
}

size_t jsni_axis_ticks(double low, double high, bool log_scale, size_t most,
                       jsni_tick *ticks)
{
    if (!(high > low) || (log_scale && !(low > 0.0)))
        return 0;
    most = most < 2 ? 2 : most > JSNI_TICKS / 2 ? JSNI_TICKS / 2 : most;
    return log_scale ? log_ticks(low, high, most, ticks)
                     : linear_ticks(low, high, most, ticks);
}

void jsni_axis_range(double *low, double *high, bool log_scale, double room)
{
    if (!(*low <= *high) || !isfinite(*low) || !isfinite(*high)) {
        *low = log_scale ? 0.1 : 0.0;
        *high = 1.0;
    }
    if (log_scale) {
        *high = *high > 0.0 ? *high : 1.0;
        *low = *low > 0.0 ? *low : *high * 1e-3;
        *low = between(1.0 / LOG_LARGEST, *low, LOG_LARGEST);
        *high = between(1.0 / LOG_LARGEST, *high, LOG_LARGEST);
        const double widen = *low == *high ? 2.0 : pow(*high / *low, room);
        *low /= widen;
        *high *= widen;
        return;
    }
    *low = fabs(*low) < SMALLEST ? 0.0 : between(-LARGEST, *low, LARGEST);
    *high = fabs(*high) < SMALLEST ? 0.0 : between(-LARGEST, *high, LARGEST);
    double widen = room * (*high - *low);
    if (*high - *low <= 1e-12 * fmax(fabs(*low), fabs(*high)))
        widen = *low == 0.0 ? 0.5 : 0.1 * fabs(*low);
    *low -= widen;
    *high += widen;
}

double jsni_axis_place(double value, double low, double high, bool log_scale)
{
    if (log_scale)
        return value > 0.0 ? log(value / low) / log(high / low) : -INFINITY;
    return (value - low) / (high - low);
}
