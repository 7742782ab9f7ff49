/* The walk of equations/walk_template.h with functions: a moment is a function of x, the ticks by
 * which the latency differs, stored as an envelope of straight lines. */
#include "replay/model/parametric.h"

#include "equations/walk.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef __int128 wide;

bool envelopes_open(struct envelopes *envelopes, struct envelope_range range)
{
    assert(range.low <= range.high);
    memset(envelopes, 0, sizeof *envelopes);
    envelopes->range = range;
    envelopes->arena = arena_create();
    return envelopes->arena != NULL;
}

void envelopes_close(struct envelopes *envelopes)
{
    arena_destroy(envelopes->arena);
    free(envelopes->scratch.items);
    memset(envelopes, 0, sizeof *envelopes);
}

struct envelope envelope_zero(void)
{
    static const struct straight zero = {0, 0};
    return (struct envelope){.lines = &zero, .count = 1};
}

static wide line_at(struct straight line, int64_t x)
{
    return line.value + (wide)line.slope * x;
}

int64_t envelope_at(const struct envelope *envelope, int64_t x)
{
    assert(envelope->count > 0);
    wide largest = line_at(envelope_line(envelope, 0), x);
    for (size_t i = 1; i < envelope->count; i++) {
        wide value = line_at(envelope_line(envelope, i), x);
        largest = value > largest ? value : largest;
    }
    return (int64_t)largest;
}

/* Whether line b is nowhere the largest between a and c, with ascending slopes: a and c meet no
 * later than a and b do. */
static bool is_below(struct straight a, struct straight b, struct straight c)
{
    return (wide)(a.value - b.value) * (c.slope - b.slope) >=
           (wide)(b.value - c.value) * (b.slope - a.slope);
}

/* Pushes a line at least as steep as those on the stack; drops lines that are no longer the largest
 * anywhere in the range. Returns the new height. */
static size_t stack_line(struct envelope_range range, struct straight *stack, size_t height,
                         struct straight line)
{
    while (height > 0) {
        struct straight top = stack[height - 1];
        if (line_at(line, range.high) <= line_at(top, range.high))
            return height;
        if (line_at(line, range.low) >= line_at(top, range.low) ||
            (height > 1 && is_below(stack[height - 2], top, line)))
            height--;
        else
            break;
    }
    stack[height] = line;
    return height + 1;
}

static bool same_lines(const struct envelope *envelope, const struct straight *lines, size_t count)
{
    bool same = envelope->count == count;
    for (size_t i = 0; i < count && same; i++) {
        struct straight line = envelope_line(envelope, i);
        same = line.value == lines[i].value && line.slope == lines[i].slope;
    }
    return same;
}

bool envelope_max(struct envelopes *envelopes, const struct envelope *a, const struct envelope *b,
                  struct envelope *larger)
{
    struct envelope first = *a, second = *b;
    size_t height = 0, i = 0, j = 0;
    if (!array_reserve(&envelopes->scratch, first.count + second.count))
        return false;
    struct straight *stack = envelopes->scratch.items;
    while (i < first.count || j < second.count) {
        struct straight line;
        bool take_first =
            j == second.count ||
            (i < first.count && envelope_line(&first, i).slope <= envelope_line(&second, j).slope);
        line = take_first ? envelope_line(&first, i++) : envelope_line(&second, j++);
        height = stack_line(envelopes->range, stack, height, line);
    }
    if (same_lines(&first, stack, height)) {
        *larger = first;
    } else if (same_lines(&second, stack, height)) {
        *larger = second;
    } else {
        larger->shift = (struct straight){0, 0};
        larger->count = height;
        larger->lines = arena_memdup(envelopes->arena, stack, height * sizeof *stack);
    }
    return larger->lines != NULL || height == 0;
}

struct parametric_slot {
    struct envelope value; /* count 0: not filled yet */
    uint32_t waiting;      /* rank, or RANK_NONE */
};

struct parametric_instance {
    struct envelope latest;
    uint32_t missing; /* members that have not arrived */
    uint32_t waiting; /* the rank that began to wait last, or RANK_NONE (struct ready_ranks) */
};

struct parametric_rank {
    struct envelope shift;
    size_t step; /* next one */
};

struct parametric {
    const struct equations *equations;
    struct envelopes envelopes;
    struct parametric_slot *slots;
    struct parametric_instance *instances;
    struct parametric_rank *ranks;
    struct ready_ranks ready;
    bool no_memory;
};

