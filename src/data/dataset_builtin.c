/* data/dataset_builtin.c - a generated data set that needs no files: 32x32 pictures of
 * ten shapes and glyphs with nuisance variation.
 *
 * A picture is a textured background, one shape at a random place, size, angle and
 * colour, filled or hollow, something in front of it half of the time, and sensor noise.
 * Everything about picture i of a split is drawn from its own stream, so any size of set
 * starts with the same pictures. Edges are smoothed over one pixel by distance.
 *
 * "hard" says how much of the nuisance is left. At 1 nothing but the outline tells a
 * class: shape and ground have any colours, which small networks see through only with
 * many pictures. Towards 0 shapes become light, grounds dark and even.
 */
#include <math.h>
#include <stdio.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/pool.h"
#include "core/rng.h"
#include "data/dataset_impl.h"
#include "data/glyph.h"

enum { SIDE = 32, BYTES = SIDE * SIDE * 3, MOST_BLOBS = 3 };

typedef struct colour {
    double c[3];
} colour;

/* A rectangle (sharp == true) or ellipse in front of or behind the shape. */
typedef struct blob {
    double x, y, across, along, cosine, sine;
    bool sharp;
    colour paint;
} blob;

typedef struct scene {
    size_t kind;
    double x, y, scale, cosine, sine, squeeze; /* where and how the shape lies */
    double pen, hollow;
    colour front, back[2];
    int texture; /* 0 gradient, 1 stripes, 2 checks, 3 soft spots */
    double wave_x, wave_y, wave_at;
    double spots[4][3]; /* x, y, radius */
    blob behind[MOST_BLOBS], before;
    size_t behind_count;
    bool covered;
    double noise;
} scene;

/* How far colours are pulled to light or dark in the easiest set. */
static const double most_pull = 0.75;

static double between(jsni_rng *rng, double low, double high)
{
    return low + (high - low) * jsni_rng_uniform(rng);
}

static colour any_colour(jsni_rng *rng)
{
    colour out;
    for (int i = 0; i < 3; i++)
        out.c[i] = between(rng, 0.05, 0.95);
    return out;
}

static double colour_distance(colour a, colour b)
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++)
        sum += (a.c[i] - b.c[i]) * (a.c[i] - b.c[i]);
    return sqrt(sum);
}

static blob any_blob(jsni_rng *rng, double x, double y, double smallest, double largest)
{
    const double angle = between(rng, 0.0, 3.14159265358979);
    blob out;
    out.x = x;
    out.y = y;
    out.across = between(rng, smallest, largest);
    out.along = between(rng, smallest, largest);
    out.cosine = cos(angle);
    out.sine = sin(angle);
    out.sharp = jsni_rng_below(rng, 2) == 1;
    out.paint = any_colour(rng);
    return out;
}

static void draw_background(scene *s, jsni_rng *rng)
{
    s->back[0] = any_colour(rng);
    const colour other = any_colour(rng);
    for (int i = 0; i < 3; i++) /* related colours: a texture, not a second object */
        s->back[1].c[i] = 0.75 * s->back[0].c[i] + 0.25 * other.c[i];
    s->texture = (int)jsni_rng_below(rng, 4);
    const double angle = between(rng, 0.0, 6.28318530717959);
    const double frequency = between(rng, 0.3, 1.2);
    s->wave_x = frequency * cos(angle);
    s->wave_y = frequency * sin(angle);
    s->wave_at = between(rng, 0.0, 6.28318530717959);
    for (int i = 0; i < 4; i++) {
        s->spots[i][0] = between(rng, 0, SIDE);
        s->spots[i][1] = between(rng, 0, SIDE);
        s->spots[i][2] = between(rng, 3, 9);
    }
    s->behind_count = jsni_rng_below(rng, MOST_BLOBS);
    for (size_t i = 0; i < s->behind_count; i++)
        s->behind[i] =
            any_blob(rng, between(rng, 0, SIDE), between(rng, 0, SIDE), 1.0, 4.5);
}

static void pull(colour *paint, double towards, double amount)
{
    for (int i = 0; i < 3; i++)
        paint->c[i] += amount * (towards - paint->c[i]);
}

