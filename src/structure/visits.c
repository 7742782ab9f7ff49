#include "structure/visits.h"

#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Consecutive visits of a run are this many periods apart. The period of a signal is less exact
 * than that of the visits themselves. */
static const double NEAREST = 0.75, NEAREST_IN_SIGNAL = 0.6, FURTHEST = 1.75;

/* The same for visits with equally many calls between them, if the sizes of messages are left
 * out. */
static const double FAR = 4;

/* An iteration longer than the usual one by this factor ends the run if it makes a call that the
 * next one does not make. */
static const double LONG = 1.25;

/* Visits that cover less than this part of the stretch are ignored. */
static const double COVERED = 0.4;

/* Fewer than FEW iterations count only if this part of their calls equals those of the next
 * iteration. */
static const double ALIKE = 0.5;

enum { FEW = 8 };

/* Sequences are the same if this part of their calls is equal. */
static const double SAME = 0.9;

static bool add_visit(const struct visit_search *search, struct visit_lists *rank, uint64_t key,
                      uint32_t call)
{
    uint32_t *number = map_at(&rank->numbers, key, (uint32_t)rank->all.count);
    if (!number)
        return false;
    if (*number == rank->all.count && !array_push(&rank->all, ((struct visits){.key = key})))
        return false;
    struct visits *visits = &rank->all.items[*number];
    return visits->calls.count > search->most || array_push(&visits->calls, call);
}

/* Makes the hashes of sequences of the wanted length, by joining each sequence with the next one.
 */
static bool join_sequences(const struct visit_search *search, uint32_t s, struct visit_lists *rank)
{
    const struct rank_calls *calls = &search->calls->ranks[s];
    const bool anew = !rank->sequences || rank->sizes != search->sizes || search->length == 1;
    if (!rank->sequences)
        rank->sequences = malloc((calls->count + 1) * sizeof *rank->sequences);
    if (rank->sequences && anew) {
        for (size_t i = 0; i < calls->count; i++)
            rank->sequences[i] = calls->which[search->sizes][i];
        rank->length = 1;
        rank->sizes = search->sizes;
    }
    for (; rank->sequences && rank->length < search->length; rank->length *= 2)
        for (size_t i = 0; i < calls->count; i++) {
            uint64_t next = i + rank->length < calls->count ? rank->sequences[i + rank->length] : 0;
            rank->sequences[i] = map_mix(map_mix(rank->sequences[i]) ^ next);
        }
    return rank->sequences != NULL;
}

static void forget_visits(struct visit_lists *rank)
{
    for (size_t i = 0; i < rank->all.count; i++)
        free(rank->all.items[i].calls.items);
    rank->all.count = 0;
    map_clear(&rank->numbers);
}

void visits_clear(struct visit_lists *visits)
{
    forget_visits(visits);
    free(visits->all.items);
    free(visits->sequences);
    memset(visits, 0, sizeof *visits);
}

static double gap_before(const struct visit_search *search, uint32_t s, const struct visits *visits,
                         size_t i)
{
    const uint32_t *calls = visits->calls.items;
    return (double)(call_time(search->calls, s, calls[i]) -
                    call_time(search->calls, s, calls[i - 1]));
}

/* Whether a barrier is called between begin and end. */
static bool finds_barrier(const struct rank_calls *rank, const uint32_t *which, uint32_t barrier,
                          size_t begin, size_t end)
{
    while (begin < end && (begin += rank->to_barrier[begin]) < end && which[begin] != barrier)
        begin++;
    return begin < end;
}

/* Whether rank s calls a barrier between begin and middle that it does not call between middle and
 * end. */
static bool has_barrier(const struct rank_calls *rank, const uint32_t *which, size_t begin,
                        size_t middle, size_t end)
{
    size_t next = middle; /* mostly the same barriers follow in the same order */
    for (size_t i = begin; i < middle && (i += rank->to_barrier[i]) < middle; i++) {
        next += next < end ? rank->to_barrier[next] : 0;
        if (next < end && which[next] == which[i])
            next++;
        else if (!finds_barrier(rank, which, which[i], middle, end))
            return true;
    }
    return false;
}

/* The same for any call, by a hash: two calls may be confused, but rarely. */
static bool has_other_call(const uint32_t *which, size_t begin, size_t middle, size_t end)
{
    uint64_t seen[1024] = {0};
    for (size_t i = middle; i < end; i++)
        seen[which[i] >> 6 & 1023] |= UINT64_C(1) << (which[i] & 63);
    for (size_t i = begin; i < middle; i++)
        if (!(seen[which[i] >> 6 & 1023] >> (which[i] & 63) & 1))
            return true;
    return false;
}

