#include "structure/contents.h"

#include "base/map.h"

#include <assert.h>
#include <stdlib.h>

enum { PATH_GROUPS = 16 }; /* of call paths, by number */

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
        else if (begin[s])
            allocated = add_contents(trace, &calls->ranks[s], begin[s], count, content, hashes);
    enum status status = processes_agree_memory(trace->processes, allocated, "iterations", error);
    if (status == STATUS_OK && content == CONTENT_PATHS) {
        processes_max(trace->processes, hashes, size);
        hash_paths(hashes, count);
    } else if (status == STATUS_OK) {
        processes_sum(trace->processes, hashes, size);
    }
    if (status == STATUS_OK)
        status = processes_agree_memory(trace->processes, count_differing(hashes, count, differing),
                                        "iterations", error);
    free(hashes);
    return status;
}
