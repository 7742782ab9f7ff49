#include "replay/model/domino.h"

#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>

/* Calls that may be on a path, by rank, with the results so far. */
struct domino_candidate {
    struct waiting_call call;
    int64_t last_time; /* without its wait, or UNKNOWN */
};

#define UNKNOWN INT64_MAX

struct domino_search {
    struct critical *critical;
    struct evaluator *evaluator;
    ARRAY(struct domino_candidate) candidates; /* longest wait first */
};

static int compare_waits(const void *a, const void *b)
{
    const struct domino_candidate *x = a, *y = b;
    return ORDER(y->call.wait, x->call.wait) ?: ORDER(y->call.end, x->call.end);
}

static bool add_domino_candidate(struct domino_search *search, struct waiting_call call)
{
    struct domino_candidate candidate = {call, UNKNOWN};
    return array_push(&search->candidates, candidate);
}

static bool find_candidates(struct domino_search *search, bool naive)
{
    const struct equations *equations = search->critical->equations;
    struct waiting_calls path = {0};
    bool room = true;
    if (naive) {
        for (size_t end = 0; end < equations->first_end[equations->rank_count] && room; end++) {
            struct waiting_call call = critical_call(search->critical, end);
            room = !waits_enough(search->critical, &call) || add_domino_candidate(search, call);
        }
    } else {
        room = critical_path(search->critical, &path);
        for (size_t i = 0; i < path.list.count && room; i++)
            room = !waits_enough(search->critical, &path.list.items[i]) ||
                   add_domino_candidate(search, path.list.items[i]);
        free(path.list.items);
    }
    if (room && search->candidates.count > 0)
        qsort(search->candidates.items, search->candidates.count, sizeof *search->candidates.items,
              compare_waits);
    return room;
}

static int64_t time_without(struct domino_search *search, struct domino_candidate *candidate)
{
    if (candidate->last_time == UNKNOWN)
        candidate->last_time =
            critical_without(search->critical, search->evaluator, &candidate->call.end, 1);
    return candidate->last_time;
}

/* The call of a rank before end `limit` without whose wait T is smallest; of several the last one.
 * NULL if none reduces T below `time`. A wait of w reduces T by at most w. */
static struct domino_candidate *best_of(struct domino_search *search, uint32_t rank, size_t limit,
                                        int64_t time)
{
    struct domino_candidate *best = NULL;
    for (size_t i = 0; i < search->candidates.count; i++) {
        struct domino_candidate *candidate = &search->candidates.items[i];
        int64_t floor = search->critical->last_time - candidate->call.wait;
        if (floor > (best ? best->last_time : time))
            break;
        if (candidate->call.rank != rank || candidate->call.end >= limit)
            continue;
        int64_t without = time_without(search, candidate);
        if (best ? without < best->last_time ||
                       (without == best->last_time && candidate->call.end > best->call.end)
                 : without < time)
            best = candidate;
    }
    return best;
}

/* Follows the path from the last event of `rank`; sets `*time` to its T. False if out of memory. */
static bool follow_path(struct domino_search *search, uint32_t rank, struct domino *domino,
                        int64_t *time)
{
    size_t limit = search->critical->equations->first_end[rank + 1];
    domino->path.count = 0;
    *time = search->critical->last_time;
    for (;;) {
        struct domino_candidate *best = best_of(search, rank, limit, *time);
        if (!best) /* T no longer falls; so no call occurs twice either */
            return true;
        struct domino_call next = {best->call, best->last_time};
        if (!array_push(&domino->path, next))
            return false;
        *time = best->last_time;
        rank = best->call.other_rank;
        limit = best->call.other_end;
    }
}

enum status domino_find(struct critical *critical, struct evaluator *evaluator, bool naive,
                        struct domino *domino, struct error *error)
{
    struct domino_search search = {.critical = critical, .evaluator = evaluator};
    bool room = find_candidates(&search, naive);
    uint32_t best_rank = 0;
    int64_t best = INT64_MAX, time;
    for (uint32_t rank = 0; rank < critical->equations->rank_count && room; rank++) {
        room = follow_path(&search, rank, domino, &time);
        if (time < best) {
            best = time;
            best_rank = rank;
        }
    }
    room = room && follow_path(&search, best_rank, domino, &time);
    free(search.candidates.items);
    return room ? STATUS_OK : error_memory(error, "the domino path");
}

size_t longest_waits(const struct critical *critical, size_t *ends, size_t count)
{
    assert(count == 0 || ends);
    const struct equations *equations = critical->equations;
    struct domino_candidate longest[count + 1];
    size_t found = 0;
    for (size_t end = 0; end < equations->first_end[equations->rank_count]; end++) {
        struct domino_candidate fresh = {critical_call(critical, end), UNKNOWN};
        size_t place = found;
        if (!waits_enough(critical, &fresh.call))
            continue;
        for (; place > 0 && compare_waits(&fresh, &longest[place - 1]) < 0; place--)
            longest[place] = longest[place - 1];
        if (place < count)
            longest[place] = fresh;
        found += found < count;
    }
    for (size_t i = 0; i < found; i++)
        ends[i] = longest[i].call.end;
    return found;
}

enum status domino_weigh(struct critical *critical, struct evaluator *evaluator,
                         const struct domino *domino, struct domino_effect *effect,
                         struct error *error)
{
    size_t count = domino->path.count;
    size_t *ends = malloc((count + 1) * sizeof *ends);
    if (!ends)
        return error_memory(error, "the domino path");
    for (size_t i = 0; i < count; i++)
        ends[i] = domino->path.items[i].call.end;
    effect->without_path = critical_without(critical, evaluator, ends, count);
    effect->longest_count = longest_waits(critical, ends, count);
    effect->without_longest = critical_without(critical, evaluator, ends, effect->longest_count);
    free(ends);
    return STATUS_OK;
}

struct waiting_end {
    uint32_t path;
    size_t end;
    int64_t wait;
};

static int compare_paths(const void *a, const void *b)
{
    const struct waiting_end *x = a, *y = b;
    return ORDER(x->path, y->path) ?: ORDER(x->end, y->end);
}

static int compare_bounds(const void *a, const void *b)
{
    const struct bound *x = a, *y = b;
    return ORDER(x->last_time, y->last_time) ?: ORDER(x->path, y->path);
}

/* The bound of one call path; its waits are list[0 .. count - 1], `ends` has room for them. */
static struct bound bound_without(struct critical *critical, struct evaluator *evaluator,
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
        if (waits_enough(critical, &call))
            list[waiting++] = (struct waiting_end){paths[end], end, call.wait};
    }
    if (room && waiting > 0)
        qsort(list, waiting, sizeof *list, compare_paths);
    for (size_t first = 0, next; first < waiting && room; first = next) {
        next = first;
        while (next < waiting && list[next].path == list[first].path)
            next++;
        struct bound bound = bound_without(critical, evaluator, list + first, next - first, ends);
        room = array_push(&bounds->list, bound);
    }
    free(list);
    free(ends);
    if (room && bounds->list.count > 0)
        qsort(bounds->list.items, bounds->list.count, sizeof *bounds->list.items, compare_bounds);
    return room ? STATUS_OK : error_memory(error, "the bounds");
}
