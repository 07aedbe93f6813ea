/* backend/onednn/instruction_sets.h - the instruction sets the kernels are compiled for, best
 * first, with their level. The build compiles the kernel files once for each row. */
#ifndef JSNI_BACKEND_ONEDNN_INSTRUCTION_SETS_H
#define JSNI_BACKEND_ONEDNN_INSTRUCTION_SETS_H

#include "core/isa.h"

#if defined(JSN_KERNELS_X86)
#define JSNI_KERNEL_LIST(X) \
    X(avx512, JSNI_ISA_AVX512) X(avx2, JSNI_ISA_AVX2) X(plain, JSNI_ISA_PLAIN)
#else
#define JSNI_KERNEL_LIST(X) X(plain, JSNI_ISA_PLAIN)
#endif

#endif /* JSNI_BACKEND_ONEDNN_INSTRUCTION_SETS_H */
