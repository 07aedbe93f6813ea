/* backend/cuda/cuda_make_grad.c - the gradients of the nodes while the backward half is
 * made: stored in a buffer, or lazy (see cuda_make.h). */
#include "backend/cuda/cuda_make.h"

bool jsni_grad_wanted(const jsni_make *b, size_t n)
{
    return n != 0 || b->options.input_gradient;
}

bool jsni_grad_exists(const jsni_make *b, size_t n)
{
    return b->nodes[n].grad != JSNI_NO_BUFFER;
}

void jsni_grad_forget(jsni_make *b, size_t n)
{
    jsni_make_drop(b, b->nodes[n].grad);
    jsni_make_drop(b, b->nodes[n].skip);
    b->nodes[n].grad = b->nodes[n].skip = JSNI_NO_BUFFER;
    b->nodes[n].lazy = JSNI_NONE;
}

void jsni_grad_now_stored(jsni_make *b, size_t n, int to)
{
    jsni_grad_forget(b, n);
    b->nodes[n].grad = to;
}

void jsni_make_finish_back(jsni_make *b, size_t norm)
{
    if (!b->nodes[norm].unfinished)
        return;
    b->nodes[norm].unfinished = false;
    jsni_norm_args *a = &jsni_make_task(b, JSNI_TASK_NORM_BACK_FINISH, norm)->as.norm;
    *a = jsni_make_norm_args(b, norm);
    a->exact = jsni_make_exact(b, b->nodes[norm].back_sums);
    a->part = NULL;
}

int jsni_grad_stored(jsni_make *b, size_t n)
{
    const size_t norm = b->nodes[n].lazy;
    if (norm == JSNI_NONE)
        return b->nodes[n].grad;
    jsni_make_finish_back(b, norm);
    const int to = jsni_make_buffer_new(b, jsni_make_bytes(b, n));
    jsni_norm_args a = jsni_make_norm_args(b, norm);
    a.dy = jsni_make_at(b, b->nodes[n].grad);
    a.skip = jsni_make_at(b, b->nodes[n].skip);
    a.y = jsni_make_at(b, to);
    jsni_task *t = jsni_make_task(b, JSNI_TASK_NORM_BACK_APPLY, norm);
    t->as.norm = a;
    t->flag = b->nodes[n].masked;
    jsni_grad_now_stored(b, n, to);
    return to;
}

void jsni_grad_add(jsni_make *b, size_t n, int buffer)
{
    jsni_make_node *node = &b->nodes[n];
    if (!jsni_grad_exists(b, n)) {
        jsni_make_keep(b, buffer);
        node->grad = buffer;
        return;
    }
    if (node->lazy != JSNI_NONE && node->skip == JSNI_NO_BUFFER) {
        jsni_make_keep(b, buffer);
        node->skip = buffer;
        return;
    }
    const int before = jsni_grad_stored(b, n);
    const int to = jsni_make_buffer_new(b, jsni_make_bytes(b, n));
    jsni_task_map *m = &jsni_make_task(b, JSNI_TASK_ADD, n)->as.map;
    m->a = jsni_make_at(b, before);
    m->b = jsni_make_at(b, buffer);
    m->y = jsni_make_at(b, to);
    m->count = (long long)(b->images * jsni_shape_count(b->graph->nodes[n].shape));
    m->half = node->half;
    jsni_grad_now_stored(b, n, to);
}

void jsni_grad_add_lazy(jsni_make *b, size_t norm, int g, bool masked)
{
    const size_t n = jsni_make_norm_source(b, norm);
    jsni_make_node *node = &b->nodes[n];
    if (!jsni_grad_wanted(b, n)) {
        jsni_make_finish_back(b, norm);
        jsni_make_drop(b, g);
        return;
    }
    int skip = JSNI_NO_BUFFER;
    if (jsni_grad_exists(b, n)) {
        skip = jsni_grad_stored(b, n);
        jsni_make_keep(b, skip);
        jsni_grad_forget(b, n);
    }
    node->grad = g;
    node->lazy = norm;
    node->masked = masked;
    node->skip = skip;
}
