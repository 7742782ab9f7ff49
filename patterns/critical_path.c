/* Critical path (doc/methods.md, section 8; D. Boehme et al.: Scalable critical-path based
 * performance analysis, IPDPS 2012): the longest chain of activities without waiting. It ends where
 * the last rank arrives at MPI_Finalize and is followed backwards to MPI_Init. At a wait it
 * continues at the rank that is waited for, where that rank enters the call that ends the wait; the
 * rest of the waiting call (before and after the wait) is part of the path.
 *
 * A process follows the path as long as it is on owned ranks; then it sends the place to the owner
 * of the next rank. */
#include "patterns/causes.h"
#include "base/mpi/mail.h"
#include "patterns/path_times.h"
#include "trace/calls/regions.h"

#include <assert.h>
#include <stdlib.h>

enum { TAG_PLACE = 6 };

/* Where the path is: a rank, and the row from which it goes back. */
struct path_place {
    uint32_t rank, row; /* rank INDEX_NONE: the path begins here */
};

/* A part of the path on an owned rank: the wait where it came from another rank and what follows,
 * until `row`. */
struct path_part {
    uint32_t rank, row;
    uint32_t wait; /* INDEX_NONE: it begins at MPI_Init */
};

enum { MOST_PARTS = 1024 };

struct path_follower {
    const struct search_rank *ranks;
    const struct causes *causes;
    struct path_times times;
    bool *used;                         /* [wait], so that the walk ends even if clocks are wrong */
    struct path_part parts[MOST_PARTS]; /* that have not been added yet */
    uint32_t part_count;
};

/* The owned rank's last wait in a call that is entered before `row`; INDEX_NONE if there is none.
 */
static uint32_t last_wait(const struct path_follower *follower, uint32_t rank, uint32_t row)
{
    const struct sync_points *points = &follower->causes->points;
    uint32_t first = sync_first_wait(points, rank), last = sync_wait_from(points, rank, row, 0);
    while (last > first && follower->used[last - 1])
        last--;
    return last > first ? last - 1 : INDEX_NONE;
}

static void add_path_times(const struct search_rank *rank, const struct path_times *times)
{
    for (uint32_t i = 0; i < times->touched_count; i++)
        findings_add(rank->findings, METRIC_CRITICAL_PATH, rank->index, times->touched[i],
                     times->ticks[times->touched[i]]);
}

/* Adds the rank's time from the end of the call entered at `start_row` (INDEX_NONE: from MPI_Init)
 * until `row`. */
static void add_rank_time(struct path_follower *follower, const struct search_rank *owned,
                          uint32_t start_row, uint32_t row)
{
    struct path_times *times = &follower->times;
    path_times_reset(times);
    if (start_row == INDEX_NONE && owned->init_path != CALLPATH_NONE) {
        start_row = owned->init_enter_row;
        if (row <= start_row)
            return;
        path_times_add(times, owned->init_path, owned->init_leave - owned->init_enter);
    }
    path_times_add_rows(times, follower->causes->trace, owned->stream, start_row, row);
    add_path_times(owned, times);
    owned->findings->out_of_memory |= !thread_path_move(
        &follower->causes->threads, owned->index, start_row == INDEX_NONE ? 0 : start_row, row);
}

static void add_rest_of_call(struct path_follower *follower, const struct search_rank *owned,
                             const struct sync_end *end)
{
    struct path_times *times = &follower->times;
    const struct stream *stream = owned->stream;
    const uint32_t path = sync_end_path(stream, end);
    if (path == CALLPATH_NONE)
        return;
    uint32_t leave = region_leave(stream, end->enter_row);
    path_times_reset(times);
    path_times_add_inside(times, follower->causes->trace, stream, end->enter_row, leave);
    path_times_add(times, path, -end->wait);
    add_path_times(owned, times);
}

static void add_parts(struct path_follower *follower)
{
    const struct sync_points *points = &follower->causes->points;
    for (uint32_t i = 0; i < follower->part_count; i++) {
        const struct path_part *part = &follower->parts[i];
        const struct search_rank *owned =
            search_rank_owned(follower->ranks, follower->causes->trace, part->rank);
        assert(owned);
        if (part->wait == INDEX_NONE) {
            add_rank_time(follower, owned, INDEX_NONE, part->row);
        } else {
            const struct sync_end *end = sync_wait_end(points, part->wait);
            add_rank_time(follower, owned, end->enter_row, part->row);
            add_rest_of_call(follower, owned, end);
        }
    }
    follower->part_count = 0;
}

