#include "live/program_private.h"
#include "transform/pace.h"

#include <stdlib.h>
#include <string.h>

void live_restart(struct live_program *program)
{
    if (program->segment_count > 0)
        memcpy(program->lengths, program->recorded,
               program->segment_count * sizeof *program->lengths);
}

/* As rewrite_pace (transform/rewrite.c) does with the rows of a stream. `changes` of the call paths
 * are set; `outside`: whether computation outside all regions changes. */
static bool pace_rank(struct live_program *p, uint32_t rank, struct exact_factor factor,
                      bool outside)
{
    uint64_t measured = 0, given = 0;
    for (size_t i = p->first_segment[rank]; i < p->first_segment[rank + 1]; i++) {
        const uint32_t path = p->segment_paths[i];
        if (!(path == 0 ? outside : p->changes[path - 1] & LIVE_CHANGED))
            continue;
        measured += (uint64_t)p->lengths[i];
        const uint64_t target = factor_ticks(factor, measured);
        if (target > PACE_TICKS_MOST)
            return false;
        p->lengths[i] = (int64_t)(target - given);
        given = target;
    }
    return true;
}

/* Marks what computes in the chosen call paths, and in all that is called from them. */
static void mark_chosen_paths(struct live_program *p, const bool *chosen)
{
    for (uint32_t i = 0; i < p->head.paths; i++)
        p->changes[i] =
            chosen[i] || (p->parents[i] > 0 && p->changes[p->parents[i] - 1]) ? LIVE_IN_VISIT : 0;
    for (uint32_t i = 0; i < p->head.paths; i++)
        if (p->changes[i] && !(p->flags[i] & LIVE_COMMUNICATES))
            p->changes[i] |= LIVE_CHANGED;
}

bool live_scale(struct live_program *p, const bool *chosen, double factor)
{
    assert(factor >= 0);
    const struct exact_factor exact = factor_of(factor);
    bool done = true;
    mark_chosen_paths(p, chosen);
    for (uint32_t rank = 0; rank < p->head.ranks && done; rank++)
        done = pace_rank(p, rank, exact, false);
    return done;
}

bool live_speed(struct live_program *p, uint32_t rank, double speed)
{
    assert(rank < p->head.ranks && speed > 0);
    for (uint32_t i = 0; i < p->head.paths; i++)
        p->changes[i] = p->flags[i] & LIVE_COMMUNICATES ? 0 : LIVE_CHANGED;
    return pace_rank(p, rank, factor_inverse(speed), true);
}

static unsigned segment_marks(const struct live_program *p, size_t segment)
{
    const uint32_t path = p->segment_paths[segment];
    return path == 0 ? 0 : p->changes[path - 1];
}

/* Visits are one after the other, with at least one segment between them (pack.c). */
static bool begins_next_visit(const struct live_program *p, uint32_t rank, size_t segment)
{
    return segment_marks(p, segment) & LIVE_IN_VISIT &&
           (segment == p->first_segment[rank] || !(segment_marks(p, segment - 1) & LIVE_IN_VISIT));
}

static bool add_live_visit(struct live_program *p)
{
    if (p->visit_count == p->visit_room) {
        const size_t room = 2 * p->visit_room + 1000;
        struct balanced_visit *grown = realloc(p->visits, room * sizeof *grown);
        if (!grown)
            return false;
        p->visits = grown;
        p->visit_room = room;
    }
    p->visits[p->visit_count++] = (struct balanced_visit){0};
    return true;
}

/* Finds the visits of all ranks and their computation. False if out of memory. */
static bool find_live_visits(struct live_program *p)
{
    p->visit_count = 0;
    for (uint32_t rank = 0; rank < p->head.ranks; rank++) {
        p->first_visit[rank] = p->visit_count;
        for (size_t i = p->first_segment[rank]; i < p->first_segment[rank + 1]; i++) {
            if (begins_next_visit(p, rank, i) && !add_live_visit(p))
                return false;
            if (segment_marks(p, i) & LIVE_CHANGED)
                p->visits[p->visit_count - 1].own += (uint64_t)p->lengths[i];
        }
    }
    p->first_visit[p->head.ranks] = p->visit_count;
    return true;
}

static bool even_by_rank(struct live_program *p)
{
    uint64_t total = visits_own_total(p->visits, p->visit_count), ranks = 0;
    for (uint32_t rank = 0; rank < p->head.ranks; rank++)
        ranks += p->first_visit[rank + 1] > p->first_visit[rank];
    if (total == 0)
        return false;
    for (uint32_t rank = 0; rank < p->head.ranks; rank++)
        visits_share_mean(p->visits + p->first_visit[rank],
                          p->first_visit[rank + 1] - p->first_visit[rank],
                          mean_of_ranks(total, ranks));
    return true;
}

