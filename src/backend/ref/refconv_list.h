/* backend/ref/refconv_list.h - the table of compilations of refconv_body.h, narrowest
 * first. */
#ifndef JSNI_REF_REFCONV_LIST_H
#define JSNI_REF_REFCONV_LIST_H

#if defined(__x86_64__)
#define REFCONV_LIST_X86(X) X(avx2)
#else
#define REFCONV_LIST_X86(X)
#endif

#define REFCONV_LIST(X) X(base) REFCONV_LIST_X86(X)

#endif /* JSNI_REF_REFCONV_LIST_H */
