/* cli/command_theory_plot.c - the analytic figures as SVG. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_options.h"
#include "jensen/report.h"

typedef struct plot_values {
    char *out;
    char *loss;
    bool plain;
} plot_values;

static const jsn_option_info options[] = {
    CLI_OUT_ROW(
        plot_values, NULL, "FILE",
        "where to write: FILE.svg, FILE.pdf, or FILE.pgf for LaTeX; '-': SVG to "
        "standard output"),
    {"loss", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "SPEC",
     "the loss to draw, for the plot 'loss'", offsetof(plot_values, loss)},
    {"plain", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "light colours only, for print; else the figure follows the reader's dark mode",
     offsetof(plot_values, plain)},
};

static jsn_status run(void *values, const jsn_texts *args)
{
    const plot_values *v = values;
    if (args->count != 1)
        return cli_usage(args->count == 0 ? "which plot?" : "one plot at a time");
    if (v->out == NULL)
        return cli_usage("--out FILE.svg is missing");
    if (strcmp(v->out, "-") != 0)
        return jsn_plot_write(args->items[0], v->loss, v->plain, v->out);
    char *svg = NULL;
    const jsn_status status = jsn_plot_render(args->items[0], v->loss, v->plain, &svg);
    if (status == JSN_OK)
        cli_write(svg);
    jsn_text_release(svg);
    return status;
}

const cli_command cli_command_theory_plot = {
    .name = "theory plot",
    .summary = "the paper's analytic figures, and the curve of any loss",
    .usage = "PLOT --out FILE [--loss SPEC] [--plain]",
    .details = "PLOT is one of\n"
               "  js-ce-mae         JS against p_y, between CE and MAE (Figure 2);\n"
               "                    js-ce-mae:pi=0.1/0.5/0.9,top=4\n"
               "  gjs-simplex       GJS = JS + consistency on the simplex (Figure 3);\n"
               "                    gjs-simplex:pi1=0.5,p2=0.2/0.6/0.2\n"
               "  js-gce-gradient   gradient scales of JS and GCE (Figure 8);\n"
               "                    js-gce-gradient:q=0.1/0.5/0.9,at=0.5,top=4\n"
               "  loss              value and gradient scale of a loss against p_y\n\n"
               "  jensen theory plot gjs-simplex:pi1=0.3 --out simplex.svg\n"
               "  jensen theory plot loss --loss gce:q=0.7 --out gce.svg",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(plot_values),
    .run = run,
};
