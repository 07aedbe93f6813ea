/* format/compressed_magic.c - how compressed files begin; see compressed.h. */
#include <string.h>

#include "format/compressed.h"

static bool begins(const char *data, size_t length, const char *magic, size_t count)
{
    return length >= count && memcmp(data, magic, count) == 0;
}

bool jsni_is_compressed(const char *data, size_t length)
{
    /* "BZh9" alone could be the start of a text; the digits of pi behind it are not. */
    const bool bzip2 = begins(data, length, "BZh", 3) && length >= 10 &&
                       memcmp(data + 4, "1AY&SY", 6) == 0;
    return bzip2 || begins(data, length, "\xfd\x37zXZ", 6) || /* with its NUL */
           begins(data, length, "\x1f\x8b", 2) ||             /* gzip */
           begins(data, length, "\x28\xb5\x2f\xfd", 4);       /* zstd */
}
