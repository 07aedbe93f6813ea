/* core/group_limit.c - see group_limit.h. */
#include "core/group_limit.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PATH_ROOM = 1024 };

/* Up to two numbers at the start of a file; returns how many there are: 0 for "max", a
 * negative number or no such file. */
static int numbers_in(const char *folder, const char *name, unsigned long long out[2])
{
    char path[PATH_ROOM + 64], line[64] = "";
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return 0;
    if (fgets(line, sizeof line, file) == NULL || line[0] < '0' || line[0] > '9')
        line[0] = '\0';
    (void)fclose(file);
    const int count = sscanf(line, "%llu %llu", &out[0], &out[1]);
    return count > 0 ? count : 0;
}

static void take_memory(jsni_group_limit *out, const char *folder, const char *limit,
                        const char *used)
{
    unsigned long long most[2], now[2];
    if (numbers_in(folder, limit, most) == 0)
        return;
    if (numbers_in(folder, used, now) == 0)
        now[0] = 0;
    const uint64_t left = most[0] > now[0] ? most[0] - now[0] : 0;
    out->memory = most[0] < out->memory ? most[0] : out->memory;
    out->memory_left = left < out->memory_left ? left : out->memory_left;
}

static void take_cores(jsni_group_limit *out, unsigned long long quota,
                       unsigned long long period)
{
    if (quota == 0 || period == 0)
        return;
    const size_t cores = (size_t)((quota - 1) / period + 1);
    out->cores = cores < out->cores ? cores : out->cores;
}

static void take_version_2(jsni_group_limit *out, const char *folder)
{
    unsigned long long time[2];
    take_memory(out, folder, "memory.max", "memory.current");
    if (numbers_in(folder, "cpu.max", time) == 2)
        take_cores(out, time[0], time[1]);
}

static void take_version_1(jsni_group_limit *out, const char *folder)
{
    unsigned long long quota[2], period[2];
    take_memory(out, folder, "memory.limit_in_bytes", "memory.usage_in_bytes");
    if (numbers_in(folder, "cpu.cfs_quota_us", quota) > 0 &&
        numbers_in(folder, "cpu.cfs_period_us", period) > 0)
        take_cores(out, quota[0], period[0]);
}

/* The group `path` of the hierarchy at root/kind and every group around it. */
static void take_groups(jsni_group_limit *out, const char *root, const char *kind,
                        const char *path)
{
    char folder[PATH_ROOM];
    const size_t length = strlen(root) + strlen(kind);
    const int wanted = snprintf(folder, sizeof folder, "%s%s%s", root, kind, path);
    if (wanted < 0 || (size_t)wanted >= sizeof folder)
        return;
    for (;;) {
        if (kind[0] == '\0')
            take_version_2(out, folder);
        else
            take_version_1(out, folder);
        char *slash = strrchr(folder, '/');
        if (slash == NULL || (size_t)(slash - folder) < length)
            return;
        *slash = '\0';
    }
}

void jsni_group_limit_read(jsni_group_limit *out, const char *root, const char *self)
{
    static const char *const kinds[] = {"", "/memory", "/cpu"};
    char line[PATH_ROOM];
    *out = (jsni_group_limit){UINT64_MAX, UINT64_MAX, SIZE_MAX};
    for (size_t i = 0; i < 3; i++)
        take_groups(out, root, kinds[i], "");
    /* Lines are "0::/path" (version 2) and "4:cpu,cpuacct:/path". */
    FILE *file = fopen(self, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *names = strchr(line, ':');
        char *path = names == NULL ? NULL : strchr(names + 1, ':');
        if (path == NULL)
            continue;
        *path++ = '\0';
        path[strcspn(path, "\n")] = '\0';
        if (names[1] == '\0')
            take_groups(out, root, kinds[0], path);
        for (size_t i = 1; i < 3; i++)
            if (strstr(names, kinds[i] + 1) != NULL)
                take_groups(out, root, kinds[i], path);
    }
    if (file != NULL)
        (void)fclose(file);
}
