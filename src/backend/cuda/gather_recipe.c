/* backend/cuda/gather_recipe.c - which pipelines the gathering kernel can run. A file of
 * its own, because augment's and nn's headers each have a jsni_pixel_op. */
#include "augment/augment_impl.h"
#include "backend/cuda/gather_kernels.h"

size_t jsni_gather_recipe_bytes(void)
{
    return sizeof(jsni_recipe);
}

const void *jsni_gather_recipe(const struct jsn_augment *pipeline, size_t height,
                               size_t width)
{
    const jsni_recipe *recipe = jsni_augment_recipe(pipeline);
    if (!recipe || recipe->ops > 1 || recipe->height != height ||
        recipe->width != width)
        return NULL;
    for (int kind = 0; kind < JSNI_PIXEL_DRAWN && recipe->ops; kind++)
        for (int sign = 0; sign < 2; sign++) {
            const jsni_pixel_op *op = &recipe->op[kind][sign];
            if (!jsni_pixel_op_is_plain(op, width, height))
                return NULL;
        }
    return recipe;
}
