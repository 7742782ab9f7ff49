#include "reduce/rules/difference.h"

#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define OWNER_BITS 40 /* a name is an owner, plus 1, and a number of that many bits */

struct naming naming_of(uint32_t owner)
{
    assert(owner < (1u << 24) - 1);
    return (struct naming){(uint64_t)(owner + 1) << OWNER_BITS};
}

/* The sum, kept within the bounds that mean "no bound". */
static int64_t bounded_sum(int64_t a, int64_t b)
{
    if (a >= DIFFERENCE_UNBOUNDED || b >= DIFFERENCE_UNBOUNDED)
        return DIFFERENCE_UNBOUNDED;
    if (a <= -DIFFERENCE_UNBOUNDED || b <= -DIFFERENCE_UNBOUNDED)
        return -DIFFERENCE_UNBOUNDED;
    int64_t sum = a + b;
    return sum > DIFFERENCE_UNBOUNDED    ? DIFFERENCE_UNBOUNDED
           : sum < -DIFFERENCE_UNBOUNDED ? -DIFFERENCE_UNBOUNDED
                                         : sum;
}

struct value_range {
    int64_t low, high;
};

/* By how much `a` is above `b`. */
static struct value_range variable_above(const struct variable *a, const struct variable *b)
{
    if (a->name == b->name)
        return (struct value_range){0, 0};
    if (a->parent == b->name)
        return (struct value_range){a->low, a->high};
    if (b->parent == a->name)
        return (struct value_range){-b->high, -b->low};
    if (a->parent == b->parent && a->parent != VARIABLE_NONE)
        return (struct value_range){bounded_sum(a->low, -b->high), bounded_sum(a->high, -b->low)};
    return (struct value_range){-DIFFERENCE_UNBOUNDED, DIFFERENCE_UNBOUNDED};
}

static bool term_within(const struct difference_term *a, const struct difference_term *b,
                        int64_t slack)
{
    int64_t high = variable_above(&a->variable, &b->variable).high;
    return high < DIFFERENCE_UNBOUNDED && high <= bounded_sum(b->offset, slack) - a->offset;
}

bool difference_within(const struct difference *a, const struct difference *b, int64_t slack)
{
    for (uint32_t i = 0; i < a->count; i++) {
        bool within = false;
        for (uint32_t k = 0; k < b->count && !within; k++)
            within = term_within(&a->terms[i], &b->terms[k], slack);
        if (!within)
            return false;
    }
    return true;
}

bool difference_equal(const struct difference *a, const struct difference *b)
{
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->terms[i].variable.name != b->terms[i].variable.name ||
            a->terms[i].offset != b->terms[i].offset)
            return false;
    return true;
}

struct difference difference_zero(void)
{
    return (struct difference){{{{0, VARIABLE_NONE, 0, 0}, 0}}, 1};
}

struct difference difference_unknown(struct naming *naming)
{
    return (struct difference){
        {{{naming->next++, VARIABLE_NONE, -DIFFERENCE_UNBOUNDED, DIFFERENCE_UNBOUNDED}, 0}}, 1};
}

/* A maximum of terms, each `more` later. */
struct maximum {
    const struct difference_term *terms;
    uint32_t count;
    int64_t more;
};

/* By how much a maximum is above a variable. */
static struct value_range maximum_above(const struct maximum *maximum,
                                        const struct variable *variable)
{
    struct value_range range = {-DIFFERENCE_UNBOUNDED, -DIFFERENCE_UNBOUNDED};
    for (uint32_t i = 0; i < maximum->count; i++) {
        struct value_range above = variable_above(&maximum->terms[i].variable, variable);
        int64_t offset = maximum->terms[i].offset;
        int64_t low = bounded_sum(bounded_sum(above.low, offset), maximum->more);
        int64_t high = bounded_sum(bounded_sum(above.high, offset), maximum->more);
        range.low = low > range.low ? low : range.low;
        range.high = high > range.high ? high : range.high;
    }
    return range;
}

static bool is_bounded(int64_t bound)
{
    return bound < DIFFERENCE_UNBOUNDED && bound > -DIFFERENCE_UNBOUNDED;
}

/* Better: more bounds, then bounds closer to each other. */
static bool is_tighter(const struct variable *a, const struct variable *b)
{
    int bounds_of_a = is_bounded(a->low) + is_bounded(a->high);
    int bounds_of_b = is_bounded(b->low) + is_bounded(b->high);
    return bounds_of_a != bounds_of_b
               ? bounds_of_a > bounds_of_b
               : bounded_sum(a->high, -a->low) < bounded_sum(b->high, -b->low);
}

/* Describes the variable by its distance from `parent` if that says more than `variable` does. */
static void describe_by(struct variable *variable, const struct variable *parent,
                        const struct maximum *low, const struct maximum *high)
{
    struct variable other = {variable->name, parent->name, maximum_above(low, parent).low,
                             maximum_above(high, parent).high};
    if (parent->name != VARIABLE_NONE && is_tighter(&other, variable))
        *variable = other;
}

/* A variable between two maxima. Variables of the same owner are described by their parents, so
 * that what several owners have in common stays the parent of all. */
static struct difference variable_between(const struct maximum *low, const struct maximum *high,
                                          struct naming *naming)
{
    const struct maximum *const both[] = {high, low};
    struct variable variable = {naming->next++, VARIABLE_NONE, -DIFFERENCE_UNBOUNDED,
                                DIFFERENCE_UNBOUNDED};
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < both[side]->count; i++) {
            const struct variable *term = &both[side]->terms[i].variable;
            const struct variable parent = {term->parent, VARIABLE_NONE, 0, 0};
            bool own = term->name >> OWNER_BITS == variable.name >> OWNER_BITS;
            if (!own || term->parent == VARIABLE_NONE)
                describe_by(&variable, term, low, high);
            describe_by(&variable, &parent, low, high);
        }
    return (struct difference){{{variable, 0}}, 1};
}