/* Whether rank s makes a call between the visits i - 1 and i, but not between visit i and the next
 * one, that separates phases of a program: a barrier, or any call in a long iteration. */
static bool has_separator(const struct visit_search *search, uint32_t s,
                          const struct visits *visits, size_t i, bool is_long)
{
    const struct rank_calls *rank = &search->calls->ranks[s];
    const uint32_t *calls = visits->calls.items, *which = rank->which[search->sizes];
    size_t end = i + 1 < visits->calls.count ? calls[i + 1] : rank->count;
    return is_long ? has_other_call(which, calls[i - 1], calls[i], end)
                   : has_barrier(rank, which, calls[i - 1], calls[i], end);
}

/* How far apart visits are. */
struct distance {
    double ticks, calls;
    bool is_own; /* measured between the visits themselves; else the signal's */
};

static bool is_regular(const struct visit_search *search, uint32_t s, const struct visits *visits,
                       size_t i, const struct distance *usual)
{
    double gap = gap_before(search, s, visits, i);
    double calls = (double)(visits->calls.items[i] - visits->calls.items[i - 1]);
    double nearest = usual->is_own ? NEAREST : NEAREST_IN_SIGNAL;
    bool in_time = gap >= nearest * usual->ticks && gap <= FURTHEST * usual->ticks;
    bool in_calls = calls >= SAME * usual->calls && calls * SAME <= usual->calls &&
                    (search->sizes || (gap * FAR >= usual->ticks && gap <= FAR * usual->ticks));
    return (in_time || in_calls) &&
           !(usual->is_own &&
             has_separator(search, s, visits, i, gap > LONG * usual->ticks && !in_calls));
}

/* Finds the longest run of visits at the usual distance that has a visit in the stretch. */
static void find_regular_visits(const struct visit_search *search, uint32_t s,
                                const struct distance *usual, struct visits *visits)
{
    const uint32_t *calls = visits->calls.items;
    size_t count = visits->calls.count, begin = 0;
    visits->run_begin = visits->run_end = 0;
    for (size_t i = 1; i <= count; i++) {
        if (i < count && is_regular(search, s, visits, i, usual))
            continue;
        if (i - begin > visits->run_end - visits->run_begin &&
            call_time(search->calls, s, calls[begin]) < search->to &&
            call_time(search->calls, s, calls[i - 1]) >= search->from)
            visits->run_begin = begin, visits->run_end = i;
        begin = i;
    }
}

/* Whether the `length` calls of rank s from two places on are the same. */
static bool is_same_sequence(const struct visit_search *search, uint32_t s, size_t a, size_t b,
                             size_t length)
{
    const struct rank_calls *rank = &search->calls->ranks[s];
    const uint32_t *which = rank->which[search->sizes];
    size_t same = 0;
    if (a + length > rank->count || b + length > rank->count || which[a] != which[b])
        return false;
    for (size_t i = 0; i < length; i++)
        same += which[a + i] == which[b + i];
    return (double)same >= SAME * (double)length;
}

/* Adds iterations before and after the run that are the same as the run's, even if longer sequences
 * from there on differ. Afterwards the visits are the run. False if out of memory. */
static bool extend_run(const struct visit_search *search, uint32_t s, struct visits *visits)
{
    ARRAY(uint32_t) before = {0}, all = {0};
    assert(visits->run_end - visits->run_begin > 1);
    const uint32_t *calls = visits->calls.items;
    size_t begin = visits->run_begin, last = visits->run_end - 1;
    uint32_t length = calls[begin + 1] - calls[begin], at = calls[begin];
    bool allocated = true;
    for (; allocated && at >= length && is_same_sequence(search, s, at - length, at, length);
         at -= length)
        allocated = array_push(&before, at - length);
    for (size_t i = before.count; allocated && i-- > 0;)
        allocated = array_push(&all, before.items[i]);
    for (size_t i = begin; allocated && i <= last; i++)
        allocated = array_push(&all, calls[i]);
    length = calls[last] - calls[last - 1];
    for (at = calls[last]; allocated && is_same_sequence(search, s, at, at + length, length);
         at += length)
        allocated = array_push(&all, at + length);
    free(before.items);
    free(visits->calls.items);
    visits->calls.items = all.items;
    visits->calls.count = all.count;
    visits->calls.capacity = all.capacity;
    visits->run_begin = 0;
    visits->run_end = all.count;
    return allocated;
}

