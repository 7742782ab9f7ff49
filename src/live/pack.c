#include "live/pack.h"

#include "base/map.h"
#include "base/mpi/exchange.h"
#include "live/program.h"
#include "report/packing.h"
#include "results/efficiency/focus.h"
#include "threads/teams.h"
#include "trace/environment.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Why the page cannot compute a trace. */
enum live_reason { LIVE_FITS, LIVE_SHARES, LIVE_OVERLAPS, LIVE_LARGE, LIVE_REASONS };

static const char *const reasons[LIVE_REASONS] = {
    [LIVE_SHARES] = "messages or computation share bandwidth, or several threads of a process call "
                    "MPI",
    [LIVE_OVERLAPS] = "calls of a rank overlap, or messages are posted outside of calls",
    [LIVE_LARGE] = "the trace has too many calls for a page",
};

/* The last parallel region in which a thread has taken part. */
struct worker_part {
    size_t team; /* + 1; 0: none yet */
    uint64_t end;
};

/* The part of this process while it is packed. */
struct live_packer {
    const struct trace *trace;
    const struct model_part *part;
    struct map lists;                   /* of the terms of a cost -> list */
    ARRAY(uint32_t) firsts;             /* [list]: index of a cost with these terms */
    struct bytes columns[LIVE_COLUMNS]; /* of all ranks */
    struct bytes counts;                /* of steps, segments, bounds per rank */
    uint64_t steps, segments, bounds;   /* of the rank */
    uint64_t all_steps, all_segments, all_bounds;
    uint64_t last_bound; /* the end of the last bound of the rank */
    double poll_gap_s;
    struct call_walk gaps; /* of the rank */
    struct teams teams;    /* of the rank */
    uint64_t *forks;       /* [team]: number of segments before it */
    size_t next_team;
    bool has_workers;            /* other threads of the rank have parts in its teams */
    struct worker_part *workers; /* [carried stream] */
    int64_t *in_teams;           /* [path]: 1: threads of parallel regions compute in it */
    int64_t *in_threads;         /* [path]: 1: threads other than those of ranks do */
    size_t next_step, next_span;
    uint32_t row, path; /* the next row, and the call path after the row before it */
    uint32_t last_slot[STEP_END + 1];
    const struct live_head *head;
    struct focus_rows focus; /* of the rank */
    int borders;             /* of the focus that have been passed */
    enum live_reason why;    /* the ranks cannot be packed */
    bool no_memory;
};

static void pack_number(struct live_packer *packer, struct bytes *bytes, uint64_t number)
{
    packer->no_memory |= !packing_put(bytes, number);
}

static void put_in(struct live_packer *packer, enum live_column column, uint64_t number)
{
    pack_number(packer, &packer->columns[column], number);
}

static uint64_t signed_number(int64_t number)
{
    return number < 0 ? ~((uint64_t)number << 1) : (uint64_t)number << 1;
}

static int64_t row_ticks(const struct live_packer *packer, const struct stream *stream,
                         uint32_t row)
{
    return (int64_t)(stream->time[row] - packer->trace->begin);
}

static uint64_t hash_terms(const struct call_term *terms, uint32_t count)
{
    uint64_t hash = count;
    for (uint32_t i = 0; i < count; i++) {
        const struct call_term *term = &terms[i];
        hash = map_mix(hash) ^ term->bytes;
        hash = map_mix(hash) ^ ((uint64_t)term->members << 32 | (uint64_t)term->kind << 28 |
                                (uint64_t)term->distance << 20 | (uint64_t)term->synchronous << 16 |
                                (uint64_t)term->op << 8 | term->algorithm);
    }
    return map_mix(hash);
}

static bool same_terms(const struct call_term *a, const struct call_term *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (a[i].bytes != b[i].bytes || a[i].members != b[i].members || a[i].kind != b[i].kind ||
            a[i].distance != b[i].distance || a[i].synchronous != b[i].synchronous ||
            a[i].op != b[i].op || a[i].algorithm != b[i].algorithm)
            return false;
    return true;
}

