#include "live/program_private.h"

#include <stdlib.h>
#include <string.h>

/* Reads beyond the end give 0 and set `broken`. */
struct live_reader {
    const unsigned char *at, *end;
    bool broken;
};

static uint64_t read_long_number(struct live_reader *reader)
{
    uint64_t number = 0;
    for (int shift = 0; shift < 64 && reader->at < reader->end; shift += 7) {
        const unsigned char byte = *reader->at++;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return number;
    }
    reader->broken = true;
    return 0;
}

/* Most numbers have one byte. */
static inline uint64_t read_number(struct live_reader *reader)
{
    if (reader->at < reader->end && *reader->at < 0x80)
        return *reader->at++;
    return read_long_number(reader);
}

static inline int64_t read_signed(struct live_reader *reader)
{
    const uint64_t number = read_number(reader);
    return (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
}

/* A number below `limit`. */
static inline uint32_t read_below(struct live_reader *reader, uint64_t limit)
{
    const uint64_t number = read_number(reader);
    if (number < limit && number <= UINT32_MAX)
        return (uint32_t)number;
    reader->broken = true;
    return 0;
}

static void read_term(struct live_reader *reader, struct call_term *term)
{
    term->kind = (uint8_t)read_below(reader, TERM_SYNC + 1);
    term->distance =
        (uint8_t)read_below(reader, term->kind == TERM_SYNC ? 1 << DISTANCE_COUNT : DISTANCE_COUNT);
    term->synchronous = (uint8_t)read_below(reader, 2);
    term->op = (uint8_t)read_below(reader, COLLECTIVE_OP_COUNT);
    term->algorithm = (uint8_t)read_below(reader, ALGORITHM_COUNT);
    term->members = read_below(reader, UINT32_MAX);
    term->bytes = read_number(reader);
}

/* Grows an array by `more` items. */
static bool live_extend(struct live_reader *reader, void *array, size_t size, size_t count,
                        uint64_t more)
{
    void **items = array;
    if (reader->broken || more > SIZE_MAX / 2 / size - count)
        return false;
    void *grown = realloc(*items, (count + (size_t)more + 1) * size);
    if (grown)
        *items = grown;
    return grown != NULL;
}

static uint32_t slots_of(const struct live_head *head, uint8_t code)
{
    return code == STEP_ARRIVE || code == STEP_AWAIT ? head->instances : head->slots;
}

/* A post that belongs to POP's run divides the segments. */
static void note_focus(struct live_program *p, uint32_t slot, size_t segment)
{
    const uint32_t first = live_focus_slot(&p->head, 0, false);
    if (slot >= first)
        p->focus[slot - first] = segment;
}

/* The segments of a STEP_FREE that are in MPI calls without steps. */
static bool is_stepless(const struct live_program *p, bool loop, uint32_t path)
{
    return !loop && path > 0 && p->flags[path - 1] & LIVE_IN_MPI;
}

static void read_step(struct live_program *p, struct live_reader *columns, size_t first_list,
                      uint32_t *last_slot, size_t *segment, size_t segment_end)
{
    const uint64_t number = read_number(&columns[LIVE_CODES]);
    const uint8_t code = number & 15;
    struct step step = {.code = code == LIVE_LOOP ? STEP_FREE : code};
    if (code == STEP_FREE || code == LIVE_LOOP) {
        if (number >> 4 > segment_end - *segment) {
            columns->broken = true;
            return;
        }
        for (const size_t last = *segment + (number >> 4); *segment < last; (*segment)++) {
            const uint32_t path = read_below(&columns[LIVE_PATHS], p->head.paths + 1ull);
            p->segment_paths[*segment] = path;
            p->stepless_count += is_stepless(p, code == LIVE_LOOP, path);
            const uint64_t length = read_number(&columns[LIVE_LENGTHS]);
            columns->broken |= length > PACE_TICKS_MOST;
            p->recorded[*segment] = (int64_t)length;
        }
        if (code == LIVE_LOOP) {
            const int64_t in_calls = read_signed(&columns[LIVE_TIMES]);
            columns->broken |= in_calls < 0 || (uint64_t)in_calls > PACE_TICKS_MOST ||
                               number >> 4 == 0 || p->step_count == 0 ||
                               p->steps[p->step_count - 1].code != STEP_END;
            step.time = 1 + in_calls;
        }
        step.slot = (uint32_t)p->free_count;
        p->loops[p->free_count] = code == LIVE_LOOP;
        p->last_segments[p->free_count++] = *segment;
    } else if (code <= STEP_END) {
        if (code == STEP_END) {
            step.slot = read_below(&columns[LIVE_SLOTS], p->head.paths + 1ull);
        } else {
            step.slot = last_slot[code] + (uint32_t)read_signed(&columns[LIVE_SLOTS]);
            last_slot[code] = step.slot;
            columns->broken |=
                step.slot >= slots_of(&p->head, code) ||
                (code == STEP_POST_SCAN && (step.slot < 1 || step.slot + 2 >= p->head.slots));
            if (code == STEP_POST && !columns->broken)
                note_focus(p, step.slot, *segment);
            if (code == STEP_ARRIVE && !columns->broken)
                p->members[step.slot]++;
        }
        step.time = read_signed(&columns[LIVE_TIMES]);
        if (live_has_cost(code)) {
            const uint64_t list = read_below(&columns[LIVE_LISTS], p->list_count - first_list + 1);
            p->costs[p->cost_count++] = (struct live_cost){
                .base = step.time,
                .step = p->step_count,
                .list = list == 0 ? RANK_NONE : (uint32_t)(first_list + list - 1)};
        }
    } else {
        columns->broken = true;
    }
    p->steps[p->step_count++] = step;
}

/* The limits of a rank whose segments are [begin, end). */
static void read_limits(struct live_program *p, struct live_reader *column, uint64_t count,
                        size_t begin, size_t end)
{
    const int64_t *lengths = p->recorded;
    size_t last = begin;
    for (uint64_t i = 0; i < count && !column->broken; i++) {
        struct live_limit limit;
        const uint64_t after = read_number(column), kind = read_number(column),
                       ticks = read_number(column);
        column->broken |= after > end - last || kind / LIVE_BOUNDS > last + after - begin ||
                          ticks > PACE_TICKS_MOST;
        if (column->broken)
            return;
        last += (size_t)after;
        limit = (struct live_limit){.first = last - (size_t)(kind / LIVE_BOUNDS),
                                    .end = last,
                                    .ticks = (int64_t)ticks,
                                    .kind = (enum live_bound)(kind % LIVE_BOUNDS)};
        if (limit.kind == LIVE_AFTER) {
            uint64_t recorded = 0; /* damaged data may overflow */
            for (size_t k = limit.first; k < limit.end; k++)
                recorded += (uint64_t)lengths[k];
            limit.ticks = (int64_t)(recorded - ticks);
        }
        p->limits[p->limit_count++] = limit;
    }
}

/* The numbers of steps, segments and bounds of a rank. */
static bool read_counts(struct live_program *p, struct live_reader *reader, uint32_t rank,
                        size_t step_room, size_t segment_room, size_t limit_room)
{
    const uint64_t steps = read_number(reader), segments = read_number(reader);
    const uint64_t limits = read_number(reader);
    if (steps > step_room - p->first[rank] || segments > segment_room - p->first_segment[rank] ||
        limits >> 1 > limit_room - p->first_limit[rank])
        return false;
    p->first[rank + 1] = p->first[rank] + (size_t)steps;
    p->first_segment[rank + 1] = p->first_segment[rank] + (size_t)segments;
    p->first_limit[rank + 1] = p->first_limit[rank] + (size_t)(limits >> 1);
    p->has_teams[rank] = limits & 1;
    return true;
}

static bool read_columns(struct live_reader *reader, struct live_reader *columns)
{
    uint64_t sizes[LIVE_COLUMNS];
    for (int c = 0; c < LIVE_COLUMNS; c++)
        sizes[c] = read_number(reader);
    for (int c = 0; c < LIVE_COLUMNS; c++) {
        if (reader->broken || sizes[c] > (size_t)(reader->end - reader->at))
            return false;
        columns[c] = (struct live_reader){reader->at, reader->at + sizes[c], false};
        reader->at += sizes[c];
    }
    return true;
}

static bool live_read_rank(struct live_program *p, struct live_reader *columns, uint32_t rank,
                           size_t first_list)
{
    uint32_t last_slot[STEP_END + 1] = {0};
    const size_t segment_end = p->first_segment[rank + 1];
    size_t segment = p->first_segment[rank];
    p->begin[rank] = (int64_t)read_number(&columns[LIVE_LENGTHS]);
    while (p->step_count < p->first[rank + 1] && !columns->broken)
        read_step(p, columns, first_list, last_slot, &segment, segment_end);
    read_limits(p, &columns[LIVE_LIMITS], p->first_limit[rank + 1] - p->first_limit[rank],
                p->first_segment[rank], segment_end);
    p->segment_count = segment_end;
    p->first_free[rank + 1] = p->free_count;
    return !columns->broken && segment == segment_end && p->limit_count == p->first_limit[rank + 1];
}

static bool read_block(struct live_program *p, struct live_reader *reader, uint32_t *rank)
{
    const uint32_t ranks = read_below(reader, p->head.ranks - *rank + 1ull);
    const uint64_t steps = read_number(reader), segments = read_number(reader);
    const uint64_t limits = read_number(reader), lists = read_number(reader),
                   terms = read_number(reader);
    const uint64_t left = (uint64_t)(reader->end - reader->at);
    const size_t first_list = p->list_count, step_room = p->step_count + (size_t)steps;
    const size_t segment_room = p->segment_count + (size_t)segments,
                 term_room = p->term_count + (size_t)terms,
                 limit_room = p->limit_count + (size_t)limits;
    if (steps > left || segments > left || limits > left || lists > left || terms > left ||
        !live_extend(reader, &p->limits, sizeof *p->limits, p->limit_count, limits) ||
        !live_extend(reader, &p->steps, sizeof *p->steps, p->step_count, steps) ||
        !live_extend(reader, &p->costs, sizeof *p->costs, p->cost_count, steps) ||
        !live_extend(reader, &p->loops, sizeof *p->loops, p->free_count, steps) ||
        !live_extend(reader, &p->last_segments, sizeof *p->last_segments, p->free_count, steps) ||
        !live_extend(reader, &p->segment_paths, sizeof *p->segment_paths, p->segment_count,
                     segments) ||
        !live_extend(reader, &p->recorded, sizeof *p->recorded, p->segment_count, segments) ||
        !live_extend(reader, &p->first_term, sizeof *p->first_term, p->list_count, lists) ||
        !live_extend(reader, &p->terms, sizeof *p->terms, p->term_count, terms))
        return false;
    if (first_list == 0)
        p->first_term[0] = 0;
    for (uint64_t i = 0; i < lists; i++) {
        const uint64_t count = read_number(reader);
        if (count > term_room - p->term_count)
            return false;
        for (uint64_t k = 0; k < count; k++)
            read_term(reader, &p->terms[p->term_count++]);
        p->first_term[++p->list_count] = p->term_count;
    }
    struct live_reader columns[LIVE_COLUMNS];
    for (uint32_t r = *rank; r < *rank + ranks; r++)
        if (!read_counts(p, reader, r, step_room, segment_room, limit_room))
            return false;
    if (!read_columns(reader, columns))
        return false;
    for (const uint32_t end = *rank + ranks; *rank < end; ++*rank)
        if (!live_read_rank(p, columns, *rank, first_list))
            return false;
    for (int c = 0; c < LIVE_COLUMNS; c++)
        if (columns[c].broken || columns[c].at < columns[c].end)
            return false;
    return !reader->broken;
}

static bool live_allocate(struct live_program *p)
{
    const size_t ranks = p->head.ranks + (size_t)1, paths = p->head.paths + (size_t)1;
    const size_t instances = p->head.instances + (size_t)1;
    p->parents = calloc(paths, sizeof *p->parents);
    p->flags = calloc(paths, sizeof *p->flags);
    p->changes = calloc(paths, sizeof *p->changes);
    p->first = calloc(ranks, sizeof *p->first);
    p->first_free = calloc(ranks, sizeof *p->first_free);
    p->paced = calloc(paths, sizeof *p->paced);
    p->first_segment = calloc(ranks, sizeof *p->first_segment);
    p->begin = calloc(ranks, sizeof *p->begin);
    p->slots = malloc((p->head.slots + (size_t)1) * sizeof *p->slots);
    p->instances = malloc(instances * sizeof *p->instances);
    p->members = calloc(instances, sizeof *p->members);
    p->calls = calloc(ranks, sizeof *p->calls);
    p->in_calls = calloc(paths, sizeof *p->in_calls);
    p->computes = calloc(paths, sizeof *p->computes);
    p->computed_in = calloc(paths, sizeof *p->computed_in);
    p->spent = calloc(paths, sizeof *p->spent);
    p->ranks = malloc(ranks * sizeof *p->ranks);
    p->focus = calloc(2 * ranks, sizeof *p->focus);
    p->computed = calloc(ranks, sizeof *p->computed);
    p->looped = calloc(ranks, sizeof *p->looped);
    p->first_limit = calloc(ranks, sizeof *p->first_limit);
    p->has_teams = calloc(ranks, sizeof *p->has_teams);
    p->rank_parts = calloc(ranks, sizeof *p->rank_parts);
    p->paced_before = calloc(paths, sizeof *p->paced_before);
    p->first_visit = calloc(ranks, sizeof *p->first_visit);
    p->ready = (struct ready_ranks){.stack = malloc(ranks * sizeof *p->ready.stack),
                                    .next = malloc(ranks * sizeof *p->ready.next)};
    return p->parents && p->flags && p->changes && p->paced && p->first && p->first_free &&
           p->first_segment && p->begin && p->slots && p->instances && p->members && p->calls &&
           p->in_calls && p->computes && p->computed_in && p->spent && p->ranks && p->focus &&
           p->computed && p->looped && p->first_limit && p->has_teams && p->rank_parts &&
           p->paced_before && p->first_visit && p->ready.stack && p->ready.next;
}

static bool find_stepless(struct live_program *p)
{
    size_t count = 0, segment = 0;
    p->stepless = malloc((p->stepless_count + 1) * sizeof *p->stepless);
    p->first_stepless = calloc(p->free_count + 1, sizeof *p->first_stepless);
    if (!p->stepless || !p->first_stepless)
        return false;
    for (size_t free = 0; free < p->free_count; free++) {
        for (; segment < p->last_segments[free]; segment++)
            if (is_stepless(p, p->loops[free], p->segment_paths[segment]))
                p->stepless[count++].segment = segment;
        p->first_stepless[free + 1] = count;
    }
    assert(count == p->stepless_count);
    p->stepless[count].segment = SIZE_MAX;
    return true;
}

static bool read_program(struct live_program *p, struct live_reader *reader)
{
    uint32_t rank = 0;
    if ((size_t)(reader->end - reader->at) < sizeof p->head)
        return false;
    memcpy(&p->head, reader->at, sizeof p->head);
    reader->at += sizeof p->head;
    if (p->head.version != LIVE_VERSION || p->head.slots < 2 * (uint64_t)p->head.ranks ||
        !live_allocate(p))
        return false;
    for (uint32_t i = 0; i < p->head.paths; i++) {
        p->parents[i] = read_below(reader, i + 1ull);
        p->flags[i] = (uint8_t)read_below(reader, LIVE_PATH_FLAGS);
        p->computes[i + 1] =
            (p->flags[i] & (LIVE_COMMUNICATES | LIVE_WAITS)) == LIVE_COMMUNICATES ? 0 : -1;
    }
    p->computes[0] = -1;
    while (reader->at < reader->end)
        if (!read_block(p, reader, &rank))
            return false;
    p->changed = malloc((p->segment_count + 1) * sizeof *p->changed);
    p->computation = malloc((p->free_count + 1) * sizeof *p->computation);
    p->sums = malloc((p->segment_count + 1) * sizeof *p->sums);
    p->parts = malloc((p->segment_count + p->free_count + 1) * sizeof *p->parts);
    p->ticks = malloc((p->list_count + 1) * sizeof *p->ticks);
    return !reader->broken && rank == p->head.ranks && p->changed && p->computation && p->ticks &&
           p->sums && p->parts && find_stepless(p);
}

struct live_program *live_open(const unsigned char *data, size_t size)
{
    struct live_program *p = calloc(1, sizeof *p);
    struct live_reader reader = {data, data + size, false};
    if (p && read_program(p, &reader)) {
        live_restart(p);
        live_network(p, 1, 1, -1, -1);
        return p;
    }
    live_close(p);
    return NULL;
}

void live_close(struct live_program *p)
{
    if (!p)
        return;
    void *const arrays[] = {
        p->parents,     p->flags,          p->changes,       p->terms,       p->first_term,
        p->ticks,       p->steps,          p->costs,         p->first,       p->first_segment,
        p->begin,       p->changed,        p->segment_paths, p->recorded,    p->slots,
        p->members,     p->instances,      p->ranks,         p->ready.stack, p->ready.next,
        p->calls,       p->in_calls,       p->computed_in,   p->spent,       p->computes,
        p->focus,       p->computed,       p->first_visit,   p->visits,      p->picture,
        p->first_free,  p->last_segments,  p->computation,   p->paced,       p->limits,
        p->first_limit, p->has_teams,      p->sums,          p->looped,      p->loops,
        p->stepless,    p->first_stepless, p->parts,         p->rank_parts,  p->paced_before};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    free(p);
}

const struct live_head *live_head_of(const struct live_program *program)
{
    return &program->head;
}
