/* core/isa.c - see isa.h. */
#include "core/isa.h"

#if defined(__x86_64__) || defined(__i386__)
#define HAS(feature) (__builtin_cpu_supports(feature) != 0)
#else
#define HAS(feature) false
#endif

bool jsni_isa_usable(jsni_isa isa)
{
    const bool avx2 = HAS("avx2") && HAS("fma");
    switch (isa) {
    case JSNI_ISA_PLAIN:
        return true;
    case JSNI_ISA_AVX2:
        return avx2;
    case JSNI_ISA_AVX512:
        return avx2 && HAS("avx512f") && HAS("avx512bw") && HAS("avx512dq") &&
               HAS("avx512vl");
    }
    return false;
}
