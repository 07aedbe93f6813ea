/* nn/init.c - initial weights, each tensor from a random stream of its own. */
#include <string.h>

#include "core/pool.h"
#include "core/rng.h"
#include "nn/graph.h"

static void fill(const jsni_tensor *tensor, jsni_rng *rng, float *to)
{
    const double value = tensor->init.value;
    for (size_t i = 0; i < tensor->count; i++) {
        switch (tensor->init.kind) {
        case JSNI_INIT_UNIFORM:
            to[i] = (float)(value * (2.0 * jsni_rng_uniform(rng) - 1.0));
            break;
        case JSNI_INIT_NORMAL:
            to[i] = (float)(value * jsni_rng_normal(rng));
            break;
        case JSNI_INIT_CONSTANT:
            to[i] = (float)value;
            break;
        }
    }
}

void jsni_graph_init_tensor(const jsni_graph *graph, uint64_t seed, size_t number,
                            float *params)
{
    const jsni_tensor *tensor = &graph->params[number];
    jsni_rng rng = jsni_rng_stream(seed, JSNI_RNG_INIT, 0, (uint32_t)number, 0);
    fill(tensor, &rng, params + tensor->offset);
}

typedef struct init_job {
    const jsni_graph *graph;
    uint64_t seed;
    float *params;
} init_job;

static void init_piece(void *user, size_t number, size_t worker)
{
    (void)worker;
    const init_job *job = user;
    jsni_graph_init_tensor(job->graph, job->seed, number, job->params);
}

void jsni_graph_init(const jsni_graph *graph, uint64_t seed, float *params,
                     float *stats)
{
    jsni_graph_init_by(graph, seed, NULL, params, stats);
}

void jsni_graph_init_by(const jsni_graph *graph, uint64_t seed, jsni_pool *pool,
                        float *params, float *stats)
{
    init_job job = {graph, seed, params};
    memset(params, 0, graph->param_floats * sizeof *params);
    memset(stats, 0, graph->stat_floats * sizeof *stats);
    if (pool != NULL)
        jsni_pool_run(pool, graph->param_count, init_piece, &job);
    for (size_t i = 0; pool == NULL && i < graph->param_count; i++)
        init_piece(&job, i, 0);
    for (size_t i = 0; i < graph->stat_count; i++)
        fill(&graph->stats[i], NULL, stats + graph->stats[i].offset);
}