/* Takes nuisance away from a scene that was drawn in full. */
static void ease(scene *s, double hard)
{
    const double amount = most_pull * (1.0 - hard);
    pull(&s->front, 1.0, amount);
    for (int i = 0; i < 2; i++)
        pull(&s->back[i], 0.0, amount);
    for (size_t i = 0; i < s->behind_count; i++)
        pull(&s->behind[i].paint, 0.0, amount);
    pull(&s->before.paint, 0.0, amount);
}

static void draw_scene(scene *s, jsni_rng *rng, size_t kind)
{
    draw_background(s, rng);
    s->kind = kind;
    s->scale = between(rng, 8.5, 12.5);
    const double room = (SIDE - 2 * s->scale) / 2;
    s->x = SIDE / 2.0 + between(rng, -room, room);
    s->y = SIDE / 2.0 + between(rng, -room, room);
    const double angle = between(rng, -0.4, 0.4);
    s->cosine = cos(angle);
    s->sine = sin(angle);
    s->squeeze = between(rng, 0.8, 1.0);
    s->pen = between(rng, 0.13, 0.24);
    s->hollow = jsni_rng_below(rng, 3) == 0 ? between(rng, 0.1, 0.17) : 0.0;
    do
        s->front = any_colour(rng);
    while (colour_distance(s->front, s->back[0]) < 0.45 ||
           colour_distance(s->front, s->back[1]) < 0.35);
    s->covered = jsni_rng_below(rng, 2) == 1;
    const double turn = between(rng, 0.0, 6.28318530717959);
    s->before = any_blob(rng, s->x + 0.8 * s->scale * cos(turn),
                         s->y + 0.8 * s->scale * sin(turn), 1.5, 4.0);
    s->noise = between(rng, 0.0, 0.05);
}

/* How much of a pixel lies inside an edge at signed distance d, in pixels. */
static double coverage(double d)
{
    return d <= -0.5 ? 1.0 : d >= 0.5 ? 0.0 : 0.5 - d;
}

static void blend(colour *to, const colour *paint, double amount)
{
    for (int i = 0; i < 3; i++)
        to->c[i] += amount * (paint->c[i] - to->c[i]);
}

static double blob_distance(const blob *b, double x, double y)
{
    const double u = fabs((x - b->x) * b->cosine + (y - b->y) * b->sine);
    const double v = fabs((y - b->y) * b->cosine - (x - b->x) * b->sine);
    if (b->sharp)
        return u - b->across > v - b->along ? u - b->across : v - b->along;
    const double smaller = b->across < b->along ? b->across : b->along;
    return (sqrt(u * u / (b->across * b->across) + v * v / (b->along * b->along)) -
            1.0) *
           smaller;
}

static colour background(const scene *s, double x, double y)
{
    double amount = 0.0;
    const double phase = s->wave_x * x + s->wave_y * y + s->wave_at;
    if (s->texture == 0) {
        amount = (x * fabs(s->wave_x) + y * fabs(s->wave_y)) / (1.7 * SIDE);
    } else if (s->texture == 1) {
        amount = 0.5 + 0.5 * sin(2 * phase);
    } else if (s->texture == 2) {
        const double other = s->wave_x * y - s->wave_y * x;
        amount = (sin(2 * phase) > 0) == (sin(2 * other) > 0) ? 1.0 : 0.0;
    } else {
        for (int i = 0; i < 4; i++) {
            const double dx = x - s->spots[i][0], dy = y - s->spots[i][1];
            const double near =
                1.0 - (dx * dx + dy * dy) / (s->spots[i][2] * s->spots[i][2]);
            amount = near > amount ? near : amount;
        }
    }
    colour out = s->back[0];
    blend(&out, &s->back[1], amount);
    for (size_t i = 0; i < s->behind_count; i++)
        blend(&out, &s->behind[i].paint, coverage(blob_distance(&s->behind[i], x, y)));
    return out;
}

