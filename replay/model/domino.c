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

ORDER_BY(compare_waits, struct domino_candidate, DESCENDING(call.wait) ?: DESCENDING(call.end))

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
 * NULL if none makes T `most` or less. A wait of w reduces T by at most w. */
static struct domino_candidate *best_of(struct domino_search *search, uint32_t rank, size_t limit,
                                        int64_t most)
{
    struct domino_candidate *best = NULL;
    for (size_t i = 0; i < search->candidates.count; i++) {
        struct domino_candidate *candidate = &search->candidates.items[i];
        int64_t floor = search->critical->last_time - candidate->call.wait;
        if (floor > (best ? best->last_time : most))
            break;
        if (candidate->call.rank != rank || candidate->call.end >= limit)
            continue;
        int64_t without = time_without(search, candidate);
        if (best ? without < best->last_time ||
                       (without == best->last_time && candidate->call.end > best->call.end)
                 : without <= most)
            best = candidate;
    }
    return best;
}

/* The next call of a path with this T, on `rank` before end `limit`; false: the path ends. Of calls
 * without an effect on T, which are not candidates, it is the last one. */
static bool find_next(struct domino_search *search, uint32_t rank, size_t limit, int64_t time,
                      struct domino_call *next)
{
    const struct critical *critical = search->critical;
    const bool any_will_do = time == critical->last_time && critical->least_wait <= 1;
    const struct domino_candidate *best =
        best_of(search, rank, limit, time < critical->last_time ? time : critical->last_time - 1);
    if (best) {
        *next = (struct domino_call){best->call, best->last_time};
        return true;
    }
    for (size_t end = limit; any_will_do && end > critical->equations->first_end[rank];) {
        *next = (struct domino_call){critical_call(critical, --end), time};
        if (waits_enough(critical, &next->call))
            return true;
    }
    return false;
}

/* The path from the last event of a rank. */
struct followed_path {
    int64_t last_time; /* T */
    size_t count;      /* calls */
    size_t gaining;    /* those whose waits have an effect alone */
};

/* Follows the path from the last event of `rank`. Adds its calls to `domino`, unless that is NULL,
 * except those that are `known` [end]. Sets `*room` to false if out of memory.
 *
 * The path steps back in time, so no call occurs twice. */
static struct followed_path follow_path(struct domino_search *search, uint32_t rank,
                                        struct domino *domino, bool *known, bool *room)
{
    size_t limit = search->critical->equations->first_end[rank + 1];
    struct followed_path path = {.last_time = search->critical->last_time};
    struct domino_call next;
    while (*room && find_next(search, rank, limit, path.last_time, &next)) {
        assert(next.last_time <= path.last_time);
        path.last_time = next.last_time;
        path.count++;
        path.gaining += next.last_time < search->critical->last_time;
        if (domino && !known[next.call.end]) {
            *room = array_push(&domino->calls, next);
            known[next.call.end] = true;
        }
        rank = next.call.other_rank;
        limit = next.call.other_end;
    }
    return path;
}

static int compare_followed(const struct followed_path *x, const struct followed_path *y)
{
    return ORDER(x->last_time, y->last_time)
               ?: ORDER(y->gaining, x->gaining)
               ?: ORDER(x->count, y->count);
}

/* Adds the calls of all paths with the T of that of rank `first`, and begins with that. */
static bool collect_paths(struct domino_search *search, const struct followed_path *paths,
                          uint32_t first, struct domino *domino)
{
    const struct equations *equations = search->critical->equations;
    bool *known = calloc(equations->first_end[equations->rank_count] + 1, sizeof *known);
    bool room = known;
    if (room)
        follow_path(search, first, domino, known, &room);
    domino->first_count = domino->calls.count;
    for (uint32_t rank = 0; rank < equations->rank_count && room; rank++)
        if (paths[rank].last_time == paths[first].last_time) {
            domino->path_count++;
            follow_path(search, rank, domino, known, &room);
        }
    free(known);
    return room;
}

enum status domino_find(struct critical *critical, struct evaluator *evaluator, bool naive,
                        struct domino *domino, struct error *error)
{
    struct domino_search search = {.critical = critical, .evaluator = evaluator};
    const uint32_t ranks = critical->equations->rank_count;
    struct followed_path *paths = malloc((ranks + 1ul) * sizeof *paths);
    bool room = paths && find_candidates(&search, naive);
    uint32_t first = 0;
    domino->calls.count = domino->first_count = domino->path_count = 0;
    for (uint32_t rank = 0; rank < ranks && room; rank++) {
        paths[rank] = follow_path(&search, rank, NULL, NULL, &room);
        if (compare_followed(&paths[rank], &paths[first]) < 0)
            first = rank;
    }
    if (room && ranks > 0 && paths[first].last_time < critical->last_time)
        room = collect_paths(&search, paths, first, domino);
    free(search.candidates.items);
    free(paths);
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
                         const struct domino_call *calls, size_t count,
                         struct domino_effect *effect, struct error *error)
{
    assert(count == 0 || calls);
    size_t *ends = malloc((count + 1) * sizeof *ends);
    if (!ends)
        return error_memory(error, "the domino path");
    for (size_t i = 0; i < count; i++)
        ends[i] = calls[i].call.end;
    effect->without_path = critical_without(critical, evaluator, ends, count);
    effect->longest_count = longest_waits(critical, ends, count);
    effect->without_longest = critical_without(critical, evaluator, ends, effect->longest_count);
    free(ends);
    return STATUS_OK;
}

enum status domino_repeat(struct critical *critical, struct evaluator *evaluator, double least_gain,
                          struct domino_steps *steps, struct error *error)
{
    const int64_t whole = critical->last_time;
    struct domino domino = {0};
    enum status status;
    for (;;) {
        const int64_t before = critical->last_time;
        status = domino_find(critical, evaluator, false, &domino, error);
        if (status != STATUS_OK || domino.calls.count == 0)
            break;
        for (size_t i = 0; i < domino.calls.count; i++)
            critical_skip(critical, domino.calls.items[i].call.end, true);
        critical_update(critical, evaluator);
        const struct domino_step step = {domino.calls.count, critical->last_time};
        const bool gains = (double)(before - step.last_time) >= least_gain * (double)whole;
        bool room = true;
        for (size_t i = 0; i < domino.calls.count && gains && room; i++)
            room = array_push(&steps->calls, domino.calls.items[i]);
        if (!room || (gains && !array_push(&steps->list, step)))
            status = error_memory(error, "the domino paths");
        for (size_t i = 0; i < domino.calls.count && !gains; i++)
            critical_skip(critical, domino.calls.items[i].call.end, false);
        if (!gains || status != STATUS_OK)
            break;
    }
    for (size_t i = 0; i < steps->calls.count; i++)
        critical_skip(critical, steps->calls.items[i].call.end, false);
    critical_update(critical, evaluator);
    free(domino.calls.items);
    return status;
}

struct waiting_end {
    uint32_t path;
    size_t end;
    int64_t wait;
};

ORDER_BY(compare_paths, struct waiting_end, ASCENDING(path) ?: ASCENDING(end))

ORDER_BY(compare_bounds, struct bound, ASCENDING(last_time) ?: ASCENDING(path))

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
