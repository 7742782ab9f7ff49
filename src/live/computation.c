/* The times of computation in the changed program. A movement of a slider changes only factors, so
 * the segments before a call are added up to parts once (struct live_part), and T needs only these.
 * Limits and the profile need a pass over the segments. */
#include "live/program_private.h"

#include <stdlib.h>
#include <string.h>

/* A length as the paces of the bits `paces` change it. */
static inline int64_t paced_length(struct paced_lengths *paced, unsigned paces, int64_t ticks)
{
    uint64_t length = (uint64_t)ticks;
    for (; paces; paces &= paces - 1)
        length = paced_lengths_next(&paced[__builtin_ctz(paces)], length);
    return (int64_t)length;
}

static void begin_paces(const struct live_program *p, struct paced_lengths paced[LIVE_PACES])
{
    for (uint32_t i = 0; i < p->pace_count; i++)
        paced[i] = paced_lengths_begin(p->paces[i].factor);
}

/* Sums up the segments of a rank as the paces of the bits `paces` change them. sums[i] becomes the
 * sum of the first i segments. */
static void sum_segments(struct live_program *p, uint32_t rank, unsigned paces)
{
    struct paced_lengths paced[LIVE_PACES];
    int64_t *restrict sums = p->sums, sum = 0;
    begin_paces(p, paced);
    for (size_t i = p->first_segment[rank]; i < p->first_segment[rank + 1]; i++) {
        *sums++ = sum;
        sum += paced_length(paced, p->paced[p->segment_paths[i]] & paces, p->lengths[i]);
    }
    *sums = sum;
}

enum live_problem live_check_limits(struct live_program *p, uint32_t rank, uint32_t pace_count,
                                    bool again, uint32_t *path)
{
    const size_t first = p->first_segment[rank];
    if (p->first_limit[rank] == p->first_limit[rank + 1] || (again && !p->has_teams[rank]))
        return 0;
    sum_segments(p, rank, live_paces_of(p, rank, pace_count));
    for (size_t i = p->first_limit[rank]; i < p->first_limit[rank + 1]; i++) {
        const struct live_limit *limit = &p->limits[i];
        const int64_t sum = p->sums[limit->end - first] - p->sums[limit->first - first];
        *path = p->segment_paths[limit->first];
        if (limit->kind == LIVE_AFTER && sum < limit->ticks)
            return LIVE_DELAYS;
        if (again)
            continue;
        if (limit->kind == LIVE_AT_MOST ? sum > limit->ticks
                                        : limit->kind == LIVE_AT_LEAST && sum < limit->ticks)
            return LIVE_REGROUPS;
    }
    return 0;
}

/* Finds out whether the changes keep to the limits. */
static void check_limits(struct live_program *p)
{
    p->beyond = p->problem;
    for (uint32_t rank = 0; rank < p->head.ranks; rank++) {
        uint32_t path;
        for (uint32_t i = 1; i < p->pace_count && !p->beyond; i++)
            p->beyond = live_check_limits(p, rank, i, true, &path);
        if (!p->beyond)
            p->beyond = live_check_limits(p, rank, p->pace_count, false, &p->beyond_path);
    }
}

/* The part that a segment with these paces and flags can be added to, from `first` on; NULL: none.
 * A pace rounds sums, so lengths that follow each other in it can be added up. */
static inline struct live_part *part_to_extend(struct live_part *first, struct live_part *end,
                                               uint8_t paces, uint8_t flags)
{
    for (struct live_part *part = end; part-- > first;) {
        if (part->paces == paces && part->flags == flags)
            return part;
        if (part->paces & paces)
            break;
    }
    return NULL;
}

/* Adds a segment to the parts from `first` to `last`. Returns the new end of the parts. */
static inline struct live_part *part_segment(struct live_part *first, struct live_part *last,
                                             int64_t ticks, uint8_t paces, uint8_t flags)
{
    struct live_part *part =
        flags & PART_STEPLESS ? NULL : part_to_extend(first, last, paces, flags);
    if (part)
        part->ticks += ticks;
    else
        *last++ = (struct live_part){ticks, paces, flags};
    return last;
}

/* Divides the computation of a STEP_FREE, whose segments are [begin, end), into parts. Returns the
 * end of the parts, which begin at `parts`. */
static struct live_part *part_free(const struct live_program *p, uint32_t rank, size_t free,
                                   size_t begin, size_t end, struct live_part *parts)
{
    const uint32_t *const paths = p->segment_paths;
    const int64_t *const lengths = p->lengths;
    const uint8_t *const paced = p->paced, paces = p->rank_parts[rank].paces;
    const struct live_stepless *stepless = p->stepless + p->first_stepless[free];
    const size_t run = p->loops[free] ? SIZE_MAX : p->focus[2 * rank],
                 run_end = p->focus[2 * rank + 1];
    struct live_part *first = parts, *last = parts;
    for (size_t i = begin; i < end; i++) {
        uint8_t flags = i >= run && i < run_end ? PART_COMPUTES : 0;
        if (stepless->segment != i) {
            last = part_segment(first, last, lengths[i], paced[paths[i]] & paces, flags);
            continue;
        }
        flags = PART_STEPLESS | (p->computes[paths[i]] ? flags : 0);
        last = part_segment(first, last, lengths[i], paced[paths[i]] & paces, flags);
        first = last; /* a call begins at the sum of the parts before it */
        stepless++;
    }
    if (last == parts)
        *last++ = (struct live_part){0};
    last[-1].flags |= PART_ENDS;
    return last;
}

