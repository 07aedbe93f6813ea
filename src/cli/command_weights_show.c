/* cli/command_weights_show.c - what is known of weights in the cache. */
#include "cli/cli.h"
#include "cli/cli_options.h"
#include "cli/cli_weights.h"

typedef struct show_values {
    bool json;
} show_values;

static const jsn_option_info options[] = {
    CLI_JSON_ROW(show_values, "one JSON object on stdout"),
};

static void print_text(const jsn_weights_info *i)
{
    cli_print("name        %s\nnetwork     %s\nclasses     %zu\nimage size  %zu\n",
              i->name, i->network, i->classes, i->image_size);
    cli_print("mean        %.3f %.3f %.3f\ndeviation   %.3f %.3f %.3f\n",
              (double)i->mean[0], (double)i->mean[1], (double)i->mean[2],
              (double)i->deviation[0], (double)i->deviation[1],
              (double)i->deviation[2]);
    cli_print("evaluation  %s\nsource      %s\nSHA-256     %s\n", i->evaluation,
              i->source, i->sha256);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const show_values *v = values;
    jsn_weights_info info = {0};
    if (args->count != 1)
        return cli_usage("wants the name of weights in the cache");
    jsn_status status = jsn_weights_find(args->items[0], &info);
    if (status == JSN_OK && v->json)
        status = cli_weights_print(&info, 1, true);
    else if (status == JSN_OK)
        print_text(&info);
    jsn_weights_release(&info);
    return status;
}

const cli_command cli_command_weights_show = {
    .name = "weights show",
    .summary = "what is known of weights in the cache",
    .usage = "NAME [--json]",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(show_values),
    .run = run,
};
