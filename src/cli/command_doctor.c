/* cli/command_doctor.c - what this machine and this build offer. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/cli_options.h"
#include "cli/cli_record.h"
#include "core/machine.h"
#include "jensen/backend.h"
#include "jensen/fetch.h"
#include "jensen/version.h"
#include "jensen/weights.h"

#define GIB (1024.0 * 1024.0 * 1024.0)

typedef struct doctor_values {
    bool json;
} doctor_values;

static const jsn_option_info options[] = {
    CLI_JSON_ROW(doctor_values, "one JSON object on stdout"),
};

/* A folder that jensen writes to or reads from. */
typedef struct folder {
    const char *purpose;
    char path[512];
} folder;

enum { FOLDERS = 3 };

/* The same places as those who write there use. The cache can be off. */
static void find_folders(folder out[FOLDERS])
{
    const char *cache = getenv("JENSEN_CACHE"), *xdg = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    const bool off = cache != NULL && (cache[0] == '\0' || strcmp(cache, "off") == 0 ||
                                       strcmp(cache, "0") == 0);
    const char *base = cache != NULL ? cache : xdg != NULL ? xdg : home;
    const char *rest = cache != NULL ? "" : xdg != NULL ? "/jensen" : "/.cache/jensen";
    out[0] = (folder){"runs go below", "."};
    out[1] = (folder){"decoded archives", "(the cache is off)"};
    out[2] = (folder){"weights", "(the cache is off)"};
    if (base == NULL || off)
        return;
    (void)snprintf(out[1].path, sizeof out[1].path, "%.400s%s", base, rest);
    (void)snprintf(out[2].path, sizeof out[2].path, "%.480s/weights", out[1].path);
}

static double gib(uint64_t bytes)
{
    return (double)(uint64_t)((double)bytes / GIB * 10.0 + 0.5) / 10.0;
}

static void show_machine(cli_record *r, const jsni_machine *machine)
{
    const bool limited = machine->memory_limit < machine->memory;
    cli_words(r, "\nmachine\n");
    cli_field_text(r, "cpu", "  CPU              %s\n", machine->cpu);
    cli_field_int(r, "cores", "  cores            %lld\n", (int64_t)machine->cores);
    cli_words(r, "  instruction sets");
    cli_begin_object(r, "instruction_sets");
    for (size_t i = 0; i < jsni_instruction_set_count(); i++) {
        const jsni_instruction_set set = jsni_instruction_set_at(i);
        cli_field_bool(r, set.name, NULL, NULL, set.present);
        if (set.present)
            cli_words(r, " %s", set.name);
    }
    cli_end(r);
    cli_field_real(r, "memory_gib", "\n  memory           %.1f GiB",
                   gib(machine->memory));
    cli_field_real(r, "memory_limit_gib", limited ? ", limited to %.1f GiB" : NULL,
                   gib(machine->memory_limit));
    cli_words(r, "\n");
    cli_field_real(r, "disk_free_gib", NULL, gib(jsni_disk_free(".")));
}

static void show_gpus(cli_record *r, const jsni_gpu_driver *driver)
{
    cli_begin_object(r, "gpu");
    cli_field_bool(r, "driver", NULL, NULL, driver->loadable);
    cli_field_int(r, "cuda_version", NULL, driver->version);
    cli_field_text(r, "problem",
                   driver->gpus == 0 ? "  GPU              none: %s\n" : NULL,
                   driver->text);
    cli_begin_array(r, "devices");
    for (size_t i = 0; i < driver->gpus; i++) {
        cli_begin_object(r, NULL);
        cli_field_text(r, "name", "  GPU              %s", driver->gpu[i].name);
        cli_field_real(r, "memory_gib", ", %.1f GiB", gib(driver->gpu[i].memory));
        cli_words(r, " (driver for CUDA %d.%d)\n", driver->version / 1000,
                  driver->version % 1000 / 10);
        cli_end(r);
    }
    cli_end(r);
    cli_end(r);
}

static void show_folders(cli_record *r, const folder folders[FOLDERS])
{
    cli_words(r, "\nfolders\n");
    cli_begin_array(r, "folders");
    for (size_t i = 0; i < FOLDERS; i++) {
        const uint64_t room = jsni_disk_free(folders[i].path);
        cli_begin_object(r, NULL);
        cli_field_text(r, "purpose", "  %-16s", folders[i].purpose);
        cli_field_text(r, "path", " %s", folders[i].path);
        cli_field_bool(r, "exists", NULL, ", not there yet\n", room > 0);
        cli_field_real(r, "free_gib", room > 0 ? ", %.1f GiB free\n" : NULL, gib(room));
        cli_end(r);
    }
    cli_end(r);
}