/* Divides the computation of a rank into parts, if other call paths have its paces than before. */
static void part_rank(struct live_program *p, uint32_t rank, uint8_t changed)
{
    struct live_rank_parts *of_rank = &p->rank_parts[rank];
    const uint8_t paces = live_paces_of(p, rank, p->pace_count);
    if (of_rank->known && of_rank->paces == paces && !(paces & changed))
        return;
    *of_rank = (struct live_rank_parts){.paces = paces, .known = true};
    struct live_part *parts = p->parts + p->first_segment[rank] + p->first_free[rank];
    size_t begin = p->first_segment[rank];
    for (size_t free = p->first_free[rank]; free < p->first_free[rank + 1]; free++) {
        parts = part_free(p, rank, free, begin, p->last_segments[free], parts);
        begin = p->last_segments[free];
    }
}

/* The times of a rank's computation, and its sum in POP's run. */
static void time_rank(struct live_program *p, uint32_t rank)
{
    const struct live_part *part = p->parts + p->first_segment[rank] + p->first_free[rank];
    struct live_stepless *stepless = p->stepless + p->first_stepless[p->first_free[rank]];
    struct paced_lengths paced[LIVE_PACES];
    int64_t computed = 0;
    begin_paces(p, paced);
    for (size_t free = p->first_free[rank]; free < p->first_free[rank + 1]; free++) {
        int64_t sum = 0;
        bool last;
        do {
            const int64_t length = paced_length(paced, part->paces, part->ticks);
            if (part->flags & PART_STEPLESS) {
                stepless->begin = sum;
                stepless->end = sum + length;
                stepless++;
            }
            sum += length;
            computed += part->flags & PART_COMPUTES ? length : 0;
            last = part->flags & PART_ENDS;
            part++;
        } while (!last);
        p->computation[free] = sum;
    }
    p->computed[rank] = computed;
    p->rank_parts[rank].timed = true;
}

/* The paces whose call paths have changed since the parts were made. */
static uint8_t changed_paces(struct live_program *p)
{
    unsigned changed = 0;
    for (size_t i = 0; i <= p->head.paths; i++)
        changed |= (unsigned)(p->paced[i] ^ p->paced_before[i]);
    memcpy(p->paced_before, p->paced, (p->head.paths + (size_t)1) * sizeof *p->paced);
    return (uint8_t)changed;
}

void live_forget_parts(struct live_program *p)
{
    for (uint32_t rank = 0; rank < p->head.ranks; rank++)
        p->rank_parts[rank].known = false;
}

void live_time_computation(struct live_program *p)
{
    if (p->timed)
        return;
    const uint8_t changed = changed_paces(p);
    for (uint32_t rank = 0; rank < p->head.ranks; rank++) {
        part_rank(p, rank, changed);
        if (p->rank_parts[rank].paces || !p->rank_parts[rank].timed)
            time_rank(p, rank);
    }
    check_limits(p);
    p->timed = true;
    p->summed = false;
}

/* Adds a rank's computation to that of its call paths, but for the segments of polling loops, which
 * divide_loop adds (evaluate.c). */
static void add_computation(struct live_program *p, uint32_t rank)
{
    const uint8_t *const paced_paths = p->paced, paces = p->rank_parts[rank].paces;
    const uint32_t *const paths = p->segment_paths;
    const int64_t *const lengths = p->lengths;
    int64_t *const computed_in = p->computed_in;
    struct paced_lengths paced[LIVE_PACES];
    size_t i = p->first_segment[rank];
    begin_paces(p, paced);
    for (size_t free = p->first_free[rank]; free < p->first_free[rank + 1]; free++)
        for (; i < p->last_segments[free]; i++) {
            const int64_t length = paced_length(paced, paced_paths[paths[i]] & paces, lengths[i]);
            computed_in[paths[i]] += p->loops[free] ? 0 : length;
        }
}

/* Sums up the computation in each call path. */
static void sum_computation(struct live_program *p)
{
    memset(p->computed_in, 0, (p->head.paths + (size_t)1) * sizeof *p->computed_in);
    for (uint32_t rank = 0; rank < p->head.ranks; rank++)
        add_computation(p, rank);
    p->summed = true;
}

const int64_t *live_spent(struct live_program *p)
{
    assert(p->timed);
    if (!p->summed)
        sum_computation(p);
    for (size_t path = 0; path <= p->head.paths; path++)
        p->spent[path] = p->in_calls[path] + p->computed_in[path];
    return p->spent + 1;
}
