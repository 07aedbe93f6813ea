/* loss/lane_apart.h - samples whose lanes are samples, for few classes: their rows are
 * transposed on the way in and out; part of lane_driver.c. */
#ifndef JSNI_LOSS_LANE_APART_H
#define JSNI_LOSS_LANE_APART_H

#include "loss/lane_columns.h"
#include "loss/lane_run.h"

/* Samples of one view with up to this many classes are worked on two groups at a time. */
enum { GROUPS_TOGETHER = 2, TOGETHER_CLASSES = 32 };

/* How many groups a loss of `views` views at a time works on together. */
static size_t groups_together(size_t classes, size_t views)
{
    return views == 1 && classes <= TOGETHER_CLASSES ? GROUPS_TOGETHER : 1;
}

#ifdef JSNI_LEVEL_DOUBLE
static void groups_apart(lane_run *runs, size_t count, size_t first, size_t last)
{
    (void)runs;
    (void)count;
    (void)first;
    (void)last;
}
#else
/* Samples whose lanes are worked on together. */
typedef struct lane_group {
    size_t sample, lanes; /* the first, and their number */
    size_t groups;        /* passes over the views */
    jsni_real scale;      /* of the gradients */
    jsni_real value;
    double weights[JSNI_LANES];
} lane_group;

/* d alone, and what it is at the label. */
static void shift_apart(lane_run *run, size_t v, jsni_real top)
{
    jsni_row *row = &run->row;
    jsni_real *d = run->d + v * row->chunks;
    const jsni_real lowest = jsni_fill(-JSNI_LARGE);
    jsni_real label = jsni_fill(0.0f);
    for (size_t k = 0; k < row->chunks; k++) {
        d[k] = jsni_max(lowest, d[k] - top);
        label = jsni_fma(run->t[k], d[k], label);
    }
    skip_softmax(row, v);
    row->label_logp[v] = label;
}

static void softmax_apart(lane_run *run, size_t v)
{
    jsni_row *row = &run->row;
    jsni_real *e = run->e + v * row->chunks;
    jsni_real *d = run->d + v * row->chunks;
    const jsni_real lowest = jsni_fill(-JSNI_LARGE);
    jsni_real top = jsni_fill(-HUGE_VALF);
    for (size_t k = 0; k < row->chunks; k++)
        top = jsni_max(d[k], top);
    if (run->job->bare) {
        shift_apart(run, v, top);
        return;
    }
    jsni_real sum = jsni_fill(0.0f);
    jsni_real label = jsni_fill(0.0f);
    for (size_t k = 0; k < row->chunks; k++) {
        const jsni_real x = jsni_max(lowest, d[k] - top);
        d[k] = x;
        e[k] = jsni_exp(x);
        sum = sum + e[k];
        label = jsni_fma(run->t[k], x, label);
    }
    finish_softmax(row, v, sum);
    row->label_logp[v] = label - row->log_sum[v]; /* of use unless the target is soft */
}

static inline void project_apart(int kind, const lane_run *run, const projection *p,
                                 size_t v)
{
    const size_t chunks = run->row.chunks;
    const float *e = (const float *)(run->e + v * chunks);
    float *d = (float *)(run->d + v * chunks);
    const float *t = (const float *)run->t;
    for (size_t k = 0; k < chunks * JSNI_LANES; k += JSNI_LANES)
        vec_store_any(d + k, project(kind, p, e + k, d + k, t + k));
}

static void write_apart(const lane_run *run, size_t v, jsni_real scale, size_t sample,
                        size_t lanes, size_t offset)
{
    const projection p =
        make_projection(&run->row, &run->grad[v], v, run->target_sum, scale);
    switch (run->job->bare ? PROJECT_DONE
                           : projection_kind(&run->grad[v], run->row.soft != 0)) {
    case PROJECT_DONE:
        project_apart(PROJECT_DONE, run, &p, v);
        break;
    case PROJECT_DENSE:
        project_apart(PROJECT_DENSE, run, &p, v);
        break;
    case PROJECT_TARGET:
        project_apart(PROJECT_TARGET, run, &p, v);
        break;
    case PROJECT_DENSE_TARGET:
        project_apart(PROJECT_DENSE_TARGET, run, &p, v);
        break;
    default:
        project_apart(PROJECT_PLOGP, run, &p, v);
        break;
    }
    store_apart(run->job, sample, lanes, run->d + v * run->row.chunks,
                (float *)run->job->grad + offset);
}

static void load_target_apart(lane_run *run, size_t sample, size_t lanes)
{
    const jsni_loss_job *job = run->job;
    if (!run->row.soft) {
        set_labels(job, sample, lanes, run->t);
        return;
    }
    load_apart((const float *)job->targets + sample * job->classes, job->classes, lanes,
               run->t);
    measure_target(run);
}

/* The weights of a group, and what the gradients of its samples are multiplied by. */
static jsni_real load_weights(const jsni_loss_job *job, size_t sample, size_t lanes,
                              size_t groups, double *weights)
{
    const double part = job->inverse_weight / (double)groups;
    if (job->class_weights == NULL && job->sample_weights == NULL) {
        for (size_t i = 0; i < JSNI_LANES; i++)
            weights[i] = 1.0;
        return jsni_fill((float)part);
    }
    float scales[JSNI_LANES] = {0};
    for (size_t i = 0; i < lanes; i++) {
        weights[i] = jsni_loss_weight(job, sample + i);
        scales[i] = (float)(weights[i] * part);
    }
    return jsni_load(scales);
}

