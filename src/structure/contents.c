#include "structure/contents.h"

#include "base/map.h"

#include <assert.h>
#include <stdlib.h>

enum {
    PATH_GROUPS = 16, /* of call paths, by number */
    SORTS = 10, /* An iteration of more sorts of calls may lack an operation: the rest of it is
                   too much for something else. */
};

/* A hash of a call that does not depend on the partner and the tag of its message. */
static uint64_t size_content(const struct trace *trace, const struct rank_calls *rank,
                             uint32_t call)
{
    const uint32_t bytes = rank->bytes[call];
    return bytes == CALL_NO_VALUE ? call_content(trace, rank, call)
                                  : map_mix((uint64_t)call_path(rank, call) << 32 | bytes);
}

/* Adds to hashes[i] what a rank does in iteration i. */
static bool add_contents(const struct trace *trace, const struct rank_calls *rank,
                         const uint32_t *begin, size_t count, enum content content, int64_t *hashes)
{
    uint32_t *seen = calloc((size_t)rank->numbers[ALIKE_IN_SIZE] + 1, sizeof *seen);
    for (size_t i = 0; i < count && seen; i++) {
        uint64_t sum = 0;
        for (uint32_t c = begin[i]; c < begin[i + 1]; c++) {
            uint32_t *last = &seen[rank->which[ALIKE_IN_SIZE][c]];
            if (content == CONTENT_DIRECTIONS)
                sum += call_direction(trace, rank, c);
            else if (content == CONTENT_SIZES)
                sum += size_content(trace, rank, c);
            else if (content == CONTENT_CALLS || *last != i + 1)
                sum += call_content(trace, rank, c);
            *last = (uint32_t)i + 1;
        }
        hashes[i] = (int64_t)((uint64_t)hashes[i] + sum);
    }
    free(seen);
    return seen != NULL;
}

/* The same for call paths: made[i * PATH_GROUPS + group] is 1 if one of the group is made. */
static void mark_paths(const struct rank_calls *rank, const uint32_t *begin, size_t count,
                       int64_t *made)
{
    for (size_t i = 0; i < count; i++)
        for (uint32_t c = begin[i]; c < begin[i + 1]; c++)
            made[i * PATH_GROUPS + call_path(rank, c) % PATH_GROUPS] = 1;
}

/* Iterations that have a call: their number, and the sum of their indices, from 1 on. How often the
 * first and the last one make it, and the one between that makes it least often. */
struct call_use {
    size_t iterations, sum;
    uint32_t in_first, in_last, fewest;
};

struct call_uses {
    struct call_use *all; /* [number] */
    size_t count;         /* of iterations */
};

static void add_call_use(void *data, size_t i, uint32_t number, uint32_t count)
{
    const struct call_uses *uses = data;
    struct call_use *use = &uses->all[number];
    use->iterations++;
    use->sum += i + 1;
    if (i == 0)
        use->in_first = count;
    else if (i + 1 == uses->count)
        use->in_last = count;
    else if (use->fewest == 0 || count < use->fewest)
        use->fewest = count;
}

/* Counts the iterations that have each number of this sense. NULL if out of memory. */
static struct call_use *count_uses(const struct rank_calls *rank, enum likeness sense,
                                   const uint32_t *begin, size_t count)
{
    struct call_uses uses = {.all = calloc((size_t)rank->numbers[sense] + 1, sizeof *uses.all),
                             .count = count};
    if (uses.all && rank_calls_count(rank, sense, begin, count, add_call_use, &uses))
        return uses.all;
    free(uses.all);
    return NULL;
}

/* The number of sorts of calls of an iteration, which have different call paths, tags or sizes; the
 * partners do not matter. Sets `*allocated` to false if out of memory. */
static size_t count_sorts(const struct rank_calls *rank, uint32_t from, uint32_t to,
                          bool *allocated)
{
    struct map sorts = {0};
    for (uint32_t c = from; c < to && *allocated; c++) {
        const uint64_t message = (uint64_t)rank->tags[c] << 32 | rank->bytes[c];
        *allocated = map_at(&sorts, map_mix(message) ^ call_path(rank, c), 0) != NULL;
    }
    const size_t count = sorts.count;
    map_clear(&sorts);
    return count;
}

