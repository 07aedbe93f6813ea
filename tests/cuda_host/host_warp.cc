/* cuda_host/host_warp.cc - what the 32 lanes of a warp do together: shuffles, matrices from
 * shared memory, products of matrices. In every fragment lane l has row g = l / 4 and
 * columns from t = l % 4 on; see the PTX manual, "Matrix fragments for mma". */
#include "cuda_host/host_state.h"

#include <cstring>

/* ---- shuffles ---- */

struct shuffle {
    const void *value;
    void *got;
    size_t bytes;
    int from;
};

static void shuffle_all(void **lanes)
{
    char values[HOST_WARP][8];
    for (unsigned l = 0; l < HOST_WARP; l++)
        if (lanes[l]) {
            const shuffle *s = (const shuffle *)lanes[l];
            memcpy(values[l], s->value, s->bytes);
        }
    for (unsigned l = 0; l < HOST_WARP; l++)
        if (lanes[l]) {
            const shuffle *s = (const shuffle *)lanes[l];
            if (!lanes[s->from])
                host_break("takes a value from lane %d, which has ended", s->from);
            memcpy(s->got, values[s->from], s->bytes);
        }
}

void host_shuffle(const void *value, void *got, size_t bytes, int from)
{
    shuffle mine = {value, got, bytes, from};
    host_meet("a shuffle", &mine, shuffle_all);
}

/* ---- matrices ---- */

void host_need_all(void **lanes, const char *what)
{
    for (unsigned l = 0; l < HOST_WARP; l++)
        if (!lanes[l])
            host_break("is at %s, where a lane of its warp has ended", what);
}

struct matrix_load {
    uint32_t *r, row;
    bool transposed;
};

static void load_all(void **lanes)
{
    host_need_all(lanes, "ldmatrix");
    const unsigned warp = host_fiber.now / HOST_WARP * HOST_WARP;
    uint16_t m[4][8][8];
    for (unsigned l = 0; l < HOST_WARP; l++) {
        const matrix_load *load = (const matrix_load *)lanes[l];
        if (load->row % 16)
            host_break("loads a matrix from an address that 16 does not divide");
        const char *row = host_shared_pointer(load->row);
        /* a row is read by four lanes: two of them stand for all */
        host_touch_by(warp + l % 8 * 4, row, 16, false);
        host_touch_by(warp + l % 8 * 4 + 3, row, 16, false);
        memcpy(m[l / 8][l % 8], row, 16);
    }
    for (unsigned l = 0; l < HOST_WARP; l++) {
        const matrix_load *load = (const matrix_load *)lanes[l];
        const unsigned g = l / 4, t = l % 4 * 2;
        for (unsigned i = 0; i < 4; i++)
            load->r[i] = load->transposed ? m[i][t][g] | (uint32_t)m[i][t + 1][g] << 16
                                          : m[i][g][t] | (uint32_t)m[i][g][t + 1] << 16;
    }
}

void host_load_matrix(uint32_t r[4], uint32_t row, bool transposed)
{
    matrix_load mine = {r, row, transposed};
    host_meet(transposed ? "ldmatrix.trans" : "ldmatrix", &mine, load_all);
}

/* ---- products ---- */

struct product {
    float *c;
    const uint32_t *a;
    uint32_t b[2];
};

static float as_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* c[16][8] += a[16][depth] * b[depth][8], rounded once. */
static void multiply_tiles(void **lanes, const float a[16][16], const float b[16][8],
                           unsigned depth)
{
    for (unsigned row = 0; row < 16; row++) {
        double sum[8] = {};
        for (unsigned k = 0; k < depth; k++)
            for (unsigned n = 0; n < 8; n++)
                sum[n] += (double)a[row][k] * (double)b[k][n];
        for (unsigned n = 0; n < 8; n++) {
            const product *p = (const product *)lanes[row % 8 * 4 + n / 2];
            float *c = &p->c[row / 8 * 2 + n % 2];
            *c = (float)(sum[n] + (double)*c);
        }
    }
}

static void multiply_all_bf16(void **lanes)
{
    host_need_all(lanes, "mma");
    float a[16][16], b[16][8];
    for (unsigned l = 0; l < HOST_WARP; l++) {
        const product *p = (const product *)lanes[l];
        const unsigned g = l / 4, t = l % 4 * 2;
        for (unsigned i = 0; i < 4; i++) {
            const unsigned row = g + i % 2 * 8, column = t + i / 2 * 8;
            a[row][column] = as_float(p->a[i] << 16);
            a[row][column + 1] = as_float(p->a[i] & 0xffff0000u);
        }
        for (unsigned i = 0; i < 2; i++) {
            b[t + i * 8][g] = as_float(p->b[i] << 16);
            b[t + i * 8 + 1][g] = as_float(p->b[i] & 0xffff0000u);
        }
    }
    multiply_tiles(lanes, a, b, 16);
}

static void multiply_all_tf32(void **lanes)
{
    host_need_all(lanes, "mma");
    float a[16][16], b[16][8];
    for (unsigned l = 0; l < HOST_WARP; l++) {
        const product *p = (const product *)lanes[l];
        const unsigned g = l / 4, t = l % 4;
        for (unsigned i = 0; i < 4; i++)
            a[g + i % 2 * 8][t + i / 2 * 4] = as_float(p->a[i] & ~0x1fffu);
        for (unsigned i = 0; i < 2; i++)
            b[t + i * 4][g] = as_float(p->b[i] & ~0x1fffu);
    }
    multiply_tiles(lanes, a, b, 8);
}

void host_multiply_bf16(float c[4], const uint32_t a[4], uint32_t b0, uint32_t b1)
{
    product mine = {c, a, {b0, b1}};
    host_meet("mma of bf16", &mine, multiply_all_bf16);
}

void host_multiply_tf32(float c[4], const uint32_t a[4], uint32_t b0, uint32_t b1)
{
    product mine = {c, a, {b0, b1}};
    host_meet("mma of tf32", &mine, multiply_all_tf32);
}

uint16_t host_round_bf16(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (x != x)
        return 0x7fff;
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