static bool even_by_instance(struct live_program *p)
{
    size_t most = 0;
    for (uint32_t rank = 0; rank < p->head.ranks; rank++) {
        const size_t count = p->first_visit[rank + 1] - p->first_visit[rank];
        most = count > most ? count : most;
    }
    int64_t *sums = calloc(most + 1, sizeof *sums), *ranks = calloc(most + 1, sizeof *ranks);
    const bool done = sums && ranks && visits_own_total(p->visits, p->visit_count) > 0;
    for (uint32_t rank = 0; rank < p->head.ranks && done; rank++)
        for (size_t k = p->first_visit[rank]; k < p->first_visit[rank + 1]; k++) {
            sums[k - p->first_visit[rank]] += (int64_t)p->visits[k].own;
            ranks[k - p->first_visit[rank]]++;
        }
    if (done)
        means_round(sums, ranks, most);
    for (uint32_t rank = 0; rank < p->head.ranks && done; rank++)
        for (size_t k = p->first_visit[rank]; k < p->first_visit[rank + 1]; k++)
            p->visits[k].target = (uint64_t)sums[k - p->first_visit[rank]];
    free(sums);
    free(ranks);
    return done;
}

/* As write_balanced (transform/balance.c) does with the rows of a stream. */
static void live_even_rank(struct live_program *p, uint32_t rank)
{
    const struct balanced_visit *visit = NULL, *next = p->visits + p->first_visit[rank];
    const size_t end = p->first_segment[rank + 1];
    uint64_t measured = 0, given = 0;
    for (size_t i = p->first_segment[rank]; i < end; i++) {
        const unsigned marks = segment_marks(p, i);
        if (begins_next_visit(p, rank, i)) {
            visit = next++;
            measured = given = 0;
        }
        if (!(marks & LIVE_CHANGED))
            continue;
        uint64_t length = (uint64_t)p->lengths[i];
        const bool last = i + 1 == end || !(segment_marks(p, i + 1) & LIVE_IN_VISIT);
        assert(visit);
        measured += length;
        if (visit->own > 0)
            length = visit_changed(visit, measured) - given;
        else if (last)
            length = visit->target;
        given += length;
        p->lengths[i] = (int64_t)length;
    }
}

bool live_balance(struct live_program *p, const bool *chosen, bool by_instance)
{
    assert(chosen);
    mark_chosen_paths(p, chosen);
    if (!find_live_visits(p) || !(by_instance ? even_by_instance(p) : even_by_rank(p)))
        return false;
    for (uint32_t rank = 0; rank < p->head.ranks; rank++)
        live_even_rank(p, rank);
    return true;
}

void live_set_costs(struct live_program *p)
{
    for (size_t i = 0; i < p->cost_count; i++) {
        const struct live_cost *cost = &p->costs[i];
        struct step *step = &p->steps[cost->step];
        const int64_t time = cost->base + (cost->list == RANK_NONE ? 0 : p->ticks[cost->list]);
        step->time = step->code == STEP_END ? time_max(time, 0) : time;
    }
}

void live_network(struct live_program *p, double latency, double bandwidth, double latency_s,
                  double bandwidth_rate)
{
    const struct live_head *head = &p->head;
    const bool has_latency = latency_s >= 0, has_rate = bandwidth_rate >= 0;
    assert(latency >= 0 && bandwidth > 0 && bandwidth_rate != 0);
    const struct environment environment = {
        .latency = (has_latency ? 1 : head->latency) * latency,
        .bandwidth = (has_rate ? 1 : head->bandwidth) * bandwidth,
        .overhead = head->overhead,
        .has_latency_s = has_latency || head->latency_s >= 0,
        .latency_s = has_latency ? latency_s : head->latency_s,
        .has_bandwidth_rate = has_rate || head->bandwidth_rate >= 0,
        .bandwidth_rate = has_rate ? bandwidth_rate : head->bandwidth_rate,
        .ideal = head->ideal,
        .has_eager_limit = head->eager_limit < UINT64_MAX,
        .eager_limit = head->eager_limit};
    struct loggps distances[DISTANCE_COUNT];
    memcpy(distances, head->distances, sizeof distances);
    for (int d = 0; d < DISTANCE_COUNT; d++)
        loggps_change(&distances[d], &environment, d == DISTANCE_NETWORK || !head->far);
    const struct platform platform = {.ticks_per_second = head->ticks_per_second};
    for (size_t list = 0; list < p->list_count; list++) {
        double seconds = 0;
        for (size_t i = p->first_term[list]; i < p->first_term[list + 1]; i++)
            seconds += call_term_seconds(&p->terms[i], distances, NULL);
        p->ticks[list] = platform_ticks(&platform, seconds);
    }
    live_set_costs(p);
}