struct difference difference_between(const struct difference *low, int64_t below,
                                     const struct difference *high, int64_t above,
                                     struct naming *naming)
{
    struct maximum least = {low->terms, low->count, below};
    struct maximum most = {high->terms, high->count, above};
    return variable_between(&least, &most, naming);
}

/* A maximum that is put together; its times are relative to `time`. */
struct latest {
    struct difference_term terms[16];
    uint32_t count; /* in ascending order of names; none is superfluous */
    int64_t time;
    struct naming *naming;
};

static struct difference_term opaque_term(struct latest *latest)
{
    struct maximum maximum = {latest->terms, latest->count, 0};
    return variable_between(&maximum, &maximum, latest->naming).terms[0];
}

/* Adds a term, and removes those that it makes superfluous. */
static void add_maximum_term(struct latest *latest, struct difference_term term)
{
    enum { ROOM = sizeof latest->terms / sizeof *latest->terms };
    uint32_t kept = 0;
    for (uint32_t i = 0; i < latest->count; i++)
        if (term_within(&term, &latest->terms[i], 0))
            return;
    for (uint32_t i = 0; i < latest->count; i++)
        if (!term_within(&latest->terms[i], &term, 0))
            latest->terms[kept++] = latest->terms[i];
    if (kept == ROOM) {
        latest->terms[0] = opaque_term(latest);
        kept = 1;
    }
    uint32_t place = kept;
    for (; place > 0 && latest->terms[place - 1].variable.name > term.variable.name; place--)
        latest->terms[place] = latest->terms[place - 1];
    latest->terms[place] = term;
    latest->count = kept + 1;
}

static void add_moment(struct latest *latest, const struct difference *difference, int64_t time)
{
    if (latest->count > 0 && time > latest->time)
        for (uint32_t i = 0; i < latest->count; i++)
            latest->terms[i].offset -= time - latest->time;
    if (latest->count == 0 || time > latest->time)
        latest->time = time;
    for (uint32_t i = 0; i < difference->count; i++) {
        struct difference_term term = difference->terms[i];
        term.offset += time - latest->time;
        add_maximum_term(latest, term);
    }
}

static struct difference difference_of(struct latest *latest)
{
    struct difference result = {.count = latest->count};
    if (latest->count > DIFFERENCE_TERMS)
        return (struct difference){{opaque_term(latest)}, 1};
    memcpy(result.terms, latest->terms, latest->count * sizeof *latest->terms);
    return result;
}

/* The latest of the moments that are not needless. */
static struct difference latest_of(const struct difference *first, int64_t time,
                                   const struct arrival *others, size_t count,
                                   struct naming *naming)
{
    struct latest latest = {.naming = naming};
    add_moment(&latest, first, time);
    for (size_t i = 0; i < count; i++)
        if (!others[i].needless)
            add_moment(&latest, &others[i].difference, others[i].time);
    return difference_of(&latest);
}

ORDER_BY(order_latest_first, struct arrival, DESCENDING(time) ?: ASCENDING(index))

/* Marks the arrivals that always come before one that stays. The latest come first. */
static void mark_needless(struct arrival *arrivals, size_t count, arrival_within *within,
                          const void *context)
{
    enum { COMPARED = 8 }; /* arrivals that stay and that each one is compared with, at most */
    size_t leaders[COMPARED], leader_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct arrival *arrival = &arrivals[i];
        for (size_t k = 0; k < leader_count && !arrival->needless; k++)
            arrival->needless = within(context, arrival, &arrivals[leaders[k]],
                                       arrivals[leaders[k]].time - arrival->time);
        if (!arrival->needless && leader_count < COMPARED)
            leaders[leader_count++] = i;
    }
}

bool arrivals_bind(const struct arrival *entered, struct arrival *arrivals, size_t count,
                   arrival_within *within, const void *context)
{
    bool binds = false;
    for (size_t i = 0; i < count; i++) {
        struct arrival *arrival = &arrivals[i];
        arrival->needless = within(context, arrival, entered, entered->time - arrival->time);
        bool same = arrival->needless ||
                    (within(context, arrival, entered, 0) && within(context, entered, arrival, 0));
        binds |= !same;
    }
    for (size_t i = 0; i < count && !binds; i++)
        arrivals[i].needless = true;
    if (binds && count > 1)
        qsort(arrivals, count, sizeof *arrivals, order_latest_first);
    if (binds)
        mark_needless(arrivals, count, within, context);
    return binds;
}

static bool moment_within(const void *context, const struct arrival *a, const struct arrival *b,
                          int64_t slack)
{
    (void)context;
    return difference_within(&a->difference, &b->difference, slack);
}

struct difference difference_after(const struct difference *entered, int64_t time,
                                   struct arrival *arrivals, size_t count, struct naming *naming)
{
    const struct arrival enter = {.difference = *entered, .time = time};
    return arrivals_bind(&enter, arrivals, count, moment_within, NULL)
               ? latest_of(entered, time, arrivals, count, naming)
               : *entered;
}

struct difference difference_latest(struct arrival *moments, size_t count, struct naming *naming)
{
    assert(count > 0);
    if (count > 1)
        qsort(moments, count, sizeof *moments, order_latest_first);
    for (size_t i = 0; i < count; i++)
        moments[i].needless = false;
    mark_needless(moments, count, moment_within, NULL);
    return latest_of(&moments[0].difference, moments[0].time, moments + 1, count - 1, naming);
}
