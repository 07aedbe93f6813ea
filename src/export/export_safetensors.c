/* export/export_safetensors.c - the weights alone, under PyTorch's names. */
#include "core/fail.h"
#include "export/export_impl.h"

static jsn_status write(jsn_classifier *c, const char *path,
                        const jsn_export_options *options)
{
    (void)options;
    if (c->card.members > 1)
        return jsni_fail(JSN_ERR_UNSUPPORTED,
                         "%s: an ensemble of %zu networks has no one file of weights; "
                         "export its members one by one, or to onnx",
                         path, c->card.members);
    return jsn_model_save(c->models[0], path);
}

const jsni_export_format jsni_export_safetensors = {
    {"safetensors", "only the weights, under PyTorch's names"},
    write,
};
