#include "reduce/rules/moments.h"

#include "base/array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX /* no moment; the place of a call's enter among arrivals */

struct moments {
    enum moments_kind kind;
    uint32_t *users; /* [count]; of a free one: the next free one */
    uint32_t count, capacity, free;
    bool failed; /* no moments can be added any more */
    bool full;
    ARRAY(struct arrival) arrivals; /* of the call looked at */

    struct difference *differences; /* terms: [capacity] */
    struct naming *namings;         /* terms: [rank count + 1] */

    /* Pairs: above[a * capacity + b] is how much the moment of a can be above that of b, at most;
     * below[a * capacity + b] = above[b * capacity + a]. Both are there because rows are fast. */
    int64_t *above, *below;
};

enum { PAIRS_MOST = 2048 }; /* moments at once: 64 MB */

static bool grow_moments(struct moments *moments)
{
    uint32_t before = moments->capacity, capacity = before ? 2 * before : 64;
    uint32_t *users = realloc(moments->users, capacity * sizeof *users);
    if (!users)
        return false;
    moments->users = users;
    if (moments->kind == MOMENTS_TERMS) {
        struct difference *differences =
            realloc(moments->differences, capacity * sizeof *differences);
        if (!differences)
            return false;
        moments->differences = differences;
    } else {
        int64_t *above = malloc((size_t)capacity * capacity * sizeof *above);
        int64_t *below = malloc((size_t)capacity * capacity * sizeof *below);
        for (uint32_t a = 0; a < before && above && below; a++) {
            memcpy(above + (size_t)a * capacity, moments->above + (size_t)a * before,
                   before * sizeof *above);
            memcpy(below + (size_t)a * capacity, moments->below + (size_t)a * before,
                   before * sizeof *below);
        }
        free(moments->above);
        free(moments->below);
        moments->above = above;
        moments->below = below;
        if (!above || !below)
            return false;
    }
    moments->capacity = capacity;
    return true;
}

/* A new moment with one user. */
static uint32_t new_moment(struct moments *moments)
{
    uint32_t id = moments->free;
    if (id != NONE) {
        moments->free = moments->users[id];
    } else {
        moments->full |= moments->kind == MOMENTS_PAIRS && moments->count == PAIRS_MOST;
        if (moments->full || (moments->count == moments->capacity && !grow_moments(moments)))
            moments->failed = true;
        if (moments->failed)
            return MOMENT_START;
        id = moments->count++;
    }
    moments->users[id] = 1;
    return id;
}

uint32_t moments_use(struct moments *moments, uint32_t moment)
{
    assert(moments->failed || moments->users[moment] > 0);
    moments->users[moment]++;
    return moment;
}

void moments_release(struct moments *moments, uint32_t moment)
{
    assert(moments->failed || moments->users[moment] > 0);
    if (moments->failed || --moments->users[moment] > 0)
        return;
    moments->users[moment] = moments->free;
    moments->free = moment;
}

struct moments_failure moments_failure(const struct moments *moments)
{
    return (struct moments_failure){moments->failed && !moments->full, moments->full};
}

static uint32_t add_difference(struct moments *moments, const struct difference *difference)
{
    uint32_t id = new_moment(moments);
    if (!moments->failed)
        moments->differences[id] = *difference;
    return id;
}

static int64_t *pair_row(const struct moments *moments, int64_t *matrix, uint32_t a)
{
    return matrix + (size_t)a * moments->capacity;
}

/* A bound plus a number; bounds that are none stay so. */
static int64_t shifted_bound(int64_t bound, int64_t more)
{
    return bound >= DIFFERENCE_UNBOUNDED || more >= DIFFERENCE_UNBOUNDED ? DIFFERENCE_UNBOUNDED
                                                                         : bound + more;
}

/* How far moments can be above a new one and below it follows from others: at most as far below as
 * all of `high` allow, and at least as far up as one of `low`. */
struct neighbour {
    uint32_t moment;
    int64_t more; /* the new one is compared with this moment, so much later */
};

