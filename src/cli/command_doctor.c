/* cli/command_doctor.c - what this machine and this build offer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_options.h"
#include "core/json.h"
#include "core/machine.h"
#include "core/words.h"
#include "jensen/backend.h"
#include "jensen/version.h"

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

enum { FOLDERS = 2 };

/* The same places as the data sets use for decoded archives. */
static void find_folders(folder out[FOLDERS])
{
    const char *cache = getenv("JENSEN_CACHE"), *xdg = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    const char *base = cache != NULL ? cache : xdg != NULL ? xdg : home;
    const char *rest = cache != NULL ? "" : xdg != NULL ? "/jensen" : "/.cache/jensen";
    out[0] = (folder){"runs go below", "."};
    out[1] = (folder){"decoded archives", ""};
    if (base != NULL)
        (void)snprintf(out[1].path, sizeof out[1].path, "%s%s", base, rest);
}

static double gib(uint64_t bytes)
{
    return (double)(uint64_t)((double)bytes / GIB * 10.0 + 0.5) / 10.0;
}

static void write_gpus(jsni_json_writer *w, const jsni_gpu_driver *driver)
{
    jsni_json_begin_object(w, "gpu");
    jsni_json_put_bool(w, "driver", driver->loadable);
    jsni_json_put_int(w, "cuda_version", driver->version);
    jsni_json_put_text(w, "problem", driver->text);
    jsni_json_begin_array(w, "devices");
    for (size_t i = 0; i < driver->gpus; i++) {
        jsni_json_begin_object(w, NULL);
        jsni_json_put_text(w, "name", driver->gpu[i].name);
        jsni_json_put_real(w, "memory_gib", gib(driver->gpu[i].memory));
        jsni_json_end(w);
    }
    jsni_json_end(w);
    jsni_json_end(w);
}

static void write_folders(jsni_json_writer *w, const folder folders[FOLDERS])
{
    jsni_json_begin_array(w, "folders");
    for (size_t i = 0; i < FOLDERS; i++) {
        const uint64_t room = jsni_disk_free(folders[i].path);
        jsni_json_begin_object(w, NULL);
        jsni_json_put_text(w, "path", folders[i].path);
        jsni_json_put_text(w, "purpose", folders[i].purpose);
        jsni_json_put_bool(w, "exists", room > 0);
        jsni_json_put_real(w, "free_gib", gib(room));
        jsni_json_end(w);
    }
    jsni_json_end(w);
}

static void write_object(jsni_json_writer *w, const jsni_machine *machine,
                         const jsni_gpu_driver *driver, const folder folders[FOLDERS])
{
    jsni_json_begin_object(w, NULL);
    jsni_json_put_text(w, "version", jsn_version());
    jsni_json_put_text(w, "cpu", machine->cpu);
    jsni_json_put_int(w, "cores", (int64_t)machine->cores);
    jsni_json_put_real(w, "memory_gib", gib(machine->memory));
    jsni_json_put_real(w, "memory_limit_gib", gib(machine->memory_limit));
    jsni_json_put_real(w, "disk_free_gib", gib(jsni_disk_free(".")));
    jsni_json_begin_object(w, "instruction_sets");
    for (size_t i = 0; i < jsni_instruction_set_count(); i++)
        jsni_json_put_bool(w, jsni_instruction_set_at(i).name,
                           jsni_instruction_set_at(i).present);
    jsni_json_end(w);
    write_gpus(w, driver);
    jsni_json_begin_object(w, "backends");
    for (size_t i = 0; jsn_backend_describe(i).name != NULL; i++)
        jsni_json_put_int(w, jsn_backend_describe(i).name,
                          (int64_t)jsn_backend_describe(i).devices);
    jsni_json_end(w);
    jsni_json_begin_object(w, "libraries");
    for (size_t i = 0; jsn_feature_describe(i) != NULL; i++)
        jsni_json_put_text(w, jsn_feature_describe(i)->name,
                           jsn_feature_describe(i)->version);
    jsni_json_end(w);
    write_folders(w, folders);
    jsni_json_end(w);
}

static jsn_status print_json(const jsni_machine *machine, const jsni_gpu_driver *driver,
                             const folder folders[FOLDERS])
{
    jsni_json_writer *writer = NULL;
    const jsn_status status = jsni_json_writer_create(&writer, 0);
    if (status != JSN_OK)
        return status;
    write_object(writer, machine, driver, folders);
    return cli_print_json(writer);
}

static void print_gpus(const jsni_gpu_driver *driver)
{
    if (driver->gpus == 0)
        cli_print("  %-16s none: %s\n", "GPU", driver->text);
    for (size_t i = 0; i < driver->gpus; i++)
        cli_print("  %-16s %s, %.1f GiB (driver for CUDA %d.%d)\n", "GPU",
                  driver->gpu[i].name, gib(driver->gpu[i].memory),
                  driver->version / 1000, driver->version % 1000 / 10);
}

static void print_text(const jsni_machine *machine, const jsni_gpu_driver *driver,
                       const folder folders[FOLDERS])
{
    cli_print("jensen %s\n\nmachine\n  %-16s %s\n  %-16s %zu\n", jsn_version(), "CPU",
              machine->cpu, "cores", machine->cores);
    cli_print("  %-16s", "instruction sets");
    for (size_t i = 0; i < jsni_instruction_set_count(); i++)
        if (jsni_instruction_set_at(i).present)
            cli_print(" %s", jsni_instruction_set_at(i).name);
    cli_print("\n  %-16s %.1f GiB", "memory", gib(machine->memory));
    if (machine->memory_limit < machine->memory)
        cli_print(", limited to %.1f GiB", gib(machine->memory_limit));
    cli_print("\n");
    print_gpus(driver);
    cli_print("\nfolders\n");
    for (size_t i = 0; i < FOLDERS; i++) {
        const uint64_t room = jsni_disk_free(folders[i].path);
        cli_print("  %-16s %s", folders[i].purpose, folders[i].path);
        if (room > 0)
            cli_print(", %.1f GiB free\n", gib(room));
        else
            cli_print(", not there yet\n");
    }
    cli_print("\nbackends\n");
    for (size_t i = 0; jsn_backend_describe(i).name != NULL; i++) {
        const jsn_backend_info b = jsn_backend_describe(i);
        cli_print("  %-16s %zu %s, %s\n", b.name, b.devices,
                  jsni_noun(b.devices, "device", "devices"), b.summary);
    }
    cli_print("\nlibraries\n");
    for (size_t i = 0; jsn_feature_describe(i) != NULL; i++) {
        const jsn_feature *f = jsn_feature_describe(i);
        cli_print("  %-16s %-10s %s\n", f->name,
                  f->version[0] != '\0' ? f->version : "missing", f->purpose);
    }
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
    if (v->json)
        return print_json(&machine, &driver, folders);
    print_text(&machine, &driver, folders);
    return JSN_OK;
}

const cli_command cli_command_doctor = {
    .name = "doctor",
    .summary = "what this machine and this build offer",
    .usage = "[--json]",
    .details =
        "Instruction sets, cores, memory, GPU and driver, folders with their free "
        "space,\nbackends, and the optional libraries found and missing.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(doctor_values),
    .run = run};
