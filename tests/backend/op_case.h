/* tests/backend/op_case.h - an op with its input, as tests that walk tables of ops list it. */
#ifndef TESTS_BACKEND_OP_CASE_H
#define TESTS_BACKEND_OP_CASE_H

#include "backend/backend_support.h"

typedef struct op_case {
    const char *name;
    jsni_op op;
    jsni_shape in;
    size_t samples, views;
} op_case;

#define CONV(kh, kw, sh, sw, ph, pw, out, with_bias) \
    {                                                \
        .kind = JSNI_OP_CONV, .as.conv = {           \
            {kh, kw, sh, sw, ph, pw, 0, 0},          \
            out,                                     \
            with_bias                                \
        }                                            \
    }
/* Zeros below and on the right alone, as TensorFlow pads even sizes with stride 2. */
#define CONV_BELOW(kernel, stride, out)                   \
    {                                                     \
        .kind = JSNI_OP_CONV, .as.conv = {                \
            {kernel, kernel, stride, stride, 0, 0, 1, 1}, \
            out,                                          \
            false                                         \
        }                                                 \
    }
#define DEPTHWISE(kh, kw, sh, sw, ph, pw, eh, ew, with_bias) \
    {                                                        \
        .kind = JSNI_OP_DEPTHWISE, .as.depthwise = {         \
            {kh, kw, sh, sw, ph, pw, eh, ew},                \
            with_bias                                        \
        }                                                    \
    }
#define POOL(which, kh, kw, sh, sw, ph, pw)                        \
    {                                                              \
        .kind = which, .as.pool = { kh, kw, sh, sw, ph, pw, 0, 0 } \
    }
#define NORM                                           \
    {                                                  \
        .kind = JSNI_OP_NORM, .as.norm = { 1e-5, 0.1 } \
    }
#define PLAIN(which)  \
    {                 \
        .kind = which \
    }
#define ADAPTIVE(h, w)                                         \
    {                                                          \
        .kind = JSNI_OP_ADAPTIVE_POOL, .as.adaptive = { h, w } \
    }
#define LINEAR(out, with_bias)                                  \
    {                                                           \
        .kind = JSNI_OP_LINEAR, .as.linear = { out, with_bias } \
    }
#define DROPOUT(p)                                   \
    {                                                \
        .kind = JSNI_OP_DROPOUT, .as.dropout = { p } \
    }

#endif /* TESTS_BACKEND_OP_CASE_H */