/* What training photographs starts from. */
static void show_weights(cli_record *r)
{
    char words[800];
    jsn_weights_info *list = NULL;
    size_t count = 0;
    const jsn_status status = jsn_weights_list(&list, &count);
    (void)snprintf(words, sizeof words, "%s", jsn_last_error());
    cli_words(r, "\npretrained weights\n");
    cli_begin_array(r, "weights");
    for (size_t i = 0; i < count; i++) {
        cli_begin_object(r, NULL);
        cli_field_text(r, "name", "  %-16s", list[i].name);
        cli_field_text(r, "network", " %s", list[i].network);
        cli_field_int(r, "classes", ", %lld classes\n", (int64_t)list[i].classes);
        cli_end(r);
    }
    cli_end(r);
    if (status != JSN_OK)
        cli_words(r, "  %s\n", words);
    else if (count == 0)
        cli_words(r, "  none; 'make weights' and 'jensen weights fetch' bring some\n");
    jsn_weights_list_free(list, count);
}

/* What 'jensen data fetch' has brought into this folder. */
static void show_data(cli_record *r)
{
    cli_words(r, "\ndata in this folder\n");
    cli_begin_array(r, "data");
    for (size_t i = 0; jsn_fetch_describe(i) != NULL; i++) {
        const jsn_fetch_info *info = jsn_fetch_describe(i);
        char proof[512];
        (void)snprintf(proof, sizeof proof, "%s/%s", info->folder, info->proof);
        const bool there = access(proof, R_OK) == 0;
        cli_begin_object(r, NULL);
        cli_field_text(r, "name", "  %-16s", info->name);
        cli_field_text(r, "path", there ? " %s" : NULL, info->folder);
        cli_field_bool(r, "exists", "\n", NULL, there);
        if (!there)
            cli_words(r, " missing; 'jensen data fetch %s'\n", info->name);
        cli_end(r);
    }
    cli_end(r);
}

/* Looked for when a file is checked, not when the program is built. */
static void show_runtime(cli_record *r)
{
    jsni_onnx_library library;
    const bool there = jsni_onnx_library_find(&library) == JSN_OK;
    cli_words(r, "  %-16s", "ONNX Runtime");
    if (there)
        cli_field_text(r, "ONNX Runtime", " %-10s", library.version);
    else
        cli_field_null(r, "ONNX Runtime");
    cli_words(r, "%s export --check; looked for at run time\n",
              there ? "" : " missing   ");
}

static void show_build(cli_record *r)
{
    cli_words(r, "\nbackends\n");
    cli_begin_object(r, "backends");
    for (size_t i = 0; jsn_backend_describe(i).name != NULL; i++) {
        const jsn_backend_info b = jsn_backend_describe(i);
        cli_words(r, "  %-16s", b.name);
        cli_field_int(r, b.name, b.devices == 1 ? " %lld device" : " %lld devices",
                      (int64_t)b.devices);
        cli_words(r, ", %s\n", b.summary);
    }
    cli_end(r);
    cli_words(r, "\nlibraries\n");
    cli_begin_object(r, "libraries");
    for (size_t i = 0; jsn_feature_describe(i) != NULL; i++) {
        const jsn_feature *f = jsn_feature_describe(i);
        cli_words(r, "  %-16s", f->name);
        cli_field_text(r, f->name, f->version[0] != '\0' ? " %-10s" : " missing   ",
                       f->version);
        cli_words(r, " %s\n", f->purpose);
    }
    show_runtime(r);
    cli_end(r);
}

static jsn_status describe(const jsni_machine *machine, const jsni_gpu_driver *driver,
                           const folder folders[FOLDERS], bool json)
{
    cli_record r;
    const jsn_status status = cli_record_open(&r, json);
    if (status != JSN_OK)
        return status;
    cli_begin_object(&r, NULL);
    cli_field_text(&r, "version", "jensen %s\n", jsn_version());
    show_machine(&r, machine);
    show_gpus(&r, driver);
    show_folders(&r, folders);
    show_weights(&r);
    show_data(&r);
    show_build(&r);
    cli_end(&r);
    return cli_record_close(&r);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const doctor_values *v = values;
    jsni_machine machine;
    jsni_gpu_driver driver;
    folder folders[FOLDERS];
    if (args->count > 0)
        return cli_usage("takes no argument '%s'", args->items[0]);
    jsni_machine_probe(&machine);
    jsni_gpu_probe(&driver);
    find_folders(folders);
    return describe(&machine, &driver, folders, v->json);
}

const cli_command cli_command_doctor = {
    .name = "doctor",
    .summary = "what this machine and this build offer",
    .usage = "[--json]",
    .details =
        "Instruction sets, cores, memory, GPU and driver, folders with their free\n"
        "space, pretrained weights, data sets that were fetched into this folder,\n"
        "backends, and the optional libraries found and missing.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(doctor_values),
    .run = run};
