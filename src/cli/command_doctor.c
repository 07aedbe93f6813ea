/* cli/command_doctor.c - what this machine and this build offer. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "cli/cli.h"
#include "jensen/version.h"

typedef struct doctor_values {
    bool json;
} doctor_values;

static const jsn_option_info options[] = {
    {"json", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL, "one JSON object on stdout",
     offsetof(doctor_values, json)},
};

static double free_gib(const char *path)
{
    struct statvfs info;
    return statvfs(path, &info) == 0
               ? (double)info.f_bavail * (double)info.f_frsize / (1024.0 * 1024 * 1024)
               : 0.0;
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const doctor_values *v = values;
    if (args->count > 0)
        return cli_usage("takes no argument '%s'", args->items[0]);
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const double memory = (double)sysconf(_SC_PHYS_PAGES) *
                          (double)sysconf(_SC_PAGESIZE) / (1024.0 * 1024 * 1024);
    if (v->json) {
        (void)printf("{\"version\":\"%s\",\"cores\":%ld,\"memory_gib\":%.1f,"
                     "\"disk_free_gib\":%.1f,\"libraries\":{",
                     jsn_version(), cores, memory, free_gib("."));
        for (size_t i = 0; i < jsn_feature_count(); i++)
            (void)printf("%s\"%s\":\"%s\"", i == 0 ? "" : ",",
                         jsn_feature_describe(i)->name,
                         jsn_feature_describe(i)->version);
        (void)printf("}}\n");
        return JSN_OK;
    }
    (void)printf("jensen %s\n", jsn_version());
    (void)printf("cores      %ld\nmemory     %.1f GiB\ndisk here  %.1f GiB free\n",
                 cores, memory, free_gib("."));
    for (size_t i = 0; i < jsn_feature_count(); i++) {
        const jsn_feature *f = jsn_feature_describe(i);
        (void)printf("%-14s %-10s %s\n", f->name,
                     f->version[0] ? f->version : "missing", f->purpose);
    }
    return JSN_OK;
}

const cli_command cli_command_doctor = {
    .name = "doctor",
    .summary = "what this machine and this build offer",
    .usage = "[--json]",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(doctor_values),
    .run = run,
};
