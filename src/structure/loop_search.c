#include "structure/loop_search.h"

#include <stdlib.h>

uint32_t callpath_depth(const struct trace *trace, uint32_t path)
{
    uint32_t depth = 0;
    for (; path != CALLPATH_NONE; path = trace->calltree.paths.items[path].parent)
        depth++;
    return depth;
}

size_t loop_call_count(const struct loop *loop)
{
    return loop->begin[loop->iterations] - loop->begin[0];
}

void loop_keep(struct loop_search *f, struct loop loop)
{
    for (size_t i = 0; i < f->loops->count; i++) {
        struct loop *known = &f->loops->items[i];
        if (known->iterations != loop.iterations || known->likeness != loop.likeness)
            continue;
        const size_t a = loop_call_count(&loop), b = loop_call_count(known);
        const bool much = 20 * a > 21 * b, less = 20 * b > 21 * a;
        const bool better =
            loop.random != known->random   ? known->random
            : loop.single != known->single ? loop.single
            : loop.sparse != known->sparse
                ? known->sparse
                : much ||
                      (!less && (loop.depth < known->depth ||
                                 (loop.depth == known->depth && loop.begin[0] < known->begin[0])));
        loop.nested |= known->nested && !much;
        known->nested |= loop.nested && !less;
        loop.decorates |= known->decorates && !much;
        known->decorates |= loop.decorates && !less;
        if (better) {
            struct loop other = *known;
            *known = loop;
            loop = other;
        }
        free(loop.begin);
        return;
    }
    if (!array_push(f->loops, loop)) {
        free(loop.begin);
        f->out_of_memory = true;
    }
}