/* Whether the visits may cover enough of the stretch, even before the run is extended. */
static bool may_cover(const struct visit_search *search, uint32_t s, const struct visits *visits)
{
    const uint32_t *calls = visits->calls.items;
    uint64_t first = call_time(search->calls, s, calls[0]);
    uint64_t last = call_time(search->calls, s, calls[visits->calls.count - 1]);
    return (double)(last - first) + search->ticks >= COVERED * (double)(search->to - search->from);
}

/* Finds the run by the median distance of the visits themselves. False if out of memory. */
static bool find_own_run(const struct visit_search *search, uint32_t s, struct visits *visits)
{
    struct distance usual = {search->ticks, search->between, false};
    if (visits->calls.count > search->most || visits->calls.count < 2 ||
        !may_cover(search, s, visits))
        return true;
    find_regular_visits(search, s, &usual, visits);
    size_t run = visits->run_end - visits->run_begin;
    if (run < 2)
        return true;
    double *gaps = malloc(run * sizeof *gaps);
    if (!gaps)
        return false;
    for (int which = 0; which < 2; which++) {
        for (size_t i = 0; i + 1 < run; i++) {
            size_t visit = visits->run_begin + i;
            gaps[i] = which == 0
                          ? gap_before(search, s, visits, visit + 1)
                          : (double)(visits->calls.items[visit + 1] - visits->calls.items[visit]);
        }
        qsort(gaps, run - 1, sizeof *gaps, order_double);
        *(which == 0 ? &usual.ticks : &usual.calls) = gaps[(run - 1) / 2];
    }
    free(gaps);
    usual.is_own = true;
    find_regular_visits(search, s, &usual, visits);
    visits->head = visits->calls.items[visits->run_begin];
    return visits->run_end - visits->run_begin < 2 || extend_run(search, s, visits);
}

/* Whether the calls after the last visit are those after the visit before: otherwise the last visit
 * only ends the last iteration. */
static bool is_last_complete(const struct visit_search *search, uint32_t s,
                             const struct visits *visits)
{
    const uint32_t *calls = visits->calls.items;
    size_t last = visits->run_end - 1;
    assert(last > visits->run_begin);
    return is_same_sequence(search, s, calls[last - 1], calls[last], calls[last] - calls[last - 1]);
}

/* The part of the calls that are at the same places of the next iteration. */
static double similar_part(const struct visit_search *search, uint32_t s,
                           const struct visits *visits, size_t iterations)
{
    const struct rank_calls *rank = &search->calls->ranks[s];
    const uint32_t *which = rank->which[search->sizes];
    size_t same = 0, all = 0;
    for (size_t i = visits->run_begin; i + 1 < visits->run_begin + iterations; i++) {
        const size_t at = visits->calls.items[i], next = visits->calls.items[i + 1];
        const size_t length = next - at;
        for (size_t k = 0; k < length && next + k < rank->count; k++)
            same += which[at + k] == which[next + k];
        all += length;
    }
    return all > 0 ? (double)same / (double)all : 0;
}

size_t visits_iterations(const struct visit_search *search, uint32_t s, const struct visits *visits)
{
    size_t run = visits->run_end - visits->run_begin;
    if (run < 2)
        return 0;
    run -= !is_last_complete(search, s, visits);
    return run < 2 || (run < FEW && similar_part(search, s, visits, run) < ALIKE) ? 0 : run;
}

bool visits_list_like(const struct visit_search *search, uint32_t s, size_t head,
                      struct visits *visits)
{
    const struct rank_calls *rank = &search->calls->ranks[s];
    const uint32_t *which = rank->which[search->sizes];
    assert(head + search->length <= rank->count && visits->calls.count == 0);
    uint32_t path = call_path(search->calls, s, head);
    for (size_t i = 0; i + search->length <= rank->count; i++) {
        bool same = search->length == 1
                        ? call_path(search->calls, s, i) == path
                        : which[i] == which[head] &&
                              memcmp(&which[i], &which[head], search->length * sizeof *which) == 0;
        if (same && visits->calls.count <= search->most && !array_push(&visits->calls, (uint32_t)i))
            return false;
    }
    return find_own_run(search, s, visits);
}

bool visits_list(const struct visit_search *search, uint32_t s, struct visit_lists *visits)
{
    const struct rank_calls *rank = &search->calls->ranks[s];
    bool allocated = join_sequences(search, s, visits);
    forget_visits(visits);
    for (size_t i = 0; i + search->length <= rank->count && allocated; i++) {
        uint64_t path = call_path(search->calls, s, i);
        allocated = add_visit(search, visits,
                              search->length == 1 ? path : path << 32 | visits->sequences[i] >> 32,
                              (uint32_t)i);
    }
    for (size_t i = 0; i < visits->all.count && allocated; i++)
        allocated = find_own_run(search, s, &visits->all.items[i]);
    return allocated;
}