/* 1 + the number of the list with the terms of a cost; 0: it has none. */
static uint32_t list_of(struct live_packer *packer, size_t step)
{
    const struct step_cost *costs = packer->part->costs.items, *cost = &costs[step];
    const struct call_term *terms = packer->part->terms.items;
    if (cost->count == 0)
        return 0;
    for (uint64_t key = hash_terms(terms + cost->first, cost->count);; key++) {
        const uint32_t list = map_get(&packer->lists, key);
        if (list == MAP_NONE) {
            packer->no_memory |= !map_set(&packer->lists, key, (uint32_t)packer->firsts.count) ||
                                 !array_push(&packer->firsts, (uint32_t)step);
            return (uint32_t)packer->firsts.count;
        }
        const struct step_cost *known = &costs[packer->firsts.items[list]];
        if (known->count == cost->count &&
            same_terms(terms + known->first, terms + cost->first, cost->count))
            return list + 1;
        if (packer->no_memory)
            return 0;
    }
}

static void put_code(struct live_packer *packer, uint8_t code, uint64_t segments)
{
    put_in(packer, LIVE_CODES, code | segments << 4);
    packer->steps++;
}

/* A bound for the sum of the segments [first, end) of the rank. */
static void put_bound(struct live_packer *packer, enum live_bound kind, uint64_t first,
                      uint64_t end, uint64_t ticks)
{
    put_in(packer, LIVE_LIMITS, end - packer->last_bound);
    put_in(packer, LIVE_LIMITS, (end - first) * LIVE_BOUNDS + kind);
    put_in(packer, LIVE_LIMITS, ticks);
    packer->last_bound = end;
    packer->bounds++;
}

/* Segment number `segment` ends at a row that enters a region: it may be what divides tests. */
static void bound_gap(struct live_packer *packer, const struct stream *stream, uint32_t row,
                      uint64_t segment)
{
    if (row == 0 || !event_closes(stream->kind[row - 1]))
        return;
    const enum poll_gap gap = call_walk_gap(&packer->gaps, row - 1);
    if (gap != POLL_GAP_ANY)
        put_bound(packer, gap == POLL_GAP_SHORT ? LIVE_AT_MOST : LIVE_AT_LEAST, segment,
                  segment + 1, packer->gaps.poll_gap + (gap == POLL_GAP_LONG));
}

static const struct lane *next_fork(const struct live_packer *packer)
{
    return packer->next_team < packer->teams.list.count
               ? team_lane(&packer->teams, &packer->teams.list.items[packer->next_team], 0)
               : NULL;
}

static const struct lane *last_fork(const struct live_packer *packer)
{
    return packer->next_team > 0
               ? team_lane(&packer->teams, &packer->teams.list.items[packer->next_team - 1], 0)
               : NULL;
}

/* A parallel region begins after `segments` segments of the rank. Each of its threads has ended its
 * part in an earlier one by then (transform/retime.c: set_begins). */
static void bound_team(struct live_packer *packer, uint64_t segments)
{
    const struct trace *trace = packer->trace;
    const size_t t = packer->next_team++;
    const struct team *team = &packer->teams.list.items[t];
    packer->forks[t] = segments;
    for (uint32_t l = 1; l < team->lane_count; l++) {
        const struct lane *lane = team_lane(&packer->teams, team, l);
        const uint64_t *time = trace_any_stream(trace, lane->stream)->time;
        struct worker_part *worker = &packer->workers[lane->stream - trace->owned_count];
        if (worker->team > 0 && packer->forks[worker->team - 1] < segments)
            put_bound(packer, LIVE_AFTER, packer->forks[worker->team - 1], segments,
                      time[lane->first] - worker->end);
        *worker = (struct worker_part){t + 1, time[lane->last]};
    }
}

/* Notes the parallel regions that begin with a row. */
static void pass_forks(struct live_packer *packer, uint32_t row, uint64_t segments)
{
    for (const struct lane *fork; (fork = next_fork(packer)) && fork->first <= row;)
        bound_team(packer, segments);
}

static void put_segment(struct live_packer *packer, uint32_t path, uint64_t length)
{
    put_in(packer, LIVE_PATHS, path + 1u); /* CALLPATH_NONE + 1: 0 */
    put_in(packer, LIVE_LENGTHS, length);
}

/* The call path of the time before a row. A team's first region has the time from the fork up to
 * it, and that from the last region to the join, as in profiles (patterns/thread_waits.c). */
