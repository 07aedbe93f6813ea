/* cli/command_theory_decompose.c - GJS = JS of the mean prediction + consistency. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_options.h"
#include "core/json.h"
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
     "a prediction, probabilities that sum to 1; once a view (without any: an example, "
     "0.2/0.6/0.2 and 0.5/0.3/0.2)",
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

static jsn_status print_json(const question *q, const decompose_values *v,
                             const jsn_theory_parts *parts)
{
    jsni_json_writer *w = NULL;
    const jsn_status status = jsni_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    jsni_json_begin_object(w, NULL);
    jsni_json_put_int(w, "classes", (int64_t)q->classes);
    jsni_json_put_int(w, "views", (int64_t)q->views);
    jsni_json_put_int(w, "label", v->label);
    jsni_json_put_real(w, "pi1", q->weighted ? q->weights[0] : v->pi1);
    jsni_json_put_real(w, "Z", parts->z);
    jsni_json_put_real(w, "GJS", parts->gjs);
    jsni_json_put_real(w, "JS_of_mean", parts->js);
    jsni_json_put_real(w, "consistency_term", parts->consistency);
    jsni_json_put_real(w, "consistency_unscaled", parts->spread);
    jsni_json_end(w);
    return cli_print_json(w);
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
    if (status != JSN_OK)
        return status;
    if (v->json)
        return print_json(&q, v, &parts);
    cli_print("%-34s %18s %18s\n", "", "scaled (1/Z)", "unscaled (Z=1)");
    cli_print("%-34s %18.12g %18.12g\n", "GJS", parts.gjs, parts.gjs * parts.z);
    cli_print("%-34s %18.12g %18.12g\n", "= JS of label and mean prediction", parts.js,
              parts.js * parts.z);
    cli_print("%-34s %18.12g %18.12g\n", "+ consistency of the predictions",
              parts.consistency, parts.consistency * parts.z);
    cli_print("\nZ = %.12g; divergence of the views by themselves: %.12g\n", parts.z,
              parts.spread);
    return JSN_OK;
}

const cli_command cli_command_theory_decompose = {
    .name = "theory decompose",
    .summary = "GJS as JS of the mean prediction plus consistency",
    .usage =
        "[--p P/P/... --p P/P/... ...] [--label Y] [--pi1 X | --pi W/W/...] [--json]",
    .details =
        "The parts are computed each on its own; their sum shows that they are all.\n\n"
        "  jensen theory decompose --p 0.7/0.2/0.1 --p 0.1/0.8/0.1 --label 0 --pi1 0.3",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(decompose_values),
    .run = run,
};
