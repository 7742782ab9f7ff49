#include "structure/shortening.h"

#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    GRAM = 8,          /* calls in a row whose last occurrence is looked up */
    KEPT_LEAST = 8,    /* repeats that are left; more of short bodies: */
    KEPT_MOST = 36,    /* so that all cycles and numbers of iterations that loops.c tells apart */
    KEPT_CALLS = 4096, /* remain */
    COMPARED = 8,      /* calls that are compared for each call, on average */
    ROUNDS = 4,        /* for loops in loops */
};

#define NOWHERE    UINT32_MAX
#define MULTIPLIER UINT64_C(0x9E3779B97F4A7C15)

/* An exact repetition: what[i] == what[i + period] for first <= i < end - period. */
struct exact_repeats {
    uint32_t first, end, period;
};

typedef ARRAY(struct exact_repeats) repetition_list;

static uint32_t repetition_times(const struct exact_repeats *repetition)
{
    return (repetition->end - repetition->first) / repetition->period;
}

static uint32_t repeats_kept(uint32_t period)
{
    const uint32_t kept = KEPT_CALLS / period;
    return kept < KEPT_LEAST ? KEPT_LEAST : kept > KEPT_MOST ? KEPT_MOST : kept;
}

struct repetition_search {
    const uint32_t *what;
    size_t count, work; /* numbers that may still be compared */
    uint32_t floor;     /* the end of the last repetition */
    uint32_t *last;     /* [1 << bits]: where calls with this hash were last */
    int bits;
};

/* The repetition that contains the numbers at - period and at. */
static struct exact_repeats extend_repetition(struct repetition_search *search, uint32_t at,
                                              uint32_t period)
{
    const uint32_t *what = search->what;
    uint32_t first = at - period, end = at;
    assert(first >= search->floor);
    while (end < search->count && what[end] == what[end - period])
        end++;
    while (first > search->floor && what[first - 1] == what[first - 1 + period])
        first--;
    const size_t compared = end - first - period + 2;
    search->work -= compared < search->work ? compared : search->work;
    return (struct exact_repeats){first, end, period};
}

static bool search_repetitions(struct repetition_search *search, repetition_list *list)
{
    uint64_t oldest = MULTIPLIER, hash = 0; /* the factor of the number before them */
    struct exact_repeats failed = {0};
    uint32_t have = 0;
    for (uint32_t k = 1; k < GRAM; k++)
        oldest *= MULTIPLIER;
    for (uint32_t i = 0; i < search->count && search->work > 0; i++) {
        hash = hash * MULTIPLIER + search->what[i] + 1;
        if (have == GRAM)
            hash -= oldest * (search->what[i - GRAM] + 1);
        else if (++have < GRAM)
            continue;
        const uint32_t at = i + 1 - GRAM;
        uint32_t *place = &search->last[hash * MULTIPLIER >> (64 - search->bits)];
        const uint32_t before = *place;
        *place = at;
        if (before == NOWHERE || before < search->floor ||
            (at - before == failed.period && at < failed.end))
            continue;
        failed = extend_repetition(search, at, at - before);
        if (repetition_times(&failed) <= repeats_kept(failed.period))
            continue;
        if (!array_push(list, failed))
            return false;
        search->floor = failed.end;
        i = failed.end - 1;
        have = 0;
        hash = 0;
    }
    return true;
}

/* Appends repetitions of which repeats are left out, in order, inner ones rather than those around
 * them. Not all are found: the time is linear, whatever the calls are. False if out of memory. */
static bool find_repetitions(const uint32_t *what, size_t count, repetition_list *list)
{
    struct repetition_search search = {
        .what = what, .count = count, .work = COMPARED * count, .bits = 4};
    assert(count < NOWHERE);
    while (count >> search.bits > 0)
        search.bits++;
    search.last = malloc(sizeof *search.last << search.bits);
    if (!search.last)
        return false;
    memset(search.last, 0xff, sizeof *search.last << search.bits);
    const bool allocated = search_repetitions(&search, list);
    free(search.last);
    return allocated;
}

/* Lists what is left out of the repetitions in `what`. Sets `*removed` to the number of calls. */
static bool list_gaps(const uint32_t *what, size_t count, repeat_gaps *gaps, uint32_t *removed)
{
    repetition_list list = {0};
    bool allocated = find_repetitions(what, count, &list);
    *removed = 0;
    for (size_t i = 0; i < list.count && allocated; i++) {
        const struct exact_repeats *found = &list.items[i];
        const uint32_t kept = repeats_kept(found->period);
        const struct repeat_gap gap = {.at =
                                           found->first + (kept + 1) / 2 * found->period - *removed,
                                       .period = found->period,
                                       .repeats = repetition_times(found) - kept};
        allocated = array_push(gaps, gap);
        *removed += gap.repeats * gap.period;
    }
    free(list.items);
    return allocated;
}

