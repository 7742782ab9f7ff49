#include "structure/loop_search.h"

#include "base/map.h"

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

/* Whether the loop makes some call twice, also with the same size. */
static bool repeats_a_call(struct loop_search *f, const struct loop *loop)
{
    struct map seen = {0};
    bool repeats = false;
    for (uint32_t c = loop->begin[0]; c < loop->begin[loop->iterations] && !repeats; c++) {
        uint32_t *first = map_at(&seen, f->all->which[ALIKE_IN_SIZE][c], c);
        f->out_of_memory |= !first;
        repeats = !first || *first != c;
    }
    map_clear(&seen);
    return repeats;
}

/* The calls of the loop without its first iteration if no other one has as many calls: it may
 * come before the loop. */
static size_t typical_calls(const struct loop *loop)
{
    const uint32_t *begin = loop->begin, first = begin[1] - begin[0];
    size_t i = 1;
    while (i < loop->iterations && begin[i + 1] - begin[i] != first)
        i++;
    return loop_call_count(loop) - (i == loop->iterations ? first : 0);
}

void loop_keep(struct loop_search *f, struct loop loop)
{
    if (loop.iterations < FEW && !repeats_a_call(f, &loop)) {
        free(loop.begin);
        return;
    }
    for (size_t i = 0; i < f->loops->count; i++) {
        struct loop *known = &f->loops->items[i];
        if (known->iterations != loop.iterations || known->likeness != loop.likeness)
            continue;
        const size_t a = typical_calls(&loop), b = typical_calls(known);
        const bool much = 20 * a > 21 * b, less = 20 * b > 21 * a;
        const bool better =
            loop.random != known->random         ? known->random
            : loop.lacks_end != known->lacks_end ? known->lacks_end
            : loop.single != known->single       ? loop.single
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
