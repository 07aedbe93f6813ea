/* core/machine.c - cores, memory, instruction sets, disk; see core/machine.h. */
#include "core/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/group_limit.h"
#include "core/hd.h"
#include "core/pool.h"

/* The rest of the first line of `path` that starts with `key`, behind the colon. */
static void line_of(const char *path, const char *key, char *out, size_t size)
{
    char line[256];
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, key, strlen(key)) != 0 || colon == NULL)
            continue;
        const char *start = colon + 1 + strspn(colon + 1, " \t");
        (void)snprintf(out, size, "%.*s", (int)strcspn(start, "\n"), start);
        break;
    }
    if (file != NULL)
        (void)fclose(file);
}

void jsni_machine_probe(jsni_machine *out)
{
    if (out == NULL)
        return;
    char text[32] = "";
    jsni_group_limit group;
    *out = (jsni_machine){.cpu = "unknown", .cores = 1};
    line_of("/proc/cpuinfo", "model name", out->cpu, sizeof out->cpu);
    out->cores = jsni_usable_cores();
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0)
        out->memory = (uint64_t)pages * (uint64_t)page;
    jsni_group_limit_read(&group, "/sys/fs/cgroup", "/proc/self/cgroup");
    out->memory_limit = group.memory < out->memory ? group.memory : out->memory;
    line_of("/proc/meminfo", "MemAvailable", text, sizeof text);
    const uint64_t free_now = strtoull(text, NULL, 10) * 1024;
    out->memory_available = free_now != 0 ? free_now : out->memory;
    if (group.memory_left < out->memory_available)
        out->memory_available = group.memory_left;
}

#if defined(__x86_64__) || defined(__i386__)
#define X86(feature) (__builtin_cpu_supports(feature) != 0)
#else
#define X86(feature) false
#endif
#if defined(__ARM_NEON)
#define NEON true
#else
#define NEON false
#endif

jsni_instruction_set jsni_instruction_set_at(size_t index)
{
    const jsni_instruction_set sets[] = {
        {"AVX2", X86("avx2")},
        {"FMA", X86("fma")},
        {"AVX-512",
         X86("avx512f") && X86("avx512bw") && X86("avx512dq") && X86("avx512vl")},
        {"NEON", NEON},
    };
    return index < JSNI_COUNT_OF(sets) ? sets[index] : (jsni_instruction_set){0};
}

size_t jsni_instruction_set_count(void)
{
    size_t count = 0;
    while (jsni_instruction_set_at(count).name != NULL)
        count++;
    return count;
}

uint64_t jsni_disk_free(const char *path)
{
    struct statvfs info;
    return path != NULL && statvfs(path, &info) == 0
               ? (uint64_t)info.f_bavail * info.f_frsize
               : 0;
}
