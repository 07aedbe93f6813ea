/* Fuzz target: a checkpoint from which a run continues. The input is the run's state, in JSON, in
 * a file that is otherwise sound, its checksum included.
 * covers: train/checkpoint.c */
#define _GNU_SOURCE
#include "fuzz/fuzz.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "format/safetensors.h"
#include "fuzz/fuzz_folder.h"
#include "jensen/jensen.h"
#include "store/run_folder.h"
#include "train/run.h"
#include "train/watch.h"

static jsni_safetensors *sound; /* the checkpoint that the run wrote */

static int stop_at_once(void *user)
{
    (void)user;
    return 1;
}

static void configure(jsn_train_config *config)
{
    static const char *const options[][2] = {{"data", "builtin:size=20,test=10"},
                                             {"network", "mlp:width=2"},
                                             {"image-size", "8"},
                                             {"epochs", "2"},
                                             {"batch", "10"},
                                             {"device", "ref"},
                                             {"threads", "1"},
                                             {"workers", "0"},
                                             {"augment", "fit"}};
    jsn_train_config_clear(config);
    jsn_status status = jsn_train_config_set(config, "out", fuzz_folder);
    for (size_t i = 0; status == JSN_OK && i < sizeof options / sizeof options[0]; i++)
        status = jsn_train_config_set(config, options[i][0], options[i][1]);
    FUZZ_CHECK(status == JSN_OK);
}

/* What all inputs share, made with the first. */
static jsn_train_config config;
static jsni_problem problem;
static jsni_group group;

static void close_run(void)
{
    jsni_group_close(&group);
    jsni_problem_release(&problem);
    jsn_train_config_release(&config);
    jsni_safetensors_close(sound);
    char command[80];
    (void)snprintf(command, sizeof command, "rm -rf %s", fuzz_folder);
    (void)!system(command);
}

/* A run that has begun, opened as by the command that continues it. */
static jsni_run *open_run(void)
{
    static jsni_watch watch;
    fuzz_folder_make();
    (void)atexit(close_run);
    configure(&config);
    jsn_train_result result = {0};
    FUZZ_CHECK(jsn_train(&config, NULL, stop_at_once, NULL, &result) ==
               JSN_ERR_STOPPED);
    FUZZ_CHECK(jsni_problem_create(&problem, &config, NULL, NULL) == JSN_OK);
    const jsni_job job = {.config = &config,
                          .problem = &problem,
                          .folder = fuzz_folder,
                          .seed = (uint64_t)config.seed};
    watch = jsni_watch_of(NULL, NULL);
    FUZZ_CHECK(jsni_group_open(&group, &job, 1, &watch) == JSN_OK);
    FUZZ_CHECK(jsni_safetensors_open_in(&sound, fuzz_folder, JSNI_RUN_CHECKPOINT) ==
               JSN_OK);
#ifdef JSN_FUZZ
    fuzz_memory_begin(fuzz_folder);
#endif
    return group.members;
}

static void write_checkpoint(const char *state)
{
    static const char *const kept[] = {"format", "options", "data", "data_text"};
    jsni_pair pairs[5] = {{"state", state}};
    size_t count = 1;
    for (size_t i = 0; i < 4; i++) {
        const char *value = jsni_safetensors_metadata(sound, kept[i]);
        if (value != NULL)
            pairs[count++] = (jsni_pair){kept[i], value};
    }
    jsni_safetensor tensors[64];
    const size_t tensor_count = jsni_safetensors_count(sound);
    FUZZ_CHECK(tensor_count <= 64);
    for (size_t i = 0; i < tensor_count; i++)
        tensors[i] = *jsni_safetensors_at(sound, i);
    FUZZ_CHECK(jsni_safetensors_write(fuzz_folder, JSNI_RUN_CHECKPOINT, tensors,
                                      tensor_count, pairs, count, true) == JSN_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static jsni_run *run;
    char state[4097];
    bool found = false;
    if (run == NULL)
        run = open_run();
    if (size >= sizeof state || memchr(data, 0, size) != NULL)
        return 0;
    memcpy(state, data, size);
    state[size] = '\0';
    fuzz_folder_remove(JSNI_RUN_PREVIOUS);
    write_checkpoint(state);
    const jsn_status status = jsni_checkpoint_load(run, &found);
    FUZZ_CHECK(status == (found ? JSN_OK : JSN_ERR_DATA));
    if (!found)
        return 0;
    FUZZ_CHECK(run->state.epoch >= 0 && run->state.epoch <= run->job.config->epochs);
    FUZZ_CHECK(run->state.batch <= run->group->steps);
    (void)jsni_run_done(run);
    (void)jsni_run_rate(run, run->state.batch);
    (void)jsni_run_seconds_left(run);
    FUZZ_CHECK(jsni_checkpoint_save(run) == JSN_OK);
    FUZZ_CHECK(jsni_checkpoint_load(run, &found) == JSN_OK && found);
    return 0;
}
