/* backend/onednn/dn_fuse.c - which nodes become steps, and which disappear into the
 * reading or the writing of others.
 *
 *   BatchNorm of a stored tensor        reading it
 *   ReLU of a BatchNorm or of a tensor  reading it
 *   add of a convolution and a tensor   the convolution's writing
 *   ReLU of an add                      the add's writing
 *   flatten of one pixel                nothing
 */
#include <string.h>

#include "backend/onednn/dn_plan.h"
#include "core/alloc.h"
#include "core/fail.h"

typedef struct fuser {
    dn_plan *plan;
    const jsni_graph *graph;
    size_t most; /* room in every array */
} fuser;

static size_t tensor_add(fuser *f, jsni_shape shape, bool plain, size_t step)
{
    dn_plan *plan = f->plan;
    const size_t lanes = plan->kernels->lanes, number = plan->tensor_count++;
    dn_tensor *t = &plan->tensors[number];
    *t = (dn_tensor){.shape = shape, .plain = plain, .step = step, .buffer = JSNI_NONE};
    t->blocks = (shape.channels + lanes - 1) / lanes;
    t->pixels = shape.height * shape.width;
    t->floats = plain ? shape.channels * t->pixels : t->blocks * lanes * t->pixels;
    t->value = plan->value_count;
    plan->values[plan->value_count++] = (dn_value){.tensor = number,
                                                   .norm = JSNI_NONE,
                                                   .completed = JSNI_NONE,
                                                   .gradient = JSNI_NONE};
    return number;
}

/* A step of `node` that reads `in`; its result has `shape`. Returns its value. */
static size_t step_add(fuser *f, dn_kind kind, size_t node, size_t one, size_t other,
                       jsni_shape shape)
{
    dn_plan *plan = f->plan;
    const size_t number = plan->step_count++;
    const size_t tensor = tensor_add(f, shape, false, number);
    dn_step *step = &plan->steps[number];
    *step = (dn_step){.kind = kind, .node = node, .in = {one, other}, .out = tensor};
    step->direct = step->g = step->parts = step->again = step->finish = JSNI_NONE;
    for (int i = 0; i < 2; i++)
        step->back[i] = (dn_back){JSNI_NONE, JSNI_NONE};
    f->plan->node_step[node] = number;
    return plan->tensors[tensor].value;
}

static bool is_stored(const dn_plan *plan, size_t value)
{
    return plan->tensors[plan->values[value].tensor].value == value;
}

/* The value as a tensor of its own. */
static size_t store(fuser *f, size_t node, size_t value)
{
    if (is_stored(f->plan, value))
        return value;
    const size_t tensor = f->plan->values[value].tensor;
    const size_t kept = f->plan->node_step[node];
    const size_t stored =
        step_add(f, DN_COMBINE, node, value, JSNI_NONE, f->plan->tensors[tensor].shape);
    if (kept != JSNI_NONE)
        f->plan->node_step[node] = kept;
    return stored;
}

/* The input of a node, stored for its other readers, too, when `stored`. */
static size_t read_input(fuser *f, size_t node, size_t input, bool stored)
{
    const size_t from = f->graph->nodes[node].input[input];
    if (stored)
        f->plan->node_value[from] = store(f, from, f->plan->node_value[from]);
    return f->plan->node_value[from];
}

static size_t fuse_norm(fuser *f, size_t node)
{
    dn_plan *plan = f->plan;
    const size_t from = read_input(f, node, 0, true);
    const size_t tensor = plan->values[from].tensor;
    plan->tensors[tensor].normed = true;
    const jsni_shape shape = plan->tensors[tensor].shape;
    plan->norms[plan->norm_count] =
        (dn_norm){.node = node,
                  .tensor = tensor,
                  .channels = shape.channels,
                  .full = plan->tensors[tensor].blocks * plan->kernels->lanes};
    plan->values[plan->value_count] = (dn_value){.tensor = tensor,
                                                 .norm = plan->norm_count++,
                                                 .completed = JSNI_NONE,
                                                 .gradient = JSNI_NONE};
    plan->node_step[node] = plan->tensors[tensor].step;
    return plan->value_count++;
}