static uint32_t path_before(const struct live_packer *packer, const struct stream *stream,
                            uint32_t row)
{
    const struct lane *lane = last_fork(packer);
    uint32_t first, last;
    if (!lane || !packer->has_workers || row <= lane->first || row > lane->last ||
        !lane_regions(stream, lane, &first, &last))
        return packer->path;
    return row <= first || row > last ? stream->arg[first] : packer->path;
}

/* A visit, or a part of the rank outside or inside of parallel regions, begins or ends. */
static bool is_border(const struct live_packer *packer, const struct stream *stream, uint32_t row)
{
    const struct lane *next = next_fork(packer), *last = last_fork(packer);
    return event_opens(stream->kind[row]) || event_closes(stream->kind[row]) ||
           (next && next->first == row) || (last && last->last == row);
}

/* The computation up to a row (INDEX_NONE: up to the end) as segments, one for each time between
 * two borders, even if it is empty: there visits begin and end. */
static void put_computation(struct live_packer *packer, const struct stream *stream, uint32_t to)
{
    const struct calltree *calltree = &packer->trace->calltree;
    const uint32_t end = to == INDEX_NONE ? stream->count : to + 1;
    uint64_t segments = 0, length = 0;
    assert(end <= stream->count);
    for (; packer->row < end; packer->row++) {
        const uint32_t row = packer->row;
        length += row > 0 ? stream->time[row] - stream->time[row - 1] : 0;
        if ((row > 0 && is_border(packer, stream, row)) || (row == end - 1 && length > 0)) {
            if (event_opens(stream->kind[row]))
                bound_gap(packer, stream, row, packer->segments + segments);
            put_segment(packer, path_before(packer, stream, row), length);
            segments++;
            length = 0;
        }
        pass_forks(packer, row, packer->segments + segments);
        packer->path = callpath_after(calltree, stream, row, packer->path);
    }
    put_code(packer, STEP_FREE, segments);
    packer->segments += segments;
}

/* Passes the rows of a call. The computation between the rounds of a polling loop becomes segments,
 * too. */
static void pass_call(struct live_packer *packer, const struct stream *stream, uint32_t enter,
                      uint32_t leave)
{
    uint64_t segments = 0, computed = 0;
    for (; packer->row <= leave; packer->row++) {
        const uint32_t row = packer->row;
        if (row > enter && callpath_computes(packer->trace, packer->path)) {
            const uint64_t length = stream->time[row] - stream->time[row - 1];
            if (event_opens(stream->kind[row]))
                bound_gap(packer, stream, row, packer->segments + segments);
            put_segment(packer, packer->path, length);
            computed += length;
            segments++;
        }
        pass_forks(packer, row, packer->segments + segments);
        packer->path = callpath_after(&packer->trace->calltree, stream, row, packer->path);
    }
    if (segments == 0)
        return;
    put_code(packer, LIVE_LOOP, segments);
    put_in(packer, LIVE_TIMES,
           signed_number((int64_t)(stream->time[leave] - stream->time[enter] - computed)));
    packer->segments += segments;
}

static void put_slot(struct live_packer *packer, const struct step *step)
{
    put_in(packer, LIVE_SLOTS,
           signed_number((int32_t)(step->slot - packer->last_slot[step->code])));
    packer->last_slot[step->code] = step->slot;
}

/* Posts the moment after the last row for POP's factors (live_focus_slot). */
static void put_focus(struct live_packer *packer, const struct stream *stream)
{
    const struct step post = {
        .code = STEP_POST,
        .slot = live_focus_slot(packer->head, stream->rank, packer->borders++ > 0)};
    put_code(packer, STEP_POST, 0);
    put_slot(packer, &post);
    put_in(packer, LIVE_TIMES, 0);
    put_in(packer, LIVE_LISTS, 0);
}

/* The computation up to a row as in put_computation, divided where POP's run begins and ends. */
static void pass_computation(struct live_packer *packer, const struct stream *stream, uint32_t to)
{
    if (stream->count == 0)
        return;
    const uint32_t last = to == INDEX_NONE ? stream->count - 1 : to;
    while (packer->borders < 2) {
        const uint32_t border = packer->borders == 0 ? packer->focus.first : packer->focus.last;
        if (border > last)
            break;
        if (packer->row <= border)
            put_computation(packer, stream, border);
        put_focus(packer, stream);
    }
    if (packer->row <= last)
        put_computation(packer, stream, to);
}