static uint32_t add_pair_moment(struct moments *moments, const struct neighbour *low,
                                size_t low_count, const struct neighbour *high, size_t high_count)
{
    uint32_t id = new_moment(moments), count = moments->count;
    if (moments->failed)
        return id;
    int64_t *above = pair_row(moments, moments->above, id);
    int64_t *below = pair_row(moments, moments->below, id);
    for (uint32_t other = 0; other < count; other++) {
        above[other] = high_count > 0 ? -DIFFERENCE_UNBOUNDED : DIFFERENCE_UNBOUNDED;
        below[other] = DIFFERENCE_UNBOUNDED;
    }
    for (size_t i = 0; i < high_count; i++) {
        const int64_t *from = pair_row(moments, moments->above, high[i].moment);
        for (uint32_t other = 0; other < count; other++) {
            int64_t bound = shifted_bound(from[other], high[i].more);
            above[other] = bound > above[other] ? bound : above[other];
        }
    }
    for (size_t i = 0; i < low_count; i++) {
        const int64_t *from = pair_row(moments, moments->below, low[i].moment);
        for (uint32_t other = 0; other < count; other++) {
            int64_t bound = shifted_bound(from[other], -low[i].more);
            below[other] = bound < below[other] ? bound : below[other];
        }
    }
    above[id] = below[id] = 0;
    for (uint32_t other = 0; other < count; other++) {
        pair_row(moments, moments->below, other)[id] = above[other];
        pair_row(moments, moments->above, other)[id] = below[other];
    }
    return id;
}

/* Pairs know moments by their place among the arrivals; the enter has none. */
struct pair_context {
    const struct moments *moments;
    const struct moment_arrival *arrivals;
    uint32_t entered;
};

static bool pair_within(const void *data, const struct arrival *a, const struct arrival *b,
                        int64_t slack)
{
    const struct pair_context *context = data;
    uint32_t one = a->index == NONE ? context->entered : context->arrivals[a->index].moment;
    uint32_t other = b->index == NONE ? context->entered : context->arrivals[b->index].moment;
    int64_t most = context->moments->above[(size_t)one * context->moments->capacity + other];
    return most < DIFFERENCE_UNBOUNDED && most <= slack;
}

/* The latest of those arrivals that are not needless, and of the enter, if there is one, unless it
 * is always earlier than one of them. */
static uint32_t latest_pair(struct moments *moments, const struct pair_context *context,
                            const struct arrival *arrivals, size_t count, int64_t time)
{
    struct neighbour *sources = calloc(count + 1, sizeof *sources);
    const struct arrival enter = {.time = time, .index = NONE};
    size_t kept = 0;
    bool behind = context->entered == NONE;
    int64_t latest = context->entered == NONE ? INT64_MIN : time;
    if (!sources) {
        moments->failed = true;
        return MOMENT_START;
    }
    for (size_t i = 0; i < count; i++)
        if (!arrivals[i].needless) {
            behind = behind || pair_within(context, &enter, &arrivals[i], arrivals[i].time - time);
            latest = arrivals[i].time > latest ? arrivals[i].time : latest;
            sources[kept++] =
                (struct neighbour){context->arrivals[arrivals[i].index].moment, arrivals[i].time};
        }
    if (!behind)
        sources[kept++] = (struct neighbour){context->entered, time};
    for (size_t i = 0; i < kept; i++)
        sources[i].more -= latest;
    uint32_t result = kept == 1 && sources[0].more == 0
                          ? moments_use(moments, sources[0].moment)
                          : add_pair_moment(moments, sources, kept, sources, kept);
    free(sources);
    return result;
}

struct moments *moments_open(enum moments_kind kind, uint32_t rank_count)
{
    assert(rank_count > 0);
    struct moments *moments = calloc(1, sizeof *moments);
    if (!moments)
        return NULL;
    *moments = (struct moments){.kind = kind, .free = NONE};
    moments->namings = calloc((size_t)rank_count + 1, sizeof *moments->namings);
    for (uint32_t rank = 0; moments->namings && rank <= rank_count; rank++)
        moments->namings[rank] = naming_of(rank);
    const struct difference zero = difference_zero();
    if (moments->namings && kind == MOMENTS_TERMS)
        add_difference(moments, &zero);
    else if (moments->namings)
        add_pair_moment(moments, NULL, 0, NULL, 0);
    if (moments->namings && !moments->failed)
        return moments;
    moments_close(moments);
    return NULL;
}

void moments_close(struct moments *moments)
{
    if (!moments)
        return;
    free(moments->users);
    free(moments->arrivals.items);
    free(moments->differences);
    free(moments->namings);
    free(moments->above);
    free(moments->below);
    free(moments);
}