static size_t fuse_relu(fuser *f, size_t node)
{
    dn_plan *plan = f->plan;
    const size_t from = f->graph->nodes[node].input[0];
    const bool alone = f->graph->nodes[from].users == 1;
    const bool six = f->graph->nodes[node].op.kind == JSNI_OP_RELU6;
    size_t value = plan->node_value[from];
    dn_value *v = &plan->values[value];
    plan->node_step[node] = plan->node_step[from];
    if (v->relu && (v->six || !six))
        return value;
    if (v->norm != JSNI_NONE && alone && !v->relu) {
        v->relu = true;
        v->six = six;
        plan->node_value[from] = JSNI_NONE;
        return value;
    }
    value = read_input(f, node, 0, true);
    const size_t tensor = plan->values[value].tensor;
    dn_step *maker = &plan->steps[plan->tensors[tensor].step];
    if (alone && !six && maker->kind == DN_COMBINE &&
        f->graph->nodes[from].op.kind == JSNI_OP_ADD) {
        maker->relu = true;
        plan->node_value[from] = JSNI_NONE;
        return value;
    }
    plan->values[plan->value_count] = (dn_value){.tensor = tensor,
                                                 .norm = JSNI_NONE,
                                                 .relu = true,
                                                 .six = six,
                                                 .completed = JSNI_NONE,
                                                 .gradient = JSNI_NONE};
    return plan->value_count++;
}

/* Whether node `conv` can write the sum with the value of node `other`. */
static bool can_write_sum(const fuser *f, size_t conv, size_t other)
{
    const dn_plan *plan = f->plan;
    const jsni_node *node = &f->graph->nodes[conv];
    if (node->op.kind != JSNI_OP_CONV || node->users != 1 || conv == other)
        return false;
    const size_t value = plan->node_value[conv], with = plan->node_value[other];
    if (value == JSNI_NONE || !is_stored(plan, value) || !is_stored(plan, with))
        return false;
    const size_t maker = plan->tensors[plan->values[value].tensor].step;
    const dn_tensor *added = &plan->tensors[plan->values[with].tensor];
    return plan->steps[maker].in[1] == JSNI_NONE && added->step < maker &&
           !added->plain;
}

static size_t fuse_add(fuser *f, size_t node)
{
    dn_plan *plan = f->plan;
    const size_t *input = f->graph->nodes[node].input;
    /* the later convolution, where both are */
    const int later = input[1] > input[0];
    for (int k = 0; k < 2; k++) {
        const size_t conv = input[k == 0 ? later : !later];
        const size_t other = input[k == 0 ? !later : later];
        if (!can_write_sum(f, conv, other))
            continue;
        const size_t value = plan->node_value[conv];
        const size_t step = plan->tensors[plan->values[value].tensor].step;
        plan->steps[step].in[1] = plan->node_value[other];
        plan->node_value[conv] = JSNI_NONE;
        plan->node_step[node] = step;
        return value;
    }
    return step_add(f, DN_COMBINE, node, plan->node_value[input[0]],
                    plan->node_value[input[1]], f->graph->nodes[node].shape);
}

static size_t fuse_linear(fuser *f, size_t node)
{
    const jsni_shape in = jsni_graph_input_shape(f->graph, node);
    size_t value = read_input(f, node, 0, false);
    if (in.height * in.width > 1) {
        const jsni_shape flat = {jsni_shape_count(in), 1, 1};
        value = step_add(f, DN_FLATTEN, node, value, JSNI_NONE, flat);
    } else {
        value = read_input(f, node, 0, true);
    }
    return step_add(f, DN_LINEAR, node, value, JSNI_NONE, f->graph->nodes[node].shape);
}

static size_t fuse_flatten(fuser *f, size_t node)
{
    const jsni_shape in = jsni_graph_input_shape(f->graph, node);
    const size_t value = read_input(f, node, 0, false);
    if (in.height * in.width > 1)
        return step_add(f, DN_FLATTEN, node, value, JSNI_NONE,
                        f->graph->nodes[node].shape);
    f->plan->node_step[node] = f->plan->node_step[f->graph->nodes[node].input[0]];
    return value;
}

/* Images stay as they come where every reader can take them so: few channels into a
 * convolution, or a flatten. */
static bool input_stays_plain(const fuser *f)
{
    const jsni_shape shape = f->graph->nodes[0].shape;
    bool plain = shape.height * shape.width > 1;
    for (size_t i = 1; i < f->graph->node_count; i++)
        for (size_t k = 0; k < f->graph->nodes[i].inputs; k++)
            if (f->graph->nodes[i].input[k] == 0) {
                const jsni_op_kind kind = f->graph->nodes[i].op.kind;
                plain = plain && ((kind == JSNI_OP_CONV && shape.channels <= 4) ||
                                  kind == JSNI_OP_FLATTEN);
            }
    return plain;
}