/* Follows the path as long as it is on owned ranks. */
static void follow_owned(struct path_follower *follower, struct path_place *place)
{
    const struct sync_points *points = &follower->causes->points;
    while (place->rank != INDEX_NONE && sync_owns(points, place->rank)) {
        const uint32_t wait = last_wait(follower, place->rank, place->row);
        if (follower->part_count == MOST_PARTS)
            add_parts(follower);
        follower->parts[follower->part_count++] = (struct path_part){place->rank, place->row, wait};
        place->rank = INDEX_NONE;
        if (wait != INDEX_NONE) {
            const struct sync_end *culprit = sync_culprit(points, sync_wait_end(points, wait));
            follower->used[wait] = true;
            *place = (struct path_place){culprit->rank, culprit->enter_row};
        }
    }
}

static void send_place(const struct processes *processes, const struct path_place *place, int to)
{
    struct mail_sending sending = {0};
    mail_start(processes, &sending, to, TAG_PLACE, place, sizeof *place);
    mail_finish(processes, &sending);
}

static void receive_place(const struct processes *processes, struct path_place *place)
{
    mail_wait(processes, MAIL_FROM_ANY, TAG_PLACE, place, sizeof *place);
}

/* Collective. All processes know where the path begins. */
static void follow_path(struct path_follower *follower, struct path_place place)
{
    const struct trace *trace = follower->causes->trace;
    const struct processes *processes = trace->processes;
    while (place.rank != INDEX_NONE) {
        if (trace_owner(trace, place.rank) != processes->rank) {
            receive_place(processes, &place);
            continue;
        }
        follow_owned(follower, &place);
        if (place.rank != INDEX_NONE)
            send_place(processes, &place, trace_owner(trace, place.rank));
        for (int to = 0; place.rank == INDEX_NONE && to < processes->size; to++)
            if (to != processes->rank)
                send_place(processes, &place, to);
        add_parts(follower); /* while the next owner follows it */
    }
}

/* The rank that arrives last at MPI_Finalize (the first of several), and the row there. False if no
 * rank does. */
static bool find_end(const struct search_rank *ranks, const struct trace *trace, uint32_t *rank,
                     uint32_t *row)
{
    int64_t last = INT64_MIN;
    for (uint32_t i = 0; i < trace->owned_count; i++)
        if (ranks[i].finalize_path != CALLPATH_NONE)
            last = int64_max(last, ranks[i].finalize_enter);
    processes_max(trace->processes, &last, 1);
    int64_t first_rank = INT64_MAX, its_row = -1;
    for (uint32_t i = trace->owned_count; i-- > 0;)
        if (ranks[i].finalize_path != CALLPATH_NONE && ranks[i].finalize_enter == last)
            first_rank = trace->first_rank + i;
    processes_min(trace->processes, &first_rank, 1);
    if (first_rank == INT64_MAX)
        return false;
    *rank = (uint32_t)first_rank;
    if (*rank - trace->first_rank < trace->owned_count)
        its_row = ranks[*rank - trace->first_rank].finalize_enter_row;
    processes_max(trace->processes, &its_row, 1);
    *row = (uint32_t)its_row;
    return true;
}

static enum status search_critical_path(const struct search_rank *ranks,
                                        const struct causes *causes, struct error *error)
{
    const struct trace *trace = causes->trace;
    struct path_follower follower = {
        .ranks = ranks,
        .causes = causes,
        .used = calloc((size_t)causes->points.wait_count + 1, sizeof(bool))};
    bool allocated =
        path_times_open(&follower.times, (uint32_t)trace->calltree.paths.count) && follower.used;
    enum status status =
        processes_agree_memory(trace->processes, allocated, "the critical path", error);
    uint32_t rank, row;
    if (status == STATUS_OK && find_end(ranks, trace, &rank, &row))
        follow_path(&follower, (struct path_place){rank, row});
    path_times_clear(&follower.times);
    free(follower.used);
    return status;
}

const struct pattern critical_path_pattern = {
    .name = "critical path",
    .description = "the longest chain of activities without waiting",
    .search_causes = search_critical_path,
};
