/* core/isa.h - levels of instruction sets that code is compiled for, and which of them this
 * machine runs. Losses, pixel loops and the kernels of the CPU backends are compiled once
 * a level; what their tables have is chosen here, when the program runs. */
#ifndef JSNI_CORE_ISA_H
#define JSNI_CORE_ISA_H

#include <stdbool.h>

typedef enum jsni_isa {
    JSNI_ISA_PLAIN,  /* any machine */
    JSNI_ISA_AVX2,   /* x86 with AVX2 and FMA */
    JSNI_ISA_AVX512, /* x86 with AVX-512 F, BW, DQ and VL, and the above */
} jsni_isa;

/* Whether this machine runs it. A table of compilations lists JSNI_ISA_PLAIN, too: one is
 * always usable. */
bool jsni_isa_usable(jsni_isa isa);

/* Whether this machine has the x86 instructions for SHA-256. */
bool jsni_isa_has_sha(void);

#endif /* JSNI_CORE_ISA_H */
