/* backend/onednn/dn_linear.c - linear layers: matrix products by oneDNN's sgemm on one
 * thread, cut into pieces of fixed size. A piece sums over all it needs, so there are no
 * partial results to combine. */
#include <string.h>

#include "backend/onednn/dn_plan.h"

enum { ROWS = 64, COLUMNS = 512 };

/* A step with its sizes: y [images][outs], x [images][ins], rows padded to y_row, x_row. */
typedef struct linear_job {
    dn_plan *plan;
    const float *x, *weight, *bias, *g, *add;
    float *y, *dx, *dweight, *dbias;
    size_t images, ins, outs, x_row, y_row;
    size_t across; /* pieces in a row of pieces */
} linear_job;

static linear_job job_of(dn_plan *plan, dn_step *step)
{
    const jsni_graph *graph = plan->host.base.graph;
    const jsni_node *node = &graph->nodes[step->node];
    const size_t in = plan->values[step->in[0]].tensor;
    const size_t weight = graph->params[node->weight].offset;
    const size_t bias = node->bias == JSNI_NONE ? 0 : graph->params[node->bias].offset;
    linear_job job = {
        .plan = plan,
        .x = dn_tensor_at(plan, in),
        .weight = plan->host.params + weight,
        .bias = node->bias == JSNI_NONE ? NULL : plan->host.params + bias,
        .y = dn_tensor_at(plan, step->out),
        .images = plan->host.views * plan->host.samples,
        .ins = plan->tensors[in].shape.channels,
        .outs = plan->tensors[step->out].shape.channels,
        .x_row = plan->tensors[in].floats,
        .y_row = plan->tensors[step->out].floats,
    };
    if (plan->host.grads == NULL)
        return job;
    job.dweight = plan->host.grads + weight;
    job.dbias = node->bias == JSNI_NONE ? NULL : plan->host.grads + bias;
    job.g = dn_buffer_at(plan, step->g);
    job.add = dn_buffer_at(plan, step->back[0].addend);
    job.dx = dn_buffer_at(plan, step->back[0].to);
    return job;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t pieces(size_t size, size_t piece)
{
    return (size + piece - 1) / piece;
}

/* C [m][n] = A B (+ C), row-major with the row lengths given. */
static void product(dn_plan *plan, char turn_a, char turn_b, size_t m, size_t n,
                    size_t k, const float *a, size_t a_row, const float *b,
                    size_t b_row, bool add, float *c, size_t c_row)
{
    jsni_dnnl_threads(1);
    jsni_dn_fail(plan, jsni_dnnl.sgemm(turn_a, turn_b, (dnnl_dim_t)m, (dnnl_dim_t)n,
                                       (dnnl_dim_t)k, 1.0f, a, (dnnl_dim_t)a_row, b,
                                       (dnnl_dim_t)b_row, add ? 1.0f : 0.0f, c,
                                       (dnnl_dim_t)c_row));
}

static void forward_piece(void *user, size_t index, size_t worker)
{
    (void)worker;
    const linear_job *job = user;
    const size_t row = index / job->across * ROWS,
                 column = index % job->across * COLUMNS;
    const size_t rows = least(ROWS, job->images - row);
    const size_t columns = least(COLUMNS, job->outs - column);
    for (size_t i = row; i < row + rows; i++) {
        float *y = job->y + i * job->y_row;
        for (size_t o = column; o < column + columns; o++)
            y[o] = job->bias == NULL ? 0.0f : job->bias[o];
        if (column + columns == job->outs)
            memset(y + job->outs, 0, (job->y_row - job->outs) * sizeof *y);
    }
    product(job->plan, 'N', 'T', rows, columns, job->ins, job->x + row * job->x_row,
            job->x_row, job->weight + column * job->ins, job->ins, true,
            job->y + row * job->y_row + column, job->y_row);
}

void jsni_dn_linear_forward(dn_plan *plan, dn_step *step)
{
    linear_job job = job_of(plan, step);
    job.across = pieces(job.outs, COLUMNS);
    jsni_pool_run(plan->host.pool, pieces(job.images, ROWS) * job.across, forward_piece,
                  &job);
}

static void data_piece(void *user, size_t index, size_t worker)
{
    (void)worker;
    const linear_job *job = user;
    const size_t row = index / job->across * ROWS,
                 column = index % job->across * COLUMNS;
    const size_t rows = least(ROWS, job->images - row);
    const size_t columns = least(COLUMNS, job->ins - column);
    for (size_t i = row; i < row + rows; i++) {
        float *dx = job->dx + i * job->x_row;
        if (job->add != NULL && job->add != job->dx)
            memcpy(dx + column, job->add + i * job->x_row + column,
                   columns * sizeof *dx);
        if (column + columns == job->ins)
            memset(dx + job->ins, 0, (job->x_row - job->ins) * sizeof *dx);
    }
    product(job->plan, 'N', 'N', rows, columns, job->outs, job->g + row * job->y_row,
            job->y_row, job->weight + column, job->ins, job->add != NULL,
            job->dx + row * job->x_row + column, job->x_row);
}

static void bias_sums(const linear_job *job, size_t from, size_t to)
{
    for (size_t o = from; o < to; o++) {
        double sum = 0.0;
        for (size_t i = 0; i < job->images; i++)
            sum += (double)job->g[i * job->y_row + o];
        job->dbias[o] = (float)sum;
    }
}

static void weight_piece(void *user, size_t index, size_t worker)
{
    (void)worker;
    const linear_job *job = user;
    const size_t out = index / job->across * ROWS, in = index % job->across * COLUMNS;
    const size_t outs = least(ROWS, job->outs - out),
                 ins = least(COLUMNS, job->ins - in);
    product(job->plan, 'T', 'N', outs, ins, job->images, job->g + out, job->y_row,
            job->x + in, job->x_row, false, job->dweight + out * job->ins + in,
            job->ins);
    if (in == 0 && job->dbias != NULL)
        bias_sums(job, out, out + outs);
}

void jsni_dn_linear_backward(dn_plan *plan, dn_step *step)
{
    linear_job job = job_of(plan, step);
    job.across = pieces(job.ins, COLUMNS);
    if (job.dx != NULL)
        jsni_pool_run(plan->host.pool, pieces(job.images, ROWS) * job.across,
                      data_piece, &job);
    jsni_pool_run(plan->host.pool, pieces(job.outs, ROWS) * job.across, weight_piece,
                  &job);
}
