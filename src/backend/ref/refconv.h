/* backend/ref/refconv.h - the convolution of the reference backend, compiled once for
 * any machine and again for wider vectors; all give the same bits. */
#ifndef JSNI_REF_REFCONV_H
#define JSNI_REF_REFCONV_H

#include "backend/ref/ref_impl.h"
#include "backend/ref/refconv_list.h"
#include "core/isa.h"

typedef struct refconv {
    jsni_isa isa; /* that it is compiled for */
    ref_kernel kernel;
} refconv;

#define REFCONV_DECLARE(id) extern const refconv jsni_refconv_##id;
REFCONV_LIST(REFCONV_DECLARE)
#undef REFCONV_DECLARE

/* The row at `index`, or NULL beyond the last; a usable one, the widest. */
const refconv *jsni_refconv_at(size_t index);
const refconv *jsni_refconv_best(void);

#endif /* JSNI_REF_REFCONV_H */
