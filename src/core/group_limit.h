/* core/group_limit.h - what the control groups that this process runs in (containers,
 * batch systems) let it have of the machine. */
#ifndef JSNI_CORE_GROUP_LIMIT_H
#define JSNI_CORE_GROUP_LIMIT_H

#include <stddef.h>
#include <stdint.h>

/* The smallest limits of the group and of those around it; UINT64_MAX and SIZE_MAX where
 * there are none. */
typedef struct jsni_group_limit {
    uint64_t memory;      /* bytes */
    uint64_t memory_left; /* bytes not in use yet */
    size_t cores;         /* processor time, in whole cores, rounded up */
} jsni_group_limit;

/* Reads versions 1 and 2 of control groups below `root` (/sys/fs/cgroup), for the groups
 * that the file `self` (/proc/self/cgroup) names, and for the root itself, which is the
 * group of a container. Never fails. */
void jsni_group_limit_read(jsni_group_limit *out, const char *root, const char *self);

#endif /* JSNI_CORE_GROUP_LIMIT_H */
