/* jensen/version.h - which library this is and what it was built with. */
#ifndef JENSEN_VERSION_H
#define JENSEN_VERSION_H

#include <stddef.h>

#include "jensen/status.h"

#define JSN_VERSION_MAJOR 1
#define JSN_VERSION_MINOR 4
#define JSN_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/* "1.4.0", of the library that is running. */
JSN_API const char *jsn_version(void);

/* An optional library: what it is for, and the version found when this library was
 * built; "" when it was built without. The records are static. */
typedef struct jsn_feature {
    const char *name;
    const char *purpose;
    const char *version;
} jsn_feature;

/* The record at `index`, NULL behind the last. */
JSN_API const jsn_feature *jsn_feature_describe(size_t index);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_VERSION_H */