/* A step of a call from `enter` to `leave`, in ticks. */
static void pack_step(struct live_packer *packer, size_t number, int64_t enter, int64_t leave,
                      uint32_t path)
{
    const struct step *step = &packer->part->steps.items[number];
    const struct step_cost *cost = &packer->part->costs.items[number];
    int64_t time = cost->base;
    if (step->code > STEP_END || step->sets) {
        packer->why = LIVE_SHARES;
        return;
    }
    put_code(packer, step->code, 0);
    if (step->code == STEP_END) {
        put_in(packer, LIVE_SLOTS, path + 1u);
    } else {
        put_slot(packer, step);
        if (live_waits(step->code))
            time = step->time + enter;
        else if (time != TIME_LONG_AGO) {
            time -= enter;
            if (time < 0 || time > leave - enter)
                packer->why = LIVE_OVERLAPS;
        }
    }
    put_in(packer, LIVE_TIMES, signed_number(time));
    if (live_has_cost(step->code))
        put_in(packer, LIVE_LISTS, list_of(packer, number));
}

/* Marks the call paths in which the threads of a team compute (threads/team_program.c). */
static void mark_team(struct live_packer *packer, const struct team *team)
{
    const struct trace *trace = packer->trace;
    for (uint32_t l = 0; l < team->lane_count; l++) {
        const struct lane *lane = team_lane(&packer->teams, team, l);
        const struct stream *stream = trace_any_stream(trace, lane->stream);
        uint32_t path = l == 0 ? team->path : CALLPATH_NONE;
        for (uint32_t row = lane->first; row < lane->last; row++) {
            path = callpath_after(&trace->calltree, stream, row, path);
            if (path != CALLPATH_NONE && stream->time[row + 1] > stream->time[row])
                packer->in_teams[path] = 1;
        }
    }
}

/* Marks the call paths in which a thread computes that is not that of a rank. */
static void mark_thread(struct live_packer *packer, const struct stream *stream)
{
    const struct calltree *calltree = &packer->trace->calltree;
    uint32_t path = CALLPATH_NONE;
    for (uint32_t row = 0; row + 1 < stream->count; row++) {
        path = callpath_after(calltree, stream, row, path);
        if (path != CALLPATH_NONE && stream->time[row + 1] > stream->time[row])
            packer->in_threads[path] = 1;
    }
}

/* Finds the teams of a rank. */
static void begin_teams(struct live_packer *packer, uint32_t s)
{
    free(packer->forks);
    teams_clear(&packer->teams);
    packer->next_team = 0;
    packer->has_workers = false;
    packer->no_memory |= !teams_find_of_rank(packer->trace, s, false, &packer->teams);
    packer->forks = calloc(packer->teams.list.count + 1, sizeof *packer->forks);
    packer->no_memory |= !packer->forks;
    for (size_t t = 0; t < packer->teams.list.count && !packer->no_memory; t++) {
        mark_team(packer, &packer->teams.list.items[t]);
        packer->has_workers |= packer->teams.list.items[t].lane_count > 1;
    }
}

static void put_rank(struct live_packer *packer, uint32_t s)
{
    const struct stream *stream = &packer->trace->streams[s];
    const struct model_part *part = packer->part;
    const size_t end = packer->next_step + part->step_counts[s];
    packer->steps = packer->segments = packer->bounds = packer->last_bound = 0;
    begin_teams(packer, s);
    if (packer->no_memory)
        return;
    call_walk_open(&packer->gaps, packer->trace, stream, packer->poll_gap_s);
    packer->row = 0;
    packer->path = CALLPATH_NONE;
    packer->borders = 0;
    packer->focus = focus_rows_of(packer->trace, stream);
    memset(packer->last_slot, 0, sizeof packer->last_slot);
    put_in(packer, LIVE_LENGTHS, stream->count > 0 ? (uint64_t)row_ticks(packer, stream, 0) : 0);
    while (packer->next_step < end && !packer->why && !packer->no_memory) {
        const struct call_span span = part->spans.items[packer->next_span++];
        const int64_t enter = row_ticks(packer, stream, span.enter);
        const int64_t leave = row_ticks(packer, stream, span.leave);
        bool ends = false;
        if (packer->row > span.enter) {
            packer->why = LIVE_OVERLAPS;
            return;
        }
        pass_computation(packer, stream, span.enter);
        while (!ends && packer->next_step < end) {
            ends = part->steps.items[packer->next_step].code == STEP_END;
            pack_step(packer, packer->next_step++, enter, leave, packer->path);
        }
        pass_call(packer, stream, span.enter, span.leave);
    }
    pass_computation(packer, stream, INDEX_NONE);
    call_walk_close(&packer->gaps);
    pack_number(packer, &packer->counts, packer->steps);
    pack_number(packer, &packer->counts, packer->segments);
    pack_number(packer, &packer->counts, packer->bounds << 1 | (packer->teams.list.count > 0));
    packer->all_steps += packer->steps;
    packer->all_segments += packer->segments;
    packer->all_bounds += packer->bounds;
}