/* Fills moments->arrivals; false if out of memory. */
static bool take_arrivals(struct moments *moments, const struct moment_arrival *arrivals,
                          size_t count)
{
    moments->arrivals.count = 0;
    if (!array_reserve(&moments->arrivals, count))
        moments->failed = true;
    for (size_t i = 0; i < count && !moments->failed; i++) {
        struct arrival *arrival = &moments->arrivals.items[moments->arrivals.count++];
        arrival->time = arrivals[i].time;
        arrival->index = (uint32_t)i;
        arrival->needless = false;
        if (moments->kind == MOMENTS_TERMS)
            arrival->difference = moments->differences[arrivals[i].moment];
    }
    return !moments->failed;
}

/* The end of a call if none of its waits is left out (difference_after; sets `needless`). */
static uint32_t moment_after(struct moments *moments, uint32_t rank, uint32_t entered, int64_t time,
                             struct moment_arrival *arrivals, size_t count)
{
    uint32_t result;
    bool same = true; /* the usual case: the arrivals' differences are the call's own */
    for (size_t i = 0; i < count; i++) {
        arrivals[i].needless = true;
        same = same && arrivals[i].moment == entered;
    }
    if (same && !moments->failed)
        return moments_use(moments, entered);
    if (moments->failed || !take_arrivals(moments, arrivals, count))
        return MOMENT_START;
    struct arrival *own = moments->arrivals.items;
    if (moments->kind == MOMENTS_TERMS) {
        const struct difference before = moments->differences[entered];
        struct difference after =
            difference_after(&before, time, own, count, &moments->namings[rank]);
        result = difference_equal(&before, &after) ? moments_use(moments, entered)
                                                   : add_difference(moments, &after);
    } else {
        const struct pair_context context = {moments, arrivals, entered};
        const struct arrival enter = {.time = time, .index = NONE};
        result = arrivals_bind(&enter, own, count, pair_within, &context)
                     ? latest_pair(moments, &context, own, count, time)
                     : moments_use(moments, entered);
    }
    for (size_t i = 0; i < count; i++)
        arrivals[own[i].index].needless = own[i].needless;
    return result;
}

bool wait_may_shrink(int64_t wait, int64_t least_wait)
{
    return wait > 0 && wait >= least_wait;
}

uint32_t moments_end_call(struct moments *moments, uint32_t rank, const struct entered_call *call,
                          struct moment_arrival *arrivals, size_t count)
{
    assert(count == 0 || arrivals);
    int64_t latest = call->time;
    for (size_t i = 0; i < count; i++)
        latest = arrivals[i].time > latest ? arrivals[i].time : latest;
    const int64_t wait = latest - call->time;
    const bool shrinks = wait_may_shrink(wait, call->least_wait);
    uint32_t after = moment_after(moments, rank, call->entered, call->time, arrivals, count);
    if (shrinks) {
        uint32_t skipped = moments_between(moments, rank, call->entered, -wait, after, 0);
        moments_release(moments, after);
        after = skipped;
    }
    if (shrinks || !call->folds)
        for (size_t i = 0; i < count; i++)
            arrivals[i].needless = false;
    return after;
}

uint32_t moments_latest(struct moments *moments, uint32_t rank, struct moment_arrival *arrivals,
                        size_t count)
{
    assert(count > 0);
    if (moments->failed || !take_arrivals(moments, arrivals, count))
        return MOMENT_START;
    struct arrival *own = moments->arrivals.items;
    if (moments->kind == MOMENTS_TERMS) {
        struct difference latest = difference_latest(own, count, &moments->namings[rank]);
        return add_difference(moments, &latest);
    }
    const struct pair_context context = {moments, arrivals, NONE};
    return latest_pair(moments, &context, own, count, 0);
}

uint32_t moments_between(struct moments *moments, uint32_t rank, uint32_t low, int64_t below,
                         uint32_t high, int64_t above)
{
    if (moments->failed)
        return MOMENT_START;
    if (moments->kind == MOMENTS_PAIRS)
        return add_pair_moment(moments, &(struct neighbour){low, below}, 1,
                               &(struct neighbour){high, above}, 1);
    const struct difference least = moments->differences[low], most = moments->differences[high];
    struct difference between =
        difference_between(&least, below, &most, above, &moments->namings[rank]);
    return add_difference(moments, &between);
}

uint32_t moments_unknown(struct moments *moments, uint32_t rank)
{
    if (moments->failed)
        return MOMENT_START;
    if (moments->kind == MOMENTS_PAIRS)
        return add_pair_moment(moments, NULL, 0, NULL, 0);
    struct difference unknown = difference_unknown(&moments->namings[rank]);
    return add_difference(moments, &unknown);
}