static bool parametric_open(struct parametric *p, const struct equations *equations,
                            struct envelope_range range)
{
    const size_t ranks = equations->rank_count;
    memset(p, 0, sizeof *p);
    p->equations = equations;
    p->slots = calloc((size_t)equations->slot_count + 1, sizeof *p->slots);
    p->instances = calloc((size_t)equations->instance_count + 1, sizeof *p->instances);
    p->ranks = calloc(ranks + 1, sizeof *p->ranks);
    p->ready.stack = malloc((ranks + 1) * sizeof *p->ready.stack);
    p->ready.next = malloc((ranks + 1) * sizeof *p->ready.next);
    if (!envelopes_open(&p->envelopes, range) || !p->slots || !p->instances || !p->ranks ||
        !p->ready.stack || !p->ready.next)
        return false;
    for (uint32_t i = 0; i < equations->slot_count; i++)
        p->slots[i].waiting = RANK_NONE;
    for (uint32_t i = 0; i < equations->instance_count; i++)
        p->instances[i].waiting = RANK_NONE;
    for (size_t i = 0; i < equations->first[ranks]; i++)
        if (equations->steps[i].code == STEP_ARRIVE)
            p->instances[equations->steps[i].slot].missing++;
    for (uint32_t rank = equations->rank_count; rank-- > 0;) {
        p->ranks[rank] =
            (struct parametric_rank){.shift = envelope_zero(), .step = equations->first[rank]};
        ready_ranks_push(&p->ready, rank);
    }
    return true;
}

static void parametric_close(struct parametric *p)
{
    envelopes_close(&p->envelopes);
    free(p->slots);
    free(p->instances);
    free(p->ranks);
    free(p->ready.stack);
    free(p->ready.next);
}

/* The maximum of two moments, of which either may be empty. */
static struct envelope parametric_maximum(struct parametric *p, const struct envelope *a,
                                          const struct envelope *b)
{
    struct envelope larger = *a;
    if (a->count == 0)
        return *b;
    if (!envelope_max(&p->envelopes, a, b, &larger))
        p->no_memory = true;
    return larger;
}

static const struct growth *growth_of(const struct parametric *p, const struct step *step)
{
    return &p->equations->growth[step - p->equations->steps];
}

static struct envelope plus_growth(struct envelope envelope, const struct growth *growth)
{
    return envelope_plus(envelope, (struct straight){growth->time, growth->slope});
}

static struct envelope parametric_sum(const struct parametric *p,
                                      const struct parametric_rank *rank, const struct step *step)
{
    return plus_growth(rank->shift, growth_of(p, step));
}

static void parametric_set(const struct parametric *p, struct parametric_rank *rank,
                           const struct step *step, const struct envelope *value)
{
    rank->shift = plus_growth(*value, growth_of(p, step));
}

static void parametric_raise(struct parametric *p, struct parametric_rank *rank,
                             const struct step *step, const struct envelope *value)
{
    const struct envelope arrival = plus_growth(*value, growth_of(p, step));
    rank->shift = parametric_maximum(p, &rank->shift, &arrival);
}

/* S <- S + max(time + slope x, floor). */
static void parametric_end(struct parametric *p, struct parametric_rank *rank,
                           const struct step *step)
{
    const struct growth *growth = growth_of(p, step);
    const struct envelope before = rank->shift;
    rank->shift = plus_growth(before, growth);
    if (growth->floor == INT64_MIN || line_at((struct straight){growth->time, growth->slope},
                                              p->envelopes.range.low) >= growth->floor)
        return;
    const struct envelope least = envelope_plus(before, (struct straight){growth->floor, 0});
    rank->shift = parametric_maximum(p, &rank->shift, &least);
}

static void parametric_fill(struct parametric *p, uint32_t number, struct envelope value)
{
    struct parametric_slot *slot = &p->slots[number];
    slot->value = value;
    if (slot->waiting != RANK_NONE)
        ready_ranks_push(&p->ready, slot->waiting);
    slot->waiting = RANK_NONE;
}

static void parametric_post(struct parametric *p, const struct step *step, struct envelope value)
{
    parametric_fill(p, step->slot, value);
}

static const struct envelope *parametric_slot(const struct parametric *p, uint32_t slot)
{
    return p->slots[slot].value.count > 0 ? &p->slots[slot].value : NULL;
}

static void parametric_wait_for_slot(struct parametric *p, const struct parametric_rank *rank,
                                     uint32_t slot)
{
    p->slots[slot].waiting = (uint32_t)(rank - p->ranks);
}

static void parametric_arrive(struct parametric *p, const struct parametric_rank *rank,
                              uint32_t number, struct envelope value)
{
    (void)rank;
    struct parametric_instance *instance = &p->instances[number];
    instance->latest = parametric_maximum(p, &instance->latest, &value);
    if (--instance->missing == 0)
        ready_ranks_release(&p->ready, instance->waiting);
}

static const struct envelope *parametric_instance(const struct parametric *p, uint32_t number)
{
    return p->instances[number].missing == 0 ? &p->instances[number].latest : NULL;
}

