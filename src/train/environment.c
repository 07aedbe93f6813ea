/* train/environment.c - see environment.h. */
#include "train/environment.h"

#include <string.h>

#include "core/fail.h"
#include "jensen/backend.h"
#include "jensen/machine.h"
#include "jensen/version.h"

static void put_libraries(jsn_json_writer *w)
{
    jsn_json_begin_object(w, "libraries");
    for (size_t i = 0; i < jsn_feature_count(); i++) {
        const jsn_feature *feature = jsn_feature_describe(i);
        if (feature->version[0] != '\0')
            jsn_json_put_text(w, feature->name, feature->version);
    }
    jsn_json_end(w);
}

jsn_status jsni_environment_write(const jsni_run_folder *folder,
                                  const jsn_train_config *config)
{
    jsn_device_info device;
    jsn_machine machine;
    jsn_json_writer *w = NULL;
    char *text = NULL;
    JSNI_TRY(jsn_device_describe(config->device, &device));
    jsn_machine_probe(&machine);
    JSNI_TRY(jsn_json_writer_create(&w, 2));
    jsn_json_begin_object(w, NULL);
    jsn_json_put_text(w, "jensen", jsn_version());
    jsn_json_put_text(w, "backend", device.backend);
    jsn_json_put_text(w, "device", device.text);
    jsn_json_put_text(w, "cpu", machine.cpu);
    jsn_json_put_int(w, "cores", (int64_t)machine.cores);
    jsn_json_put_int(w, "memory_bytes", (int64_t)machine.memory_limit);
    jsn_json_put_int(w, "threads", config->threads);
    jsn_json_put_int(w, "workers", config->workers);
    put_libraries(w);
    jsn_json_end(w);
    jsn_status status = jsn_json_writer_take(w, &text);
    if (status == JSN_OK)
        status = jsni_run_write(folder, JSNI_RUN_ENVIRONMENT, text, strlen(text));
    jsn_text_release(text);
    jsn_json_writer_destroy(w);
    return status;
}
