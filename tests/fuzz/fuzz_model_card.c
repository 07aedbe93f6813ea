/* Fuzz target: model.json, and the classifier that it describes, beside the weights of a
 * small network.
 * covers: store/record_card.c */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include "fuzz/fuzz_folder.h"

#include "jensen/classifier.h"
#include "jensen/model.h"
#include "train/model_card.h"

static void make_weights(void)
{
    char path[200];
    jsn_model *model = NULL;
    jsn_model_options o;
    jsn_model_options_init(&o);
    o.network = "mlp:width=2";
    o.classes = 2;
    o.height = o.width = 4;
    o.device = "ref";
    o.batch = 1;
    o.threads = 1;
    (void)snprintf(path, sizeof path, "%s/%s", fuzz_folder, JSNI_RUN_MODEL);
    FUZZ_CHECK(jsn_model_create(&model, &o) == JSN_OK);
    FUZZ_CHECK(jsn_model_init(model, 1) == JSN_OK);
    FUZZ_CHECK(jsn_model_save(model, path) == JSN_OK);
    jsn_model_destroy(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (fuzz_folder[0] == '\0') {
        fuzz_folder_begin();
        make_weights();
    }
    fuzz_folder_put(JSNI_RUN_CARD, data, size);
    jsni_model_card card;
    jsn_status status = jsni_model_card_read(&card, fuzz_folder);
    FUZZ_CHECK(status == JSN_OK || status == JSN_ERR_DATA);
    if (status != JSN_OK)
        return 0;
    FUZZ_CHECK(card.classes >= 2 && card.members >= 1 && card.image_size >= 1);
    /* Large networks are no fault of the file, but take their time. */
    const bool small = strncmp(card.network, "mlp", 3) == 0 && card.image_size <= 16 &&
                       card.classes <= 100 && strlen(card.network) < 14;
    jsni_model_card_release(&card);
    jsn_classifier *classifier = NULL;
    jsn_classifier_options o;
    jsn_classifier_options_init(&o);
    o.run = fuzz_folder;
    o.device = "ref";
    o.threads = o.batch = 1;
    if (small)
        status = jsn_classifier_create(&classifier, &o);
    FUZZ_CHECK(status == JSN_OK || status == JSN_ERR_DATA);
    jsn_classifier_close(classifier);
    return 0;
}
