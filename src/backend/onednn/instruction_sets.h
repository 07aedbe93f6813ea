/* backend/onednn/instruction_sets.h - the instruction sets the kernels are compiled for, best
 * first, with the test that this processor has them. The build compiles the kernel
 * files once for each row. */
#ifndef JSNI_BACKEND_ONEDNN_INSTRUCTION_SETS_H
#define JSNI_BACKEND_ONEDNN_INSTRUCTION_SETS_H

#if defined(JSN_KERNELS_X86)
#define JSNI_KERNEL_LIST(X)                                                       \
    X(avx512, __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("fma")) \
    X(avx2, __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))      \
    X(plain, 1)
#else
#define JSNI_KERNEL_LIST(X) X(plain, 1)
#endif

#endif /* JSNI_BACKEND_ONEDNN_INSTRUCTION_SETS_H */