/* The iteration that lacks an operation: the only one that does not make it; or the first one, if
 * both the first and the last one make it less often than all others. At most one of these may be
 * incomplete, wherever in its body the loop is said to begin. SIZE_MAX if there is none. */
static size_t lacking_iteration(const struct call_use *use, size_t count)
{
    if (use->iterations + 1 == count)
        return count * (count + 1) / 2 - use->sum - 1;
    return use->iterations == count && use->in_first < use->fewest && use->in_last < use->fewest
               ? 0
               : SIZE_MAX;
}

/* The same for calls that set one iteration apart: made[i] is 1 if iteration i is such a one. */
static bool mark_apart(const struct trace *trace, const struct rank_calls *rank,
                       const uint32_t *begin, size_t count, int64_t *made)
{
    struct call_use *exact = count_uses(rank, ALIKE_IN_SIZE, begin, count);
    struct call_use *paths = count_uses(rank, ALIKE_IN_PATH, begin, count);
    bool allocated = exact && paths;
    assert(count > 0 && begin[0] <= begin[count]);
    for (uint32_t c = begin[0]; c < begin[count] && allocated; c++) {
        const struct call_use *use = &exact[rank->which[ALIKE_IN_SIZE][c]];
        const enum mpi_call call = callpath_call(trace, call_path(rank, c));
        if (use->iterations == 1 && paths[rank->which[ALIKE_IN_PATH][c]].iterations > 1)
            made[use->sum - 1] = 1;
        const size_t lacking = lacking_iteration(use, count);
        if (lacking < count && mpi_call_infos[call].class == MPI_CLASS_COLLECTIVE && !made[lacking])
            made[lacking] =
                count_sorts(rank, begin[lacking], begin[lacking + 1], &allocated) <= SORTS;
    }
    free(exact);
    free(paths);
    return allocated;
}

static void hash_paths(int64_t *made, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int64_t set = 0;
        for (size_t k = 0; k < PATH_GROUPS; k++)
            set = 2 * set + made[i * PATH_GROUPS + k];
        made[i] = set;
    }
}

/* False if out of memory. */
static bool count_differing(const int64_t *hashes, size_t count, uint64_t *differing)
{
    struct map times = {0};
    uint32_t most = 1;
    bool allocated = true;
    for (size_t i = 0; i < count && allocated; i++) {
        uint32_t *number = map_at(&times, (uint64_t)hashes[i], 0);
        allocated = number != NULL;
        if (allocated)
            most = ++*number > most ? *number : most;
    }
    map_clear(&times);
    *differing = count - (most > 1 ? most : 0);
    return allocated;
}

enum status contents_compare(const struct calls *calls, const uint32_t *const *begin, size_t count,
                             enum content content, uint64_t *differing, struct error *error)
{
    const struct trace *trace = calls->trace;
    const size_t size = content == CONTENT_PATHS ? count * PATH_GROUPS : count;
    int64_t *hashes = calloc(size + 1, sizeof *hashes);
    bool allocated = hashes != NULL;
    assert(count > 0);
    *differing = 0;
    for (uint32_t s = 0; s < trace->owned_count && allocated; s++)
        if (begin[s] && content == CONTENT_PATHS)
            mark_paths(&calls->ranks[s], begin[s], count, hashes);
        else if (begin[s] && content == CONTENT_APART)
            allocated = mark_apart(trace, &calls->ranks[s], begin[s], count, hashes);
        else if (begin[s])
            allocated = add_contents(trace, &calls->ranks[s], begin[s], count, content, hashes);
    enum status status = processes_agree_memory(trace->processes, allocated, "iterations", error);
    if (status == STATUS_OK && content == CONTENT_PATHS) {
        processes_max(trace->processes, hashes, size);
        hash_paths(hashes, count);
    } else if (status == STATUS_OK && content == CONTENT_APART) {
        processes_max(trace->processes, hashes, size);
        for (size_t i = 0; i < count; i++)
            *differing += hashes[i] != 0;
    } else if (status == STATUS_OK) {
        processes_sum(trace->processes, hashes, size);
    }
    if (status == STATUS_OK && content != CONTENT_APART)
        status = processes_agree_memory(trace->processes, count_differing(hashes, count, differing),
                                        "iterations", error);
    free(hashes);
    return status;
}