static void render(const scene *s, jsni_rng *rng, uint8_t *pixels)
{
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
        const double x = (double)(i % SIDE) + 0.5, y = (double)(i / SIDE) + 0.5;
        colour out = background(s, x, y);
        const double dx = (x - s->x) / s->scale, dy = (y - s->y) / s->scale;
        const double u = (dx * s->cosine + dy * s->sine) / s->squeeze;
        const double v = dy * s->cosine - dx * s->sine;
        if (u * u + v * v < 3.0) {
            const double d = jsni_glyph_distance(s->kind, u, v, s->pen, s->hollow);
            blend(&out, &s->front, coverage(d * s->scale));
        }
        if (s->covered)
            blend(&out, &s->before.paint, coverage(blob_distance(&s->before, x, y)));
        for (size_t c = 0; c < 3; c++) {
            const double value =
                out.c[c] +
                s->noise * (jsni_rng_uniform(rng) + jsni_rng_uniform(rng) - 1.0) * 2.0;
            pixels[3 * i + c] = (uint8_t)(value <= 0   ? 0
                                          : value >= 1 ? 255
                                                       : value * 255.0 + 0.5);
        }
    }
}

typedef struct job {
    uint64_t seed;
    double hard;
    jsn_split split;
    uint8_t *pixels;
} job;

static void render_sample(void *user, size_t index, size_t worker)
{
    (void)worker;
    const job *j = user;
    jsni_rng rng = jsni_rng_stream(j->seed, JSNI_RNG_SYNTHETIC, (uint32_t)j->split,
                                   (uint32_t)index, 0);
    scene s;
    draw_scene(&s, &rng, index % JSNI_GLYPHS);
    ease(&s, j->hard);
    render(&s, &rng, j->pixels + index * BYTES);
}

static jsn_status add_split(jsn_dataset *data, jsni_pool *pool, jsn_split split,
                            size_t count, uint64_t seed, double hard)
{
    jsni_split *s = &data->splits[split];
    s->owned_pixels = jsni_alloc(count, BYTES);
    JSNI_TRY_ALLOC(s->owned_pixels);
    s->pixels = s->owned_pixels;
    for (size_t i = 0; i < count; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s/%s/%04zu.png", jsn_split_name(split),
                       jsni_glyph_names[i % JSNI_GLYPHS], i / JSNI_GLYPHS);
        JSNI_TRY(jsni_dataset_add(data, split, name, (int32_t)(i % JSNI_GLYPHS)));
    }
    job j = {seed, hard, split, s->owned_pixels};
    jsni_pool_run(pool, count, render_sample, &j);
    return JSN_OK;
}

enum { SIZE, TEST, SEED, HARD };

static const jsn_param_info params[] = {
    {"size", "training images", 5000, 1, 1e7, JSN_PARAM_REAL},
    {"test", "test images", 2000, 0, 1e7, JSN_PARAM_REAL},
    {"seed", "another number, another set", 0, 0, 4294967295.0, JSN_PARAM_REAL},
    {"hard", "1: only outlines tell classes; 0: light shapes on dark grounds", 0.5, 0,
     1, JSN_PARAM_REAL},
    JSNI_DATASET_SPLIT_PARAM,
};

static jsn_status open_builtin(jsn_dataset *data, const jsni_dataset_request *request)
{
    static const float mean[3] = {0.5f, 0.5f, 0.5f};
    static const float deviation[3] = {0.25f, 0.25f, 0.25f};
    const size_t size = (size_t)request->values[SIZE].real;
    const size_t test = (size_t)request->values[TEST].real;
    const uint64_t seed = (uint64_t)request->values[SEED].real;
    const double hard = request->values[HARD].real;
    jsni_dataset_normalise(data, mean, deviation);
    data->traits.width = data->traits.height = SIDE;
    JSNI_TRY(jsni_dataset_add_classes(data, jsni_glyph_names, JSNI_GLYPHS));
    jsni_pool *pool = NULL;
    JSNI_TRY(jsni_pool_create(&pool, request->options.threads));
    jsn_status status = JSN_OK;
    if (jsni_dataset_wants(data, JSN_SPLIT_TRAIN))
        status = add_split(data, pool, JSN_SPLIT_TRAIN, size, seed, hard);
    if (status == JSN_OK && test > 0 && jsni_dataset_wants(data, JSN_SPLIT_TEST))
        status = add_split(data, pool, JSN_SPLIT_TEST, test, seed, hard);
    jsni_pool_destroy(pool);
    return status;
}

const jsni_dataset_def jsni_dataset_builtin = {
    {"builtin", "generated: ten shapes and glyphs, 32x32, no files needed", params,
     sizeof params / sizeof params[0]},
    open_builtin,
};
