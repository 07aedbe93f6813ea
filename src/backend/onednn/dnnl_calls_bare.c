/* backend/onednn/dnnl_calls_bare.c - the table of dnnl_calls.h where there is no C++
 * compiler: nobody catches what oneDNN throws. */
#include "backend/onednn/dnnl_calls.h"

#define BARE(name) .name = dnnl_##name,
const jsni_dnnl_table jsni_dnnl = {JSNI_DNNL_CALLS(BARE)};