/* Moves the values that are left to the front. */
static void leave_out(uint32_t *values, size_t count, const repeat_gaps *gaps)
{
    size_t to = 0, from = 0;
    for (size_t g = 0; g < gaps->count; g++) {
        const struct repeat_gap *gap = &gaps->items[g];
        const size_t before = gap->at - to;
        memmove(values + to, values + from, before * sizeof *values);
        to += before;
        from += before + (size_t)gap->period * gap->repeats;
    }
    memmove(values + to, values + from, (count - from) * sizeof *values);
}

static bool copy_calls(const struct rank_calls *rank, struct rank_calls *copy)
{
    const size_t size = (rank->count + 1) * sizeof *rank->rows;
    *copy = *rank;
    copy->bytes = copy->tags = NULL;
    copy->comms = (struct map){0};
    copy->rows = malloc(size);
    copy->shown = malloc(size);
    bool allocated = copy->rows && copy->shown;
    for (int l = 0; l < LIKENESSES; l++)
        allocated &= (copy->which[l] = malloc(size)) != NULL;
    if (!allocated)
        return false;
    memcpy(copy->rows, rank->rows, rank->count * sizeof *rank->rows);
    memcpy(copy->shown, rank->shown, rank->count * sizeof *rank->shown);
    for (int l = 0; l < LIKENESSES; l++)
        memcpy(copy->which[l], rank->which[l], rank->count * sizeof *rank->rows);
    return true;
}

bool rank_calls_shorten(const struct rank_calls *rank, enum likeness likeness,
                        struct shortened_calls *shortened)
{
    struct rank_calls *left = &shortened->rank;
    if (!left->rows && !copy_calls(rank, left))
        return false;
    bool allocated = true;
    for (int round = 0; round < ROUNDS && allocated; round++) {
        repeat_gaps gaps = {0};
        uint32_t removed;
        allocated = list_gaps(left->which[likeness], left->count, &gaps, &removed);
        if (!allocated || removed == 0 || !array_push(&shortened->rounds, gaps)) {
            allocated &= removed == 0;
            free(gaps.items);
            break;
        }
        leave_out(left->rows, left->count, &gaps);
        leave_out(left->shown, left->count, &gaps);
        for (int l = 0; l < LIKENESSES; l++)
            leave_out(left->which[l], left->count, &gaps);
        left->count -= removed;
    }
    return allocated;
}

void shortened_calls_clear(struct shortened_calls *shortened)
{
    rank_calls_clear(&shortened->rank);
    for (size_t i = 0; i < shortened->rounds.count; i++)
        free(shortened->rounds.items[i].items);
    free(shortened->rounds.items);
    *shortened = (struct shortened_calls){0};
}

/* The number of boundaries from <= begin < to, and the first of them. */
static size_t boundaries_in(const uint32_t *begin, size_t count, int64_t from, int64_t to,
                            size_t *first)
{
    *first = first_where((size_t)0, count, i, begin[i] >= from);
    return first_where(*first, count, i, begin[i] >= to) - *first;
}

/* The boundaries of each repeat at the gap: 0 if the iterations are not those of the repetition,
 * but around it. */
static size_t boundaries_per_repeat(const uint32_t *begin, size_t count,
                                    const struct repeat_gap *gap, size_t *first)
{
    const int64_t at = gap->at, period = gap->period;
    size_t earlier, later;
    const size_t n = boundaries_in(begin, count, at - period, at, first);
    if (n != boundaries_in(begin, count, at - 2 * period, at - period, &earlier) ||
        n != boundaries_in(begin, count, at, at + period, &later))
        return 0;
    for (size_t i = 0; i < n; i++)
        if (begin[*first + i] != begin[earlier + i] + period ||
            begin[*first + i] + period != begin[later + i])
            return 0;
    return n;
}

static bool undo_round(const repeat_gaps *gaps, uint32_t **begin, size_t *iterations)
{
    ARRAY(uint32_t) all = {0};
    const size_t count = *iterations + 1;
    uint32_t removed = 0;
    size_t done = 0;
    bool allocated = true;
    for (size_t g = 0; g <= gaps->count && allocated; g++) {
        const struct repeat_gap *gap = g < gaps->count ? &gaps->items[g] : NULL;
        for (; done < count && (!gap || (*begin)[done] < gap->at) && allocated; done++)
            allocated = array_push(&all, (*begin)[done] + removed);
        if (!gap)
            break;
        size_t first;
        const size_t each = boundaries_per_repeat(*begin, count, gap, &first);
        for (uint32_t k = 1; k <= gap->repeats && each > 0 && allocated; k++)
            for (size_t i = 0; i < each && allocated; i++)
                allocated = array_push(&all, (*begin)[first + i] + removed + k * gap->period);
        removed += gap->repeats * gap->period;
    }
    if (!allocated) {
        free(all.items);
        return false;
    }
    assert(all.count >= count);
    free(*begin);
    *begin = all.items;
    *iterations = all.count - 1;
    return true;
}

bool shortened_calls_undo(const struct shortened_calls *shortened, uint32_t **begin,
                          size_t *iterations)
{
    bool allocated = true;
    for (size_t i = shortened->rounds.count; i-- > 0 && allocated;)
        allocated = undo_round(&shortened->rounds.items[i], begin, iterations);
    return allocated;
}
