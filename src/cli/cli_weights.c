/* cli/cli_weights.c - see cli_weights.h. */
#include "cli/cli_weights.h"

#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "core/json.h"

static void put_channels(jsni_json_writer *w, const char *key, const float *values)
{
    jsni_json_begin_array(w, key);
    for (size_t i = 0; i < 3; i++)
        jsni_json_put_real(w, NULL, (double)values[i]);
    jsni_json_end(w);
}

static jsn_status print_json(const jsn_weights_info *info)
{
    jsni_json_writer *w = NULL;
    const jsn_status status = jsni_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    jsni_json_begin_object(w, NULL);
    jsni_json_put_text(w, "name", info->name);
    jsni_json_put_text(w, "network", info->network);
    jsni_json_put_int(w, "classes", (int64_t)info->classes);
    jsni_json_put_int(w, "image_size", (int64_t)info->image_size);
    put_channels(w, "mean", info->mean);
    put_channels(w, "deviation", info->deviation);
    jsni_json_put_text(w, "evaluation", info->evaluation);
    jsni_json_put_text(w, "source", info->source);
    jsni_json_put_text(w, "sha256", info->sha256);
    jsni_json_end(w);
    return cli_print_json(w);
}

jsn_status cli_weights_print(const jsn_weights_info *list, size_t count, bool json)
{
    jsn_status status = JSN_OK;
    for (size_t i = 0; i < count && status == JSN_OK; i++) {
        const jsn_weights_info *info = &list[i];
        if (json)
            status = print_json(info);
        else
            cli_print("%s: %s, %zu classes, %zux%zu pixels, SHA-256 %.8s (%s)\n",
                      info->name, info->network, info->classes, info->image_size,
                      info->image_size, info->sha256, info->source);
    }
    return status;
}