static void put_term(struct live_packer *packer, struct bytes *bytes, const struct call_term *term)
{
    const uint64_t numbers[] = {term->kind,      term->distance, term->synchronous, term->op,
                                term->algorithm, term->members,  term->bytes};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        pack_number(packer, bytes, numbers[i]);
}

/* The block of this process. */
static void put_block(struct live_packer *packer, struct bytes *bytes)
{
    const struct model_part *part = packer->part;
    uint64_t terms = 0;
    for (size_t i = 0; i < packer->firsts.count; i++)
        terms += part->costs.items[packer->firsts.items[i]].count;
    const uint64_t numbers[] = {packer->trace->owned_count, packer->all_steps,
                                packer->all_segments,       packer->all_bounds,
                                packer->firsts.count,       terms};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        pack_number(packer, bytes, numbers[i]);
    for (size_t i = 0; i < packer->firsts.count; i++) {
        const struct step_cost *cost = &part->costs.items[packer->firsts.items[i]];
        pack_number(packer, bytes, cost->count);
        for (uint32_t k = 0; k < cost->count; k++)
            put_term(packer, bytes, &part->terms.items[cost->first + k]);
    }
    packer->no_memory |= !bytes_put(bytes, packer->counts.data, packer->counts.size);
    for (int c = 0; c < LIVE_COLUMNS; c++)
        pack_number(packer, bytes, packer->columns[c].size);
    for (int c = 0; c < LIVE_COLUMNS; c++)
        packer->no_memory |= !bytes_put(bytes, packer->columns[c].data, packer->columns[c].size);
}

static struct live_head make_head(const struct model *model, const struct layout *layout)
{
    const struct trace *trace = model->trace;
    const struct platform *platform = &model->recorded.platform;
    const struct environment *environment = trace->environment;
    bool near, far;
    const struct platform mapped = {.host = environment ? environment->node : NULL};
    platform_spread(mapped.host ? &mapped : platform, trace->rank_count, &near, &far);
    struct live_head head = {.ticks_per_second = platform->ticks_per_second,
                             .latency = 1,
                             .bandwidth = 1,
                             .overhead = 1,
                             .latency_s = -1,
                             .bandwidth_rate = -1,
                             .eager_limit = UINT64_MAX,
                             .far = far,
                             .version = LIVE_VERSION,
                             .ranks = trace->rank_count,
                             .slots = layout->slot_count + 2 * trace->rank_count,
                             .instances = layout->instance_count,
                             .paths = (uint32_t)trace->calltree.paths.count};
    memcpy(head.distances, platform->machine.distances, sizeof head.distances);
    if (environment) {
        head.latency = environment->latency;
        head.bandwidth = environment->bandwidth;
        head.overhead = environment->overhead;
        head.latency_s = environment->has_latency_s ? environment->latency_s : -1;
        head.bandwidth_rate = environment->has_bandwidth_rate ? environment->bandwidth_rate : -1;
        head.eager_limit = environment->has_eager_limit ? environment->eager_limit : UINT64_MAX;
        head.ideal = environment->ideal;
    }
    return head;
}

static bool is_in_mpi(const struct trace *trace, uint32_t path)
{
    while (path != CALLPATH_NONE && callpath_call(trace, path) == MPI_CALL_NONE)
        path = trace->calltree.paths.items[path].parent;
    return path != CALLPATH_NONE;
}

