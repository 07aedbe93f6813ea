/* noise/noise_list.h - the noise models. To add one, write noise/noise_<id>.c, which
 * defines jsni_noise_<id>, and add its row here. */
#ifndef JSNI_NOISE_LIST_H
#define JSNI_NOISE_LIST_H

#define JSNI_NOISE_LIST(X) \
    X(none)                \
    X(sym)                 \
    X(sym_other)           \
    X(asym)                \
    X(matrix)              \
    X(instance)            \
    X(file)

#endif /* JSNI_NOISE_LIST_H */
