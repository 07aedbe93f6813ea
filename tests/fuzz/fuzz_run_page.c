/* Fuzz target: the files of a run folder, and its page. The input is files one after the
 * other, each behind a line "@NAME"; what comes before the first is config.yaml.
 * covers: store/run_record.c store/record_evaluation.c store/record_result.c */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include "fuzz/fuzz_folder.h"

#include "core/hd.h"
#include "jensen/option.h"
#include "jensen/report.h"
#include "report/run_page.h"
#include "report/run_set.h"

static const char *const names[] = {
    "config.yaml", "metrics.jsonl",    "evaluation.json",
    "result.json", "environment.json", "bad_images.csv",
    "t.png"};

/* The name at the start of a line behind '@'; NULL: none of a run's. */
static const char *find_name(const char *at, size_t length)
{
    for (size_t i = 0; i < JSNI_COUNT_OF(names); i++)
        if (length > strlen(names[i]) && memcmp(at, names[i], strlen(names[i])) == 0 &&
            at[strlen(names[i])] == '\n')
            return names[i];
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *at = (const char *)data, *end = at + size, *name = names[0];
    fuzz_folder_begin();
    for (size_t i = 0; i < JSNI_COUNT_OF(names); i++)
        fuzz_folder_remove(names[i]);
    while (name != NULL) {
        const char *stop = at, *next = NULL;
        while (stop < end && next == NULL) {
            const bool line = stop == (const char *)data || stop[-1] == '\n';
            if (line && *stop == '@')
                next = find_name(stop + 1, (size_t)(end - stop - 1));
            stop += next == NULL;
        }
        fuzz_folder_put(name, at, (size_t)(stop - at));
        at = next == NULL ? end : stop + 1 + strlen(next) + 1;
        name = next;
    }
    char *html = NULL, *table = NULL;
    const char *runs[] = {fuzz_folder, fuzz_folder};
    jsn_status status = jsni_report_render(runs, 1, NULL, &html);
    FUZZ_CHECK(status == JSN_OK || status == JSN_ERR_DATA);
    if (status == JSN_OK)
        status = jsn_report_table(runs, 2, NULL, "csv", &table);
    FUZZ_CHECK(status == JSN_OK || status == JSN_ERR_DATA);
    jsn_text_release(table);
    jsn_text_release(html);
    return 0;
}
