/* backend/cuda/conv_kernels.h - the own bf16 convolutions: 3x3, stride 1, C -> C
 * channels on HxH pixels with C*H = 1024 (32 @ 32, 64 @ 16, 128 @ 8), and the stem
 * 3 -> 32 @ 32. NHWC, fp32 accumulation, every sum in a fixed order or exact.
 *
 * BatchNorm and ReLU ride along: a convolution normalises its input while loading it,
 * adds the residual, and leaves the channel sums that the next BatchNorm needs.
 */
#ifndef JSNI_BACKEND_CUDA_CONV_KERNELS_H
#define JSNI_BACKEND_CUDA_CONV_KERNELS_H

#include <cuda_runtime.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/cuda/norm_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of shared memory that any of these takes of a block, but the wgmma kernels, which
 * have devices of their own: compute capability 8.0 and 9.0 have as much, 8.6, 8.9 and 12.0
 * have not. */
enum { JSNI_CONV_SHARED = 160 * 1024 };

/* What is done to the input while it is loaded. */
typedef enum jsni_conv_prologue {
    JSNI_CONV_NORM_RELU = 1, /* relu(pa*x + pb) */
    JSNI_CONV_NORM_BACK = 2, /* pa*x + pb*x2 + pd: through a BatchNorm, backwards */
    JSNI_CONV_SKIP_BACK = 3, /* the same + x3, the gradient of the skip connection */
    JSNI_CONV_PLAIN = 0
} jsni_conv_prologue;

/* What is done to the output before it is stored; each leaves partial sums. */
typedef enum jsni_conv_epilogue {
    JSNI_CONV_SUMS = 1,     /* sums of y and of y*y */
    JSNI_CONV_RESIDUAL = 2, /* y + e, then the same sums */
    JSNI_CONV_MASK = 3      /* y where ea*e + eb > 0, else 0; sums of y and of y*e */
} jsni_conv_epilogue;

typedef struct jsni_conv_args {
    const void *x;             /* [images][H][H][C] bf16 */
    const void *x2;            /* prologues 2, 3: the BatchNorm's input */
    const void *x3;            /* prologue 3 */
    const void *w;             /* weights as jsni_conv_pack() lays them out */
    void *y;                   /* [images][H][H][C] */
    void *xo;                  /* prologues 2, 3: the transformed input, or NULL */
    const void *e;             /* epilogues 2, 3 */
    const float *pa, *pb, *pd; /* [views][C] */
    const float *ea, *eb;      /* [views][C] */
    jsni_exact_word *sums; /* of what is stored, of [views] (exact_sums.cuh), or NULL */
    float *part;           /* the stem's weights: partial sums */
    /* Where through.exact is set: the BatchNorm whose coefficients pa, pb and pd would be.
     * The convolution makes them from its exact sums and leaves what finish and back_finish
     * leave for others, but ga to ge, which nobody else reads. */
    jsni_norm_args through;
    int images, view_images; /* images of all views, of one */
    int block_images;        /* set by the launcher */
    /* Blocks of the wgmma kernels take so many times their images, if they can: 0 and 1 are
     * the same. Fewer, longer blocks leave room to others. Results are the same. */
    int turns;
} jsni_conv_args;

/* Forward and backward-data. `wide` takes the wgmma kernels (sm_90a). */
cudaError_t jsni_conv3x3(const jsni_conv_args *args, int channels,
                         jsni_conv_prologue prologue, jsni_conv_epilogue epilogue,
                         bool wide, cudaStream_t stream);
cudaError_t jsni_conv3x3_rows(const jsni_conv_args *args, jsni_conv_prologue prologue,
                              jsni_conv_epilogue epilogue, cudaStream_t stream);
cudaError_t jsni_conv3x3_image(const jsni_conv_args *args, int channels,
                               jsni_conv_prologue prologue, jsni_conv_epilogue epilogue,
                               cudaStream_t stream);

/* Backward-weights, partial sums only: part[tiles][parts][E] float4. */
typedef struct jsni_conv_weight_args {
    const void *x, *dy;   /* [images][H][H][C] bf16 */
    const float *xa, *xb; /* [views][C]: x is taken as relu(xa*x + xb) */
    float4 *part;
    int images, view_images;
    int turns; /* 2: a block takes twice as many images as it does else */
} jsni_conv_weight_args;

cudaError_t jsni_conv3x3_weights(const jsni_conv_weight_args *args, int channels,
                                 bool clusters, cudaStream_t stream);
/* The best number of turns; by it, partial sums of a result; and bytes that hold those of as
 * many images or fewer, with any number of turns. */
int jsni_conv3x3_weight_turns(int channels, int images, int view_images);
int jsni_conv3x3_weight_parts(int channels, int images, int turns, bool clusters);
size_t jsni_conv3x3_weight_bytes(int channels, int images, bool clusters);
/* Whether the kernels take this many images a view. */
bool jsni_conv3x3_fits(int channels, int height, int width, int view_images);

/* The stem: y = conv(x), and its sums, or NULL; `w` is bf16 [32][3][3][3], output, row,
 * column, input. And its weights' partials [images/2][1024], of the images `e` and the
 * gradient x, with the prologue of backward-data. */
cudaError_t jsni_conv_stem(const void *x, const void *w, void *y, jsni_exact_word *sums,
                           int images, int view_images, cudaStream_t stream);
cudaError_t jsni_conv_stem_weights(const jsni_conv_args *args,
                                   jsni_conv_prologue prologue, cudaStream_t stream);

/* One launch for all layers: the fixed-order sum of the partials of each into the
 * gradient, [co][ci][kh][kw] fp32. */
typedef struct jsni_conv_final {
    const void *part;
    float *gradient;
    int channels; /* 32, 64, 128; 3: the stem */
    int parts;
    int first_block; /* of this layer in the launch */
} jsni_conv_final;

int jsni_conv_final_blocks(int channels);
cudaError_t jsni_conv_final_sums(const jsni_conv_final *layers, int count, int blocks,
                                 cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif /* JSNI_BACKEND_CUDA_CONV_KERNELS_H */