static size_t fuse_node(fuser *f, size_t node)
{
    const jsni_node *n = &f->graph->nodes[node];
    switch (n->op.kind) {
    case JSNI_OP_NORM:
        return fuse_norm(f, node);
    case JSNI_OP_RELU:
    case JSNI_OP_RELU6:
        return fuse_relu(f, node);
    case JSNI_OP_ADD:
        return fuse_add(f, node);
    case JSNI_OP_LINEAR:
        return fuse_linear(f, node);
    case JSNI_OP_FLATTEN:
        return fuse_flatten(f, node);
    default:
        break;
    }
    static const dn_kind kinds[JSNI_OP_KIND_COUNT] = {
        [JSNI_OP_INPUT] = DN_INPUT,         [JSNI_OP_CONV] = DN_CONV,
        [JSNI_OP_MAX_POOL] = DN_MAX_POOL,   [JSNI_OP_AVG_POOL] = DN_AVG_POOL,
        [JSNI_OP_DROPOUT] = DN_DROPOUT,     [JSNI_OP_ADAPTIVE_POOL] = DN_ADAPTIVE_POOL,
        [JSNI_OP_DEPTHWISE] = DN_DEPTHWISE,
    };
    return step_add(f, kinds[n->op.kind], node, read_input(f, node, 0, false),
                    JSNI_NONE, n->shape);
}

static void fuse_input(fuser *f)
{
    dn_plan *plan = f->plan;
    const size_t value =
        step_add(f, DN_INPUT, 0, JSNI_NONE, JSNI_NONE, f->graph->nodes[0].shape);
    dn_tensor *t = &plan->tensors[plan->values[value].tensor];
    if (input_stays_plain(f)) {
        t->plain = true;
        t->floats = jsni_shape_count(t->shape);
    }
    plan->node_value[0] = value;
}

/* Whose gradient is wanted. */
static void find_needs(dn_plan *plan)
{
    for (size_t s = 0; s < plan->step_count; s++) {
        const dn_step *step = &plan->steps[s];
        bool needs = step->kind == DN_CONV || step->kind == DN_DEPTHWISE ||
                     step->kind == DN_LINEAR ||
                     (step->kind == DN_INPUT && plan->host.options.input_gradient);
        for (int k = 0; k < 2; k++)
            if (step->in[k] != JSNI_NONE) {
                dn_value *v = &plan->values[step->in[k]];
                v->needs = v->norm != JSNI_NONE || plan->tensors[v->tensor].needs;
                needs = needs || v->needs;
            }
        plan->tensors[step->out].needs = needs && plan->host.options.training;
    }
    for (size_t v = 0; v < plan->value_count; v++)
        plan->values[v].needs = plan->values[v].needs && plan->host.options.training;
}

jsn_status jsni_dn_fuse(dn_plan *plan)
{
    const jsni_graph *graph = plan->host.base.graph;
    /* a node gives at most two steps (flatten, linear) and its inputs one each */
    const size_t nodes = graph->node_count, most = 4 * nodes + 4;
    fuser f = {plan, graph, most};
    JSNI_TRY_ALLOC(plan->tensors = jsni_alloc_zero(most, sizeof *plan->tensors));
    JSNI_TRY_ALLOC(plan->values = jsni_alloc_zero(2 * most, sizeof *plan->values));
    JSNI_TRY_ALLOC(plan->norms = jsni_alloc_zero(nodes, sizeof *plan->norms));
    JSNI_TRY_ALLOC(plan->steps = jsni_alloc_zero(most, sizeof *plan->steps));
    JSNI_TRY_ALLOC(plan->node_value = jsni_alloc(nodes, sizeof *plan->node_value));
    JSNI_TRY_ALLOC(plan->node_step = jsni_alloc(nodes, sizeof *plan->node_step));
    for (size_t i = 0; i < nodes; i++)
        plan->node_value[i] = plan->node_step[i] = JSNI_NONE;
    fuse_input(&f);
    for (size_t i = 1; i < nodes; i++)
        plan->node_value[i] = fuse_node(&f, i);
    const size_t last = nodes - 1;
    plan->node_value[last] = store(&f, last, plan->node_value[last]);
    plan->output = plan->values[plan->node_value[last]].tensor;
    find_needs(plan);
    return JSN_OK;
}
