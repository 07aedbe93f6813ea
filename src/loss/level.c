/* loss/level.c - which instruction sets this build has code for and this machine runs.
 * JSNI_LOSS_X86 comes from src/loss/CMakeLists.txt, which decides what is compiled. */
#include "core/isa.h"
#include "jensen/loss.h"
#include "loss/loss_impl.h"
#include "loss/loss_mode.h"

const char *jsni_loss_level_name(jsni_loss_level level)
{
    switch (level) {
    case JSNI_LOSS_AUTO:
        return "auto";
    case JSNI_LOSS_DOUBLE:
        return "double";
    case JSNI_LOSS_PLAIN:
        return "plain";
    case JSNI_LOSS_AVX2:
        return "avx2";
    case JSNI_LOSS_AVX512:
        return "avx512";
    }
    return "unknown";
}

static const jsni_loss_ops *x86_ops(jsni_loss_level level)
{
#if defined(JSNI_LOSS_X86)
    if (level == JSNI_LOSS_AVX2 && jsni_isa_usable(JSNI_ISA_AVX2))
        return &jsni_loss_ops_avx2;
    if (level == JSNI_LOSS_AVX512 && jsni_isa_usable(JSNI_ISA_AVX512))
        return &jsni_loss_ops_avx512;
#endif
    (void)level;
    return NULL;
}

const jsni_loss_ops *jsni_loss_level_ops(jsni_loss_level level)
{
    if (level == JSNI_LOSS_DOUBLE)
        return &jsni_loss_ops_double;
    if (level == JSNI_LOSS_PLAIN)
        return &jsni_loss_ops_plain;
    return x86_ops(level);
}

bool jsni_loss_level_exists(jsni_loss_level level)
{
    return level == JSNI_LOSS_AUTO || jsni_loss_level_ops(level) != NULL;
}

jsni_loss_level jsni_loss_best_level(void)
{
    if (jsni_loss_level_ops(JSNI_LOSS_AVX512) != NULL)
        return JSNI_LOSS_AVX512;
    if (jsni_loss_level_ops(JSNI_LOSS_AVX2) != NULL)
        return JSNI_LOSS_AVX2;
    return JSNI_LOSS_PLAIN;
}
