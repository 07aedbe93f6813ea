/* train/environment.c - see environment.h. */
#include "train/environment.h"

#include <string.h>

#include "core/fail.h"
#include "core/json.h"
#include "core/machine.h"
#include "jensen/backend.h"
#include "jensen/version.h"

static void put_libraries(jsni_json_writer *w)
{
    jsni_json_begin_object(w, "libraries");
    for (size_t i = 0; jsn_feature_describe(i) != NULL; i++) {
        const jsn_feature *feature = jsn_feature_describe(i);
        if (feature->version[0] != '\0')
            jsni_json_put_text(w, feature->name, feature->version);
    }
    jsni_json_end(w);
}

jsn_status jsni_environment_write(const jsni_run_folder *folder,
                                  const jsn_train_config *config)
{
    jsn_device_info device;
    jsni_machine machine;
    jsni_json_writer *w = NULL;
    char *text = NULL;
    JSNI_TRY(jsn_device_describe(config->device, &device));
    jsni_machine_probe(&machine);
    JSNI_TRY(jsni_json_writer_create(&w, 2));
    jsni_json_begin_object(w, NULL);
    jsni_json_put_text(w, "jensen", jsn_version());
    jsni_json_put_text(w, "backend", device.backend);
    jsni_json_put_text(w, "device", device.text);
    jsni_json_put_text(w, "cpu", machine.cpu);
    jsni_json_put_int(w, "cores", (int64_t)machine.cores);
    jsni_json_put_int(w, "memory_bytes", (int64_t)machine.memory_limit);
    jsni_json_put_int(w, "threads", config->threads);
    jsni_json_put_int(w, "workers", config->workers);
    put_libraries(w);
    jsni_json_end(w);
    jsn_status status = jsni_json_writer_take(w, &text);
    if (status == JSN_OK)
        status = jsni_run_write(folder, JSNI_RUN_ENVIRONMENT, text, strlen(text));
    jsn_text_release(text);
    jsni_json_writer_destroy(w);
    return status;
}
