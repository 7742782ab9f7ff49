#include "replay/model/bounds.h"

#include <stdlib.h>

struct waiting_end {
    uint32_t path;
    size_t end;
    int64_t wait;
};

static int by_path(const void *a, const void *b)
{
    const struct waiting_end *x = a, *y = b;
    if (x->path != y->path)
        return x->path < y->path ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

static int by_time(const void *a, const void *b)
{
    const struct bound *x = a, *y = b;
    if (x->last_time != y->last_time)
        return x->last_time < y->last_time ? -1 : 1;
    return x->path < y->path ? -1 : x->path > y->path;
}

/* The bound of one call path; its waits are list[0 .. count - 1], `ends` has room for them. */
static struct bound bound_of(struct critical *critical, struct evaluator *evaluator,
                             const struct waiting_end *list, size_t count, size_t *ends)
{
    struct bound bound = {.path = list[0].path, .calls = count};
    for (size_t i = 0; i < count; i++) {
        ends[i] = list[i].end;
        bound.wait += list[i].wait;
    }
    bound.last_time = critical_without(critical, evaluator, ends, count);
    return bound;
}

enum status bounds_of_waits(struct critical *critical, struct evaluator *evaluator,
                            const uint32_t *paths, struct bounds *bounds, struct error *error)
{
    size_t count = critical->equations->first_end[critical->equations->rank_count], waiting = 0;
    struct waiting_end *list = malloc((count + 1) * sizeof *list);
    size_t *ends = malloc((count + 1) * sizeof *ends);
    bool room = list && ends;
    for (size_t end = 0; end < count && room; end++) {
        struct waiting_call call = critical_call(critical, end);
        if (call.wait > 0)
            list[waiting++] = (struct waiting_end){paths[end], end, call.wait};
    }
    if (room && waiting > 0)
        qsort(list, waiting, sizeof *list, by_path);
    for (size_t first = 0, next; first < waiting && room; first = next) {
        next = first;
        while (next < waiting && list[next].path == list[first].path)
            next++;
        struct bound bound = bound_of(critical, evaluator, list + first, next - first, ends);
        room = array_push(&bounds->list, bound);
    }
    free(list);
    free(ends);
    if (room && bounds->list.count > 0)
        qsort(bounds->list.items, bounds->list.count, sizeof *bounds->list.items, by_time);
    return room ? STATUS_OK : error_memory(error, "the bounds");
}
