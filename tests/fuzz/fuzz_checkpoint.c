/* Fuzz target: a checkpoint from which a run continues. The input is the run's state, in JSON, in
 * a file that is otherwise sound, its checksum included.
 * covers: train/checkpoint.c */
#define _GNU_SOURCE
#include "fuzz/fuzz.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "format/safetensors.h"
#include "fuzz/fuzz_folder.h"
#include "jensen/jensen.h"
#include "store/run_folder.h"

static const char sound_name[] = "sound.safetensors";

static int stop_at_once(void *user)
{
    (void)user;
    return 1;
}

/* Trains until the next question whether to stop. */
static jsn_status train(void)
{
    static const char *const options[][2] = {{"data", "builtin:size=20,test=10"},
                                             {"network", "mlp:width=2"},
                                             {"epochs", "2"},
                                             {"batch", "10"},
                                             {"device", "ref"},
                                             {"threads", "1"},
                                             {"augment", "none"}};
    jsn_train_config config;
    jsn_train_result result = {0};
    jsn_train_config_clear(&config);
    jsn_status status = jsn_train_config_set(&config, "out", fuzz_folder);
    for (size_t i = 0; status == JSN_OK && i < sizeof options / sizeof options[0]; i++)
        status = jsn_train_config_set(&config, options[i][0], options[i][1]);
    if (status == JSN_OK)
        status = jsn_train(&config, NULL, stop_at_once, NULL, &result);
    jsn_train_config_release(&config);
    return status;
}

static void remove_folder(void)
{
    char command[80];
    (void)snprintf(command, sizeof command, "rm -rf %s", fuzz_folder);
    (void)!system(command);
}

static void make_run(void)
{
    fuzz_folder_make();
    (void)atexit(remove_folder);
    FUZZ_CHECK(train() == JSN_ERR_STOPPED);
    FUZZ_CHECK(jsni_file_rename(fuzz_folder, JSNI_RUN_CHECKPOINT, sound_name) ==
               JSN_OK);
}

static void write_checkpoint(const char *state)
{
    static const char *const kept[] = {"format", "options", "data", "data_text"};
    jsni_pair pairs[5] = {{"state", state}};
    size_t count = 1;
    jsni_safetensors *sound = NULL;
    FUZZ_CHECK(jsni_safetensors_open_in(&sound, fuzz_folder, sound_name) == JSN_OK);
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
    jsni_safetensors_close(sound);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char state[4097], path[128];
    static bool made;
    if (!made)
        make_run();
    made = true;
    if (size >= sizeof state || memchr(data, 0, size) != NULL)
        return 0;
    memcpy(state, data, size);
    state[size] = '\0';
    (void)snprintf(path, sizeof path, "%s/%s", fuzz_folder, JSNI_RUN_PREVIOUS);
    (void)unlink(path);
    write_checkpoint(state);
    const jsn_status status = train();
    FUZZ_CHECK(status == JSN_OK || status == JSN_ERR_STOPPED || status == JSN_ERR_DATA);
    if (status == JSN_OK) { /* finished: nothing would be read again */
        (void)snprintf(path, sizeof path, "%s/result.json", fuzz_folder);
        (void)unlink(path);
    }
    return 0;
}