static void parametric_wait_for_instance(struct parametric *p, const struct parametric_rank *rank,
                                         uint32_t number)
{
    ready_ranks_wait(&p->ready, &p->instances[number].waiting, (uint32_t)(rank - p->ranks));
}

#define WALK(name) parametric_##name
#define WALK_STATE struct parametric
#define WALK_RANK  struct parametric_rank
#define WALK_VALUE struct envelope
#define WALK_STEPS (WALK_SLOTS | WALK_STARTS | WALK_PREFIXES | WALK_INSTANCES)
#include "equations/walk_template.h"

static void parametric_run(struct parametric *p)
{
    const struct equations *equations = p->equations;
    while (p->ready.count > 0 && !p->no_memory) {
        uint32_t number = p->ready.stack[--p->ready.count];
        struct parametric_rank *rank = &p->ranks[number];
        while (rank->step < equations->first[number + 1] && !p->no_memory &&
               parametric_step(p, rank, &equations->steps[rank->step]))
            rank->step++;
    }
}

static bool make_pieces(struct parametric *p, struct latency_pieces *pieces)
{
    struct envelope all = {0};
    for (uint32_t rank = 0; rank < p->equations->rank_count; rank++) {
        const struct envelope last = envelope_plus(
            p->ranks[rank].shift, (struct straight){p->equations->last_event[rank], 0});
        all = parametric_maximum(p, &all, &last);
    }
    pieces->range = p->envelopes.range;
    pieces->count = all.count;
    pieces->lines = malloc((all.count + 1) * sizeof *pieces->lines);
    pieces->starts = malloc((all.count + 1) * sizeof *pieces->starts);
    if (p->no_memory || !pieces->lines || !pieces->starts)
        return false;
    for (size_t i = 0; i < all.count; i++) {
        pieces->lines[i] = envelope_line(&all, i);
        struct straight before = pieces->lines[i > 0 ? i - 1 : 0], line = pieces->lines[i];
        pieces->starts[i] =
            i == 0 ? (double)pieces->range.low
                   : (double)(before.value - line.value) / (double)(line.slope - before.slope);
    }
    pieces->starts[all.count] = (double)pieces->range.high;
    return true;
}

enum status parametric_evaluate(const struct equations *equations, struct envelope_range range,
                                struct latency_pieces *pieces, struct error *error)
{
    assert(range.low <= range.high);
    struct parametric p;
    memset(pieces, 0, sizeof *pieces);
    bool room = parametric_open(&p, equations, range);
    if (room) {
        parametric_run(&p);
        room = !p.no_memory && make_pieces(&p, pieces);
    }
    parametric_close(&p);
    if (!room)
        latency_pieces_clear(pieces);
    return room ? STATUS_OK : error_memory(error, "the latency tolerance");
}

void latency_pieces_clear(struct latency_pieces *pieces)
{
    free(pieces->lines);
    free(pieces->starts);
    memset(pieces, 0, sizeof *pieces);
}

size_t latency_piece_at(const struct latency_pieces *pieces, double x)
{
    assert(pieces->count > 0);
    size_t i = 0;
    while (i + 1 < pieces->count && pieces->starts[i + 1] <= x)
        i++;
    return i;
}

double latency_reaching(const struct latency_pieces *pieces, double time)
{
    assert(pieces->count > 0);
    for (size_t i = latency_piece_at(pieces, 0); i < pieces->count; i++) {
        struct straight line = pieces->lines[i];
        double x = line.slope > 0 ? (time - (double)line.value) / (double)line.slope : INFINITY;
        if ((double)line.value >= time && pieces->starts[i] <= 0)
            return 0;
        if (x <= pieces->starts[i + 1])
            return x > 0 ? x : 0;
    }
    return INFINITY;
}

enum status parametric_tolerance(const struct equations *equations, int64_t latency, double share,
                                 struct latency_pieces *pieces, struct error *error)
{
    assert(latency >= 0 && share > 0);
    struct latency_pieces now = {0};
    enum status status = parametric_evaluate(equations, (struct envelope_range){0, 1}, &now, error);
    if (status != STATUS_OK || now.count == 0) {
        *pieces = now;
        return status;
    }
    struct straight line = now.lines[0];
    double time = (double)line.value, wanted = time * (1 + share);
    latency_pieces_clear(&now);
    /* T is convex: where its line at x = 0 has grown this much, T has, too */
    int64_t high =
        line.slope > 0 ? (int64_t)ceil(time * share / (double)line.slope) + 1 : (int64_t)time + 1;
    for (;; high *= 10) {
        status =
            parametric_evaluate(equations, (struct envelope_range){-latency, high}, pieces, error);
        if (status != STATUS_OK || isfinite(latency_reaching(pieces, wanted)) ||
            (double)high > 1000 * time)
            return status;
        latency_pieces_clear(pieces);
    }
}
