#include "live/program_private.h"

#include <stdlib.h>
#include <string.h>

/* Checks the state after the first `pace_count` paces. */
static void check_state(struct live_program *p, uint32_t pace_count)
{
    uint32_t path;
    for (uint32_t rank = 0; rank < p->head.ranks && !p->problem; rank++)
        p->problem = live_check_limits(p, rank, pace_count, true, &path);
}

/* Threads of parallel regions would do the changed work. `rank`: RANK_NONE: all. */
static bool changes_teams(const struct live_program *p, uint32_t rank)
{
    for (uint32_t r = 0; r < p->head.ranks; r++) {
        if (!p->has_teams[r] || (rank != RANK_NONE && rank != r))
            continue;
        for (uint32_t i = 0; i < p->head.paths; i++)
            if (p->changes[i + 1] & LIVE_CHANGED && p->flags[i] & LIVE_IN_TEAM)
                return true;
    }
    return false;
}

static void use_lengths(struct live_program *p, const int64_t *lengths)
{
    p->lengths = lengths;
    p->longest = 0;
    live_forget_parts(p);
    for (uint32_t rank = 0; rank < p->head.ranks; rank++) {
        uint64_t sum = 0;
        for (size_t i = p->first_segment[rank]; i < p->first_segment[rank + 1]; i++)
            sum += (uint64_t)lengths[i];
        p->longest = sum > p->longest ? sum : p->longest;
    }
    p->longest_stored = p->longest;
}

static void forget_paces(struct live_program *p)
{
    memset(p->paced, 0, p->head.paths + (size_t)1);
    p->pace_count = 0;
    p->timed = false;
}

void live_restart(struct live_program *p)
{
    forget_paces(p);
    p->problem = 0;
    p->longest = p->longest_stored;
    if (p->lengths != p->recorded)
        use_lengths(p, p->recorded);
}

/* As rewrite_pace (transform/rewrite.c) does with the rows of a stream. False: the rank would run
 * longer than its clock can count. */
static bool store_paced_rank(struct live_program *p, uint32_t rank)
{
    const unsigned paces = live_paces_of(p, rank, p->pace_count);
    uint64_t measured[LIVE_PACES] = {0}, given[LIVE_PACES] = {0};
    for (size_t i = p->first_segment[rank]; i < p->first_segment[rank + 1]; i++) {
        uint64_t length = (uint64_t)p->lengths[i];
        for (unsigned bits = p->paced[p->segment_paths[i]] & paces; bits; bits &= bits - 1) {
            const int k = __builtin_ctz(bits);
            measured[k] += length;
            const uint64_t before = given[k];
            given[k] = factor_ticks(p->paces[k].factor, measured[k]);
            if (given[k] > PACE_TICKS_MOST)
                return false;
            length = given[k] - before;
        }
        p->changed[i] = (int64_t)length;
    }
    return true;
}

/* Stores the lengths that the paces give, so that other changes can follow. */
static bool store_paced(struct live_program *p)
{
    bool counts = true;
    if (p->pace_count == 0)
        return true;
    for (uint32_t i = 1; i < p->pace_count; i++)
        check_state(p, i);
    for (uint32_t rank = 0; rank < p->head.ranks && counts; rank++)
        counts = store_paced_rank(p, rank);
    forget_paces(p);
    if (counts) {
        use_lengths(p, p->changed);
        check_state(p, 0);
    }
    return counts;
}

/* The next pace; it changes the marked call paths. It is stored at once if it is extreme: if a rank
 * might run longer than its clock can count, or paced_lengths do not take the factor. */
static bool live_pace(struct live_program *p, struct exact_factor factor, uint32_t rank)
{
    if (changes_teams(p, rank) && !p->problem)
        p->problem = LIVE_TEAMS;
    if (p->pace_count == LIVE_PACES && !store_paced(p))
        return false;
    for (size_t i = 0; i <= p->head.paths; i++)
        if (p->changes[i] & LIVE_CHANGED)
            p->paced[i] |= (uint8_t)(1u << p->pace_count);
    p->paces[p->pace_count++] = (struct live_pace){factor, rank};
    p->timed = false;
    const uint64_t most =
        p->longest <= PACE_TICKS_MOST ? factor_ticks(factor, p->longest) : UINT64_MAX;
    if (most > PACE_TICKS_MOST || !paced_lengths_take(factor))
        return store_paced(p);
    p->longest += most;
    return true;
}

/* Marks what computes in the chosen call paths, and in all that is called from them. */
static void mark_chosen_paths(struct live_program *p, const bool *chosen)
{
    uint8_t *changes = p->changes + 1;
    p->changes[0] = 0;
    for (uint32_t i = 0; i < p->head.paths; i++)
        changes[i] = chosen[i] || p->changes[p->parents[i]] ? LIVE_IN_VISIT : 0;
    for (uint32_t i = 0; i < p->head.paths; i++)
        if (changes[i] && !(p->flags[i] & LIVE_COMMUNICATES))
            changes[i] |= LIVE_CHANGED;
}

bool live_scale(struct live_program *p, const bool *chosen, double factor)
{
    assert(factor >= 0);
    if (factor == 1)
        return true;
    mark_chosen_paths(p, chosen);
    return live_pace(p, factor_of(factor), RANK_NONE);
}

bool live_speed(struct live_program *p, uint32_t rank, double speed)
{
    assert(rank < p->head.ranks && speed > 0);
    if (speed == 1)
        return true;
    p->changes[0] = LIVE_CHANGED;
    for (uint32_t i = 0; i < p->head.paths; i++)
        p->changes[i + 1] = p->flags[i] & LIVE_COMMUNICATES ? 0 : LIVE_CHANGED;
    return live_pace(p, factor_inverse(speed), rank);
}

static unsigned segment_marks(const struct live_program *p, size_t segment)
{
    return p->changes[p->segment_paths[segment]];
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
        p->changed[i] = p->lengths[i];
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
        p->changed[i] = (int64_t)length;
    }
}

/* Whether other threads than the main ones compute in a balanced call path. */
static bool balances_threads(const struct live_program *p)
{
    for (uint32_t i = 0; i < p->head.paths; i++)
        if (p->changes[i + 1] & LIVE_CHANGED && p->flags[i] & LIVE_IN_THREADS)
            return true;
    return false;
}

bool live_balance(struct live_program *p, const bool *chosen, bool by_instance)
{
    assert(chosen);
    if (!store_paced(p))
        return false;
    mark_chosen_paths(p, chosen);
    if ((changes_teams(p, RANK_NONE) || balances_threads(p)) && !p->problem)
        p->problem = LIVE_TEAMS;
    p->timed = false;
    if (p->problem) /* there may be something to balance, but not here */
        return true;
    if (!find_live_visits(p) || !(by_instance ? even_by_instance(p) : even_by_rank(p)))
        return false;
    for (uint32_t rank = 0; rank < p->head.ranks; rank++)
        live_even_rank(p, rank);
    use_lengths(p, p->changed);
    check_state(p, 0);
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