static void check_values(const lane_run *run, size_t sample, size_t lanes, size_t first,
                         jsni_real value)
{
    float values[JSNI_LANES];
    vec_store_any(values, value);
    for (size_t i = 0; i < lanes; i++)
        if (is_chosen(run->job, sample + i))
            check_value(run, sample + i, first + i * run->job->classes, run->row.views,
                        (double)values[i]);
}

/* The values of a group; without a look at each where none is large or wanted. */
static void take_values(const lane_run *run, const lane_group *group, jsni_real value)
{
    const jsni_loss_job *job = run->job;
    float values[JSNI_LANES];
    double wide[JSNI_LANES], sum = run->part->sum;
    vec_store_any(values, value);
    for (size_t i = 0; i < JSNI_LANES; i++)
        wide[i] = group->weights[i] * (double)values[i];
    if (job->chooser == NULL && job->per_sample == NULL && group->lanes == JSNI_LANES &&
        jsni_lane_sum(jsni_abs(value)) < (float)LARGE_VALUE)
        for (size_t i = 0; i < JSNI_LANES; i++)
            sum += wide[i];
    else
        for (size_t i = 0; i < group->lanes; i++)
            if (is_chosen(job, group->sample + i))
                sum = take_value(run, group->sample + i, group->weights[i],
                                 (double)values[i], sum);
    run->part->sum = sum;
}

/* The samples [first, last) of a group, at most JSNI_LANES. */
static void begin_group(lane_run *run, lane_group *group, size_t first, size_t last)
{
    const jsni_loss_job *job = run->job;
    const size_t left = last - first;
    group->sample = first;
    group->lanes = left < JSNI_LANES ? left : JSNI_LANES;
    group->groups = job->joint ? 1 : job->views_read;
    group->scale =
        load_weights(job, first, group->lanes, group->groups, group->weights);
    group->value = jsni_fill(0.0f);
    run->row.share = group->scale;
    load_target_apart(run, first, group->lanes);
    if (job->memory != NULL)
        load_apart((const float *)job->memory + first * job->classes, job->classes,
                   group->lanes, run->m);
}

/* The softmax of the views of pass `g` over the group. */
static void softmax_group(lane_run *run, const lane_group *group, size_t g)
{
    const jsni_loss_job *job = run->job;
    const float *logits = (const float *)job->logits + group->sample * job->classes;
    const size_t step = job->samples * job->classes;
    for (size_t v = 0; v < run->row.views; v++) {
        load_apart(logits + (g + v) * step, job->classes, group->lanes,
                   run->d + v * run->row.chunks);
        if (job->clip != NULL)
            softmax_clipped(run, v);
        else
            softmax_apart(run, v);
    }
    if (g > 0)
        return;
    /* Here there is time: what follows waits for the logarithm. */
    if (job->table != NULL)
        load_table_apart(job, group->sample, group->lanes, run->m);
}

/* Takes `part`, what the row function of the group returned. */
static void end_row(lane_run *run, lane_group *group, size_t g, jsni_real part)
{
    const jsni_loss_job *job = run->job;
    const size_t first = group->sample * job->classes;
    if (is_in_place(job))
        check_values(run, group->sample, group->lanes,
                     first + g * job->samples * job->classes, part);
    group->value = group->value + part;
}

static void evaluate_groups(lane_run *runs, lane_group *groups, size_t count, size_t g)
{
    if (runs->pair == NULL || count != GROUPS_TOGETHER) {
        for (size_t i = 0; i < count; i++) {
            clear_grad(&runs[i]);
            end_row(&runs[i], &groups[i], g, evaluate_row(&runs[i]));
        }
        return;
    }
    const jsni_row *rows[GROUPS_TOGETHER];
    jsni_grad *grads[GROUPS_TOGETHER];
    jsni_real values[GROUPS_TOGETHER];
    for (size_t i = 0; i < GROUPS_TOGETHER; i++) {
        clear_grad(&runs[i]);
        rows[i] = &runs[i].row;
        grads[i] = runs[i].grad;
    }
    runs->pair(rows, grads, values);
    for (size_t i = 0; i < GROUPS_TOGETHER; i++)
        end_row(&runs[i], &groups[i], g, values[i]);
}

/* Groups [0, count), which lie behind each other from sample `first` on, each with a run of
 * its own: what one of them waits for is computed beside the work of the next. */
static void groups_apart(lane_run *runs, size_t count, size_t first, size_t last)
{
    const jsni_loss_job *job = runs->job;
    const size_t step = job->samples * job->classes;
    const size_t passes = job->joint ? 1 : job->views_read;
    lane_group groups[GROUPS_TOGETHER];
    for (size_t i = 0; i < count; i++)
        begin_group(&runs[i], &groups[i], first + i * JSNI_LANES, last);
    for (size_t g = 0; g < passes; g++) {
        for (size_t i = 0; i < count; i++)
            softmax_group(&runs[i], &groups[i], g);
        evaluate_groups(runs, groups, count, g);
        for (size_t i = 0; i < count && job->grad != NULL; i++)
            for (size_t v = 0; v < runs[i].row.views; v++)
                write_apart(&runs[i], v, groups[i].scale, groups[i].sample,
                            groups[i].lanes,
                            groups[i].sample * job->classes + (g + v) * step);
    }
    for (size_t i = 0; i < count && job->memory != NULL; i++)
        store_apart(job, groups[i].sample, groups[i].lanes, runs[i].m,
                    (float *)job->memory + groups[i].sample * job->classes);
    const jsni_scalar each = 1.0f / (float)passes;
    for (size_t i = 0; i < count; i++) {
        if (!runs[i].row.soft)
            clear_labels(job, groups[i].sample, groups[i].lanes, runs[i].t);
        take_values(&runs[i], &groups[i], groups[i].value * each);
    }
}
#endif

#endif /* JSNI_LOSS_LANE_APART_H */
