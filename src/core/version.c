/* core/version.c - version and optional libraries; the rows come from CMake, which
 * knows what it found. */
#include "jensen/version.h"

#include "core/feature_rows.h"
#include "core/hd.h"

#define TEXT_OF(x)      #x
#define DOTTED(a, b, c) TEXT_OF(a) "." TEXT_OF(b) "." TEXT_OF(c)

static const jsn_feature features[] = {JSNI_FEATURE_ROWS};

const char *jsn_version(void)
{
    return DOTTED(JSN_VERSION_MAJOR, JSN_VERSION_MINOR, JSN_VERSION_PATCH);
}

const jsn_feature *jsn_feature_describe(size_t index)
{
    return index < JSNI_COUNT_OF(features) ? &features[index] : NULL;
}
