/* cli/cli_weights.c - see cli_weights.h. */
#include "cli/cli_weights.h"

#include "cli/cli.h"
#include "cli/cli_record.h"

void cli_weights_note(const jsn_weights_info *info)
{
    const jsn_logger *logger = cli_logger();
    if (info->note != NULL)
        logger->message(logger->user, JSN_LOG_WARNING, info->note);
}

jsn_status cli_weights_describe(const jsn_weights_info *info, bool json)
{
    cli_record r;
    const jsn_status status = cli_record_open(&r, json);
    if (status != JSN_OK)
        return status;
    cli_begin_object(&r, NULL);
    cli_field_text(&r, "name", "name        %s\n", info->name);
    cli_field_text(&r, "network", "network     %s\n", info->network);
    cli_field_int(&r, "classes", "classes     %lld\n", (int64_t)info->classes);
    cli_field_int(&r, "image_size", "image size  %lld\n", (int64_t)info->image_size);
    cli_words(&r, "mean       ");
    cli_field_reals(&r, "mean", " %.3f", info->mean, 3);
    cli_words(&r, "\ndeviation  ");
    cli_field_reals(&r, "deviation", " %.3f", info->deviation, 3);
    cli_field_text(&r, "evaluation", "\nevaluation  %s\n", info->evaluation);
    cli_field_text(&r, "source", "source      %s\n", info->source);
    cli_field_text(&r, "sha256", "SHA-256     %s\n", info->sha256);
    if (info->note != NULL)
        cli_field_text(&r, "note", "note        %s\n", info->note);
    cli_end(&r);
    return cli_record_close(&r);
}

jsn_status cli_weights_print(const jsn_weights_info *list, size_t count, bool json)
{
    jsn_status status = JSN_OK;
    for (size_t i = 0; i < count && status == JSN_OK; i++) {
        const jsn_weights_info *info = &list[i];
        if (json)
            status = cli_weights_describe(info, true);
        else
            cli_print("%s: %s, %zu classes, %zux%zu pixels, SHA-256 %.8s (%s)\n",
                      info->name, info->network, info->classes, info->image_size,
                      info->image_size, info->sha256, info->source);
    }
    return status;
}
