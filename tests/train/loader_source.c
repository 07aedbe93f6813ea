#include "train/loader_source.h"

int source_open(source *s, const char *spec)
{
    static const float mean[3] = {0.5f, 0.5f, 0.5f}, std[3] = {0.25f, 0.25f, 0.25f};
    if (jsn_dataset_open(&s->data, spec, NULL) != JSN_OK ||
        jsni_part_whole(&s->part, s->data, JSN_SPLIT_TRAIN) != JSN_OK ||
        jsn_augment_create(&s->augment, "strong", SIDE, SIDE, mean, std) != JSN_OK) {
        print_error("%s\n", jsn_last_error());
        return 1;
    }
    return 0;
}

void source_close(source *s)
{
    jsn_augment_destroy(s->augment);
    jsni_part_release(&s->part);
    jsn_dataset_close(s->data);
}

source builtin;

int builtin_set_up(void **state)
{
    (void)state;
    char spec[64];
    (void)snprintf(spec, sizeof spec, "builtin:size=%d", SAMPLES);
    return source_open(&builtin, spec);
}

int builtin_tear_down(void **state)
{
    (void)state;
    source_close(&builtin);
    return 0;
}

jsni_loader_options source_options(const source *s, size_t batch, size_t workers)
{
    return (jsni_loader_options){.part = &s->part,
                                 .classes = 10,
                                 .augment = s->augment,
                                 .height = SIDE,
                                 .width = SIDE,
                                 .batch = batch,
                                 .views = 2,
                                 .workers = workers,
                                 .order = JSNI_ORDER_SHUFFLED,
                                 .seed = 5,
                                 .max_bad = 100};
}
