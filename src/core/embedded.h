/* core/embedded.h - a file of the source tree that the build makes part of the library
 * (cmake/JsnEmbed.cmake). */
#ifndef JSNI_CORE_EMBEDDED_H
#define JSNI_CORE_EMBEDDED_H

#include <stddef.h>

typedef struct jsni_embedded {
    const char *name, *type; /* "review.css", "text/css; charset=utf-8" */
    const unsigned char *bytes;
    size_t length;
} jsni_embedded;

#endif /* JSNI_CORE_EMBEDDED_H */
