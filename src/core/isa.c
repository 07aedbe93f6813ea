/* core/isa.c - see isa.h. */
#include "core/isa.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
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

/* Not every compiler knows this one by name. */
bool jsni_isa_has_sha(void)
{
#if defined(__x86_64__) || defined(__i386__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    return HAS("sse4.1") && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 &&
           (b & bit_SHA) != 0;
#else
    return false;
#endif
}
