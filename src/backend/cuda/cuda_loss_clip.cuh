/* backend/cuda/cuda_loss_clip.cuh - logits that are clipped by their norm before the softmax,
 * and the gradient behind it: what loss_kernel.cuh has in place of the plain ones in the build
 * JSNI_CUDA_CLIP. The formulas are in loss/lane_clip.h. In double alone: a clipped loss has no
 * kernel in float. With an infinite tau nothing is clipped, which is how plugins run: their one
 * kernel serves both. */
#ifndef JSNI_BACKEND_CUDA_CUDA_LOSS_CLIP_CUH
#define JSNI_BACKEND_CUDA_CUDA_LOSS_CLIP_CUH

/* |x|^power, 0 at 0. */
__device__ static inline jsni_real jsni_clip_power(jsni_real x, jsni_real power)
{
    const jsni_real size = jsni_abs(x);
    if (power == R(1))
        return size;
    if (power == R(2))
        return x * x;
    return size < R(JSNI_TINY) ? R(0) : jsni_pow(size, power);
}

/* What the logits of one sample and view are to be scaled by, 1 where their norm is small.
 * The norm is taken of their quotients by the largest, which neither overflow nor vanish;
 * *top becomes the largest of the scaled ones. */
__device__ static inline jsni_real jsni_clip_factor(const jsni_row *row,
                                                    const float *logits, size_t classes,
                                                    jsni_real *top)
{
    jsni_real high = -R(JSNI_LARGE) * R(10), low = high; /* low: of the negatives */
    for (size_t k = row->lane; k < classes; k += row->lanes) {
        high = jsni_max(R(logits[k]), high);
        low = jsni_max(-R(logits[k]), low);
    }
    high = jsni_highest(row, high);
    low = jsni_highest(row, low);
    *top = high;
    if (row->tau > R(JSNI_LARGE))
        return R(1);
    const jsni_real most = jsni_max(R(JSNI_SMALL), jsni_max(high, low));
    const jsni_real scale = R(1) / most;
    jsni_real sum = R(0);
    for (size_t k = row->lane; k < classes; k += row->lanes)
        sum += jsni_clip_power(R(logits[k]) * scale, row->power);
    sum = jsni_total(row, sum);
    const jsni_real root =
        row->power == R(2) ? jsni_sqrt(sum) : jsni_clip_power(sum, R(1) / row->power);
    const jsni_real factor = row->tau / most / jsni_max(R(1), root);
    /* A NaN among the logits would be lost in the maxima. */
    const jsni_real used = jsni_less(factor, R(1), factor, R(1)) + R(0) * sum;
    *top = used * high;
    return used;
}

/* Softmax of view v from the logits of one sample. */
__device__ static inline void jsni_device_softmax(jsni_row *row, jsni_real *e, size_t v,
                                                  const float *logits, size_t classes)
{
    jsni_real top = R(0), sum = R(0), label = R(0);
    row->logits[v] = logits;
    row->factor[v] = jsni_clip_factor(row, logits, classes, &top);
    for (size_t c = 0; c < row->chunks; c++) {
        const size_t k = c * row->lanes + row->lane;
        const bool inside = k < classes;
        const jsni_real z = inside ? R(logits[k]) * row->factor[v] : R(0);
        const jsni_real x = inside ? jsni_max(-R(JSNI_LARGE), z - top) : R(0);
        const jsni_real y = inside ? jsni_exp(x) : R(0);
        row->d[jsni_at(row, v, c)] = x;
        e[jsni_at(row, v, c)] = y;
        sum += y;
        if (k == row->label)
            label = x;
    }
    sum = jsni_total(row, sum);
    row->inverse[v] = R(1) / sum;
    row->log_sum[v] = jsni_log(sum);
    if (!row->soft)
        row->label_logp[v] = jsni_total(row, label) - row->log_sum[v];
}

/* g_k - p_k sum_i g_i of class k, the gradient of the clipped logit; `sum` of all g_i. */
__device__ static inline jsni_real jsni_clip_plain(const jsni_row *row,
                                                   const jsni_grad *g, size_t v,
                                                   size_t c, jsni_real sum)
{
    const jsni_real p = jsni_p(row, v, c);
    jsni_real out = g->uniform - p * sum + g->target * jsni_target(row, c);
    if (g->dense)
        out += g->dense_scale * row->d[jsni_at(row, v, c)];
    if (g->entropic)
        out += g->plogp * p * jsni_logp(row, v, c);
    return out;
}

/* From that to the gradient of the logit, whose clipped value is z; `dot` is the sum of the
 * products of both. */
__device__ static inline jsni_real jsni_clip_gradient(const jsni_row *row, size_t v,
                                                      jsni_real plain, jsni_real z,
                                                      jsni_real dot)
{
    if (!(row->factor[v] < R(1)))
        return row->factor[v] * plain; /* 1, or NaN */
    const jsni_real share = z / row->tau;
    const jsni_real size =
        row->power == R(1) ? R(1) : jsni_clip_power(share, row->power - R(1));
    const jsni_real slope =
        jsni_less(share, R(0), -size, jsni_less(R(0), share, size, R(0)));
    return row->factor[v] * (plain - slope / row->tau * dot);
}

/* The gradient of the logits, times the weight of the sample. It may replace the logits: a
 * thread writes its own after all have read theirs. */
__device__ static inline void jsni_device_project(const jsni_row *row,
                                                  const jsni_grad *g, size_t v,
                                                  jsni_real target_sum, jsni_real scale,
                                                  bool add, float *grad, size_t classes)
{
    const jsni_real sum = g->target * target_sum + row->classes * g->uniform +
                          (g->plogp_sum + g->dense_sum);
    const float *logits = row->logits[v];
    jsni_real dot = R(0);
    for (size_t c = 0; c < row->chunks; c++) {
        const size_t k = c * row->lanes + row->lane;
        if (k < classes)
            dot += jsni_clip_plain(row, g, v, c, sum) * (R(logits[k]) * row->factor[v]);
    }
    dot = jsni_total(row, dot);
    for (size_t c = 0; c < row->chunks; c++) {
        const size_t k = c * row->lanes + row->lane;
        if (k >= classes)
            break;
        const jsni_real out =
            jsni_clip_gradient(row, v, jsni_clip_plain(row, g, v, c, sum),
                               R(logits[k]) * row->factor[v], dot);
        grad[k] = (float)(add ? R(grad[k]) + scale * out : scale * out);
    }
}

#endif /* JSNI_BACKEND_CUDA_CUDA_LOSS_CLIP_CUH */