static void pack_head(struct live_packer *packer, struct bytes *bytes)
{
    const struct trace *trace = packer->trace;
    const struct calltree *calltree = &trace->calltree;
    packer->no_memory |= !bytes_put(bytes, packer->head, sizeof *packer->head);
    for (uint32_t p = 0; p < packer->head->paths; p++) {
        const struct callpath *path = &calltree->paths.items[p];
        const unsigned fixed =
            LIVE_COMMUNICATES | (callpath_communicates(trace, p) ? 0 : LIVE_WAITS);
        const unsigned by_threads = (packer->in_teams[p] ? LIVE_IN_TEAM : 0) |
                                    (packer->in_threads[p] ? LIVE_IN_THREADS : 0);
        pack_number(packer, bytes, path->parent + 1u);
        pack_number(packer, bytes,
                    (callpath_computes(trace, p) ? by_threads : fixed) |
                        (is_in_mpi(trace, p) ? LIVE_IN_MPI : 0));
    }
}

/* Collective. Sends all blocks to process 0. */
static enum status join_blocks(struct live_packer *packer, char **data, size_t *size,
                               struct error *error)
{
    const struct processes *processes = packer->trace->processes;
    struct bytes bytes = {.data = NULL};
    if (processes->rank == 0)
        pack_head(packer, &bytes);
    put_block(packer, &bytes);
    enum status status = processes_agree_memory(processes, !packer->no_memory, "the page", error);
    if (status == STATUS_OK)
        status = exchange_gather(processes, bytes.data, bytes.size, data, size, NULL, error);
    bytes_clear(&bytes);
    return status;
}

/* Packs the ranks of this process. */
static void put_ranks(struct live_packer *packer)
{
    const struct trace *trace = packer->trace;
    for (uint32_t s = 0; s < trace->owned_count && !packer->why && !packer->no_memory; s++)
        put_rank(packer, s);
    for (uint32_t c = 0; c < trace->carried_count && !packer->no_memory; c++)
        if (stream_is_thread(trace, &trace->carried[c]))
            mark_thread(packer, &trace->carried[c]);
}

static void packer_clear(struct live_packer *packer)
{
    for (int c = 0; c < LIVE_COLUMNS; c++)
        bytes_clear(&packer->columns[c]);
    bytes_clear(&packer->counts);
    map_clear(&packer->lists);
    teams_clear(&packer->teams);
    free(packer->forks);
    free(packer->workers);
    free(packer->in_teams);
    free(packer->in_threads);
    free(packer->firsts.items);
}

enum status live_pack(const struct model *model, char **data, size_t *size, const char **why,
                      struct error *error)
{
    const struct trace *trace = model->trace;
    struct model_part part = {.has_growth = false};
    struct layout layout;
    assert(trace->matched);
    *data = NULL;
    *size = 0;
    enum status status = model_explain(model, &part, &layout, error);
    if (status != STATUS_OK)
        return status;
    const struct live_head head = make_head(model, &layout);
    struct live_packer packer = {
        .trace = trace,
        .part = &part,
        .head = &head,
        .poll_gap_s = model->poll_gap_s,
        .workers = calloc((size_t)trace->carried_count + 1, sizeof *packer.workers),
        .in_teams = calloc((size_t)head.paths + 1, sizeof *packer.in_teams),
        .in_threads = calloc((size_t)head.paths + 1, sizeof *packer.in_threads)};
    packer.no_memory = !packer.workers || !packer.in_teams || !packer.in_threads;
    if (part.steps.count >= UINT32_MAX || layout.slot_count >= UINT32_MAX / 2)
        packer.why = LIVE_LARGE;
    put_ranks(&packer);
    int64_t reason = packer.why;
    processes_max(trace->processes, &reason, 1);
    *why = reasons[reason];
    status = processes_agree_memory(trace->processes, !packer.no_memory, "the page", error);
    if (status == STATUS_OK) {
        processes_max(trace->processes, packer.in_teams, head.paths);
        processes_max(trace->processes, packer.in_threads, head.paths);
    }
    if (status == STATUS_OK && reason == LIVE_FITS)
        status = join_blocks(&packer, data, size, error);
    packer_clear(&packer);
    part_clear(&part);
    layout_clear(&layout);
    return status;
}
