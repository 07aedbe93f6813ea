/* cli/command_theory_decompose.c - GJS = JS of the mean prediction + consistency. */
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_options.h"
#include "cli/cli_record.h"
#include "core/words.h"
#include "jensen/theory.h"

enum { MOST_CLASSES = 256, MOST_VIEWS = 16 };

typedef struct decompose_values {
    jsn_texts p;
    int64_t label;
    double pi1;
    char *pi;
    bool json;
} decompose_values;

static const jsn_option_info options[] = {
    {"p", 0, JSN_OPTION_TEXTS, NULL, 0, 0, NULL, "P/P/...",
     "a prediction, probabilities that sum to 1; once per view (without any: an "
     "example, 0.2/0.6/0.2 and 0.5/0.3/0.2)",
     offsetof(decompose_values, p)},
    {"label", 0, JSN_OPTION_INT, "0", 0, MOST_CLASSES - 1, NULL, "Y",
     "the given label, counted from 0", offsetof(decompose_values, label)},
    {"pi1", 0, JSN_OPTION_REAL, NULL, 0, 1, NULL, "X",
     "weight of the label, 0.5 unless given; the views share the rest",
     offsetof(decompose_values, pi1)},
    {"pi", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "W/W/...",
     "all weights, the label's first, instead of --pi1",
     offsetof(decompose_values, pi)},
    CLI_JSON_ROW(decompose_values, "one JSON object on stdout"),
};

typedef struct question {
    size_t views, classes;
    double p[MOST_VIEWS * MOST_CLASSES]; /* [views][classes] */
    double weights[MOST_VIEWS + 1];
    bool weighted;
} question;

static jsn_status read_views(question *q, const decompose_values *v)
{
    static const char *const example[] = {"0.2/0.6/0.2", "0.5/0.3/0.2"};
    q->views = v->p.count > 0 ? v->p.count : 2;
    if (q->views > MOST_VIEWS)
        return cli_usage("--p: %zu views, at most %d", q->views, (int)MOST_VIEWS);
    for (size_t j = 0; j < q->views; j++) {
        size_t count = 0;
        const jsn_status status =
            cli_numbers("p", v->p.count > 0 ? v->p.items[j] : example[j], MOST_CLASSES,
                        q->p + j * (j == 0 ? 0 : q->classes), &count);
        if (status != JSN_OK)
            return status;
        if (j == 0)
            q->classes = count;
        if (count != q->classes)
            return cli_usage("--p: view %zu has %zu %s, the first has %zu", j + 1,
                             count, jsni_noun(count, "class", "classes"), q->classes);
    }
    return JSN_OK;
}

static jsn_status read_weights(question *q, const decompose_values *v)
{
    size_t count = 0;
    q->weighted = v->pi != NULL;
    if (v->pi == NULL)
        return JSN_OK;
    const jsn_status status =
        cli_numbers("pi", v->pi, MOST_VIEWS + 1, q->weights, &count);
    if (status == JSN_OK && count != q->views + 1)
        return cli_usage("--pi: %zu %s for a label and %zu %s", count,
                         jsni_noun(count, "weight", "weights"), q->views,
                         jsni_noun(q->views, "view", "views"));
    return status;
}

static void show_part(cli_record *r, const char *key, const char *meaning,
                      double scaled, double z)
{
    cli_words(r, "%-34s ", meaning);
    cli_field_real(r, key, "%18.12g", scaled);
    cli_words(r, " %18.12g\n", scaled * z);
}

static jsn_status describe(const question *q, const decompose_values *v,
                           const jsn_theory_parts *parts)
{
    cli_record r;
    const jsn_status status = cli_record_open(&r, v->json);
    if (status != JSN_OK)
        return status;
    cli_begin_object(&r, NULL);
    cli_field_int(&r, "classes", NULL, (int64_t)q->classes);
    cli_field_int(&r, "views", NULL, (int64_t)q->views);
    cli_field_int(&r, "label", NULL, v->label);
    cli_field_real(&r, "pi1", NULL, q->weighted ? q->weights[0] : v->pi1);
    cli_words(&r, "%-34s %18s %18s\n", "", "scaled (1/Z)", "unscaled (Z=1)");
    show_part(&r, "GJS", "GJS", parts->gjs, parts->z);
    show_part(&r, "JS_of_mean", "= JS of label and mean prediction", parts->js,
              parts->z);
    show_part(&r, "consistency_term", "+ consistency of the predictions",
              parts->consistency, parts->z);
    cli_field_real(&r, "Z", "\nZ = %.12g", parts->z);
    cli_field_real(&r, "consistency_unscaled",
                   "; divergence of the views by themselves: %.12g\n", parts->spread);
    cli_end(&r);
    return cli_record_close(&r);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    decompose_values *v = values;
    static question q; /* 32 KiB; the program runs one command */
    jsn_theory_parts parts;
    if (args->count > 0)
        return cli_usage("takes no argument '%s'", args->items[0]);
    if (v->pi != NULL && !isnan(v->pi1))
        return cli_usage("--pi1 or --pi, not both");
    if (isnan(v->pi1))
        v->pi1 = 0.5;
    jsn_status status = read_views(&q, v);
    if (status == JSN_OK)
        status = read_weights(&q, v);
    if (status == JSN_OK)
        status =
            jsn_theory_decompose(&parts, q.views, q.classes, v->pi1,
                                 q.weighted ? q.weights : NULL, (size_t)v->label, q.p);
    return status == JSN_OK ? describe(&q, v, &parts) : status;
}

const cli_command cli_command_theory_decompose = {
    .name = "theory decompose",
    .summary = "GJS as JS of the mean prediction plus consistency",
    .usage =
        "[--p P/P/... --p P/P/... ...] [--label Y] [--pi1 X | --pi W/W/...] [--json]",
    .details =
        "Each part is computed on its own; their sum equals GJS.\n\n"
        "  jensen theory decompose --p 0.7/0.2/0.1 --p 0.1/0.8/0.1 --label 0 --pi1 0.3",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(decompose_values),
    .run = run,
};
