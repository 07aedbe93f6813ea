/* augment/pixelkernel_list.h - the instruction sets that the pixel loops are compiled
 * for, best last. To add one, write augment/pixelkernel_<id>.c with its compiler options
 * in CMakeLists.txt, and add its row here. All give the same bytes. */
#ifndef JSNI_PIXELKERNEL_LIST_H
#define JSNI_PIXELKERNEL_LIST_H

#if defined(__x86_64__) && defined(__GNUC__)
#define JSNI_PIXELKERNEL_X86(X) X(avx2)
#else
#define JSNI_PIXELKERNEL_X86(X)
#endif

#define JSNI_PIXELKERNEL_LIST(X) X(base) JSNI_PIXELKERNEL_X86(X)

#endif /* JSNI_PIXELKERNEL_LIST_H */
