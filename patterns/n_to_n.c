/* Operations in which every member waits for the last one: barriers, all-to-all exchanges, the
 * creation and freeing of windows, and the program's begin and end. Equations: collective_waits.h.
 */
#include "patterns/collective_waits.h"
#include "trace/spawned.h"

#include <assert.h>

struct n_to_n n_to_n_span(const struct member *members, uint32_t count)
{
    struct n_to_n span = {INT64_MIN, INT64_MAX, 0};
    assert(count > 0);
    for (uint32_t i = 0; i < count; i++) {
        if (members[i].begin > span.last_begin) {
            span.last_begin = members[i].begin;
            span.last = i;
        }
        span.first_end = int64_min(span.first_end, members[i].end);
    }
    return span;
}

/* One member's wait for the last. */
static struct member_wait n_to_n_wait(const struct member *member, struct n_to_n span)
{
    int64_t released = int64_min(span.last_begin, member->end);
    return (struct member_wait){.wait = int64_max(0, released - member->begin),
                                .completion =
                                    int64_max(0, member->end - int64_max(span.first_end, released)),
                                .cause = span.last};
}

void n_to_n_wait_all(const struct member *members, uint32_t count, struct n_to_n span,
                     struct member_wait *waits)
{
    for (uint32_t i = 0; i < count; i++)
        waits[i] = n_to_n_wait(&members[i], span);
}

static void wait_for_last(const struct member *members, uint32_t count, struct member_wait *waits)
{
    n_to_n_wait_all(members, count, n_to_n_span(members, count), waits);
}

const struct pattern barrier_pattern = {
    .name = "barrier",
    .description = "waits in front of a barrier, and its duration after the first has left it",
    .flows = 1u << FLOW_BARRIER,
    .wait_metric = METRIC_MPI_BARRIER_WAIT,
    .completion_metric = METRIC_MPI_BARRIER_COMPLETION,
    .sync_kind = SYNC_BARRIER,
    .search_instance = wait_for_last,
};

/* If the members are not all inside at the same time, not every member needed all others (counts of
 * zero). Then only receivers that were there before the last sender have waited for it. Completion
 * counts from the first end among these receivers and the last sender, even if that one receives
 * nothing. */
static void wait_for_senders(const struct member *members, uint32_t count,
                             struct member_wait *waits)
{
    struct n_to_n span = {INT64_MIN, INT64_MAX, 0};
    for (uint32_t i = 0; i < count; i++) {
        if (members[i].sends && members[i].begin > span.last_begin) {
            span.last_begin = members[i].begin;
            span.last = i;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        if ((members[i].receives || i == span.last) && members[i].begin <= span.last_begin)
            span.first_end = int64_min(span.first_end, members[i].end);
    for (uint32_t i = 0; i < count; i++)
        if ((members[i].receives || i == span.last) && members[i].begin <= span.last_begin)
            waits[i] = n_to_n_wait(&members[i], span);
}

/* As at a barrier if all members are inside at the same time. Without senders no member waits. */
static void wait_for_data(const struct member *members, uint32_t count, struct member_wait *waits)
{
    struct n_to_n span = n_to_n_span(members, count);
    bool anybody_sends = false;
    for (uint32_t i = 0; i < count; i++)
        anybody_sends = anybody_sends || members[i].sends;
    if (!anybody_sends)
        return;
    if (span.first_end > span.last_begin)
        n_to_n_wait_all(members, count, span, waits);
    else
        wait_for_senders(members, count, waits);
}

const struct pattern all_to_all_pattern = {
    .name = "all to all",
    .description = "waits in collectives in which all members need the data of all",
    .flows = 1u << FLOW_ALL | 1u << FLOW_PAIRS,
    .wait_metric = METRIC_MPI_WAIT_NXN,
    .completion_metric = METRIC_MPI_NXN_COMPLETION,
    .sync_kind = SYNC_N_TO_N,
    .search_instance = wait_for_data,
};

/* MPI_Win_create and similar calls are collective; MPI_Win_free returns only when all have called
 * it (MPI standard, Window Destruction). Definitions: M.-A. Hermanns, M. Geimer, B. Mohr, F. Wolf:
 * Scalable detection of MPI-2 remote memory access inefficiency patterns, IJHPCA 26(3), 2012. */
const struct pattern wait_at_create_pattern = {
    .name = "wait at window create",
    .description = "waits for the last process to create a window",
    .flows = 1u << FLOW_MAKE,
    .on_windows = true,
    .wait_metric = METRIC_MPI_RMA_WAIT_AT_CREATE,
    .completion_metric = METRIC_NONE,
    .search_instance = wait_for_last,
};

const struct pattern wait_at_free_pattern = {
    .name = "wait at window free",
    .description = "waits for the last process to free a window",
    .flows = 1u << FLOW_FREE,
    .on_windows = true,
    .wait_metric = METRIC_MPI_RMA_WAIT_AT_FREE,
    .completion_metric = METRIC_NONE,
    .search_instance = wait_for_last,
};

/* Init completion and wait at finalize, over all ranks that make the call, with B and E enter and
 * leave of MPI_Init(_thread) and MPI_Finalize. */
enum { LAST_INIT, LAST_FINALIZE, LAST_COUNT };

/* Collective. The rank that enters MPI_Finalize at that time, the lowest of several. */
static uint32_t last_to_finalize(const struct search_rank *ranks, uint32_t count, int64_t time,
                                 const struct processes *processes)
{
    int64_t rank = INDEX_NONE;
    for (uint32_t i = count; i-- > 0;)
        if (ranks[i].finalize_path != CALLPATH_NONE && ranks[i].finalize_enter == time)
            rank = ranks[i].stream->rank;
    processes_min(processes, &rank, 1);
    return (uint32_t)rank;
}

static void search_world(const struct search_rank *ranks, uint32_t count,
                         const struct processes *processes)
{
    int64_t last[LAST_COUNT] = {INT64_MIN, INT64_MIN}, first_init_end = INT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        if (ranks[i].init_path != CALLPATH_NONE) {
            last[LAST_INIT] = int64_max(last[LAST_INIT], ranks[i].init_enter);
            first_init_end = int64_min(first_init_end, ranks[i].init_leave);
        }
        if (ranks[i].finalize_path != CALLPATH_NONE)
            last[LAST_FINALIZE] = int64_max(last[LAST_FINALIZE], ranks[i].finalize_enter);
    }
    processes_max(processes, last, LAST_COUNT);
    processes_min(processes, &first_init_end, 1);
    struct n_to_n init = {last[LAST_INIT], first_init_end, 0};
    struct n_to_n finalize = {last[LAST_FINALIZE], INT64_MAX, 0};
    const uint32_t culprit = last_to_finalize(ranks, count, last[LAST_FINALIZE], processes);
    for (uint32_t i = 0; i < count; i++) {
        const struct member begin = {.begin = ranks[i].init_enter, .end = ranks[i].init_leave};
        const struct member end = {.begin = ranks[i].finalize_enter,
                                   .end = ranks[i].finalize_leave};
        const struct search_call call = {.path = ranks[i].finalize_path,
                                         .enter_row = ranks[i].finalize_enter_row};
        findings_add(ranks[i].findings, METRIC_MPI_INIT_COMPLETION, ranks[i].index,
                     ranks[i].init_path, n_to_n_wait(&begin, init).completion);
        if (!ranks[i].stream->finalize_no_wait)
            search_rank_add_wait(&ranks[i], METRIC_MPI_FINALIZE_WAIT, &call,
                                 n_to_n_wait(&end, finalize).wait, culprit);
    }
}

/* Each world (trace/spawned.h) begins and ends for itself. The ranks of a world are adjacent. */
static void search_program(const struct search_rank *ranks, uint32_t count,
                           const struct processes *processes)
{
    int64_t worlds = count > 0 ? spawned_world_count(ranks[0].trace->definitions) : 1;
    processes_max(processes, &worlds, 1);
    for (uint32_t world = 0, i = 0; world < worlds; world++) {
        const uint32_t first = i;
        while (i < count &&
               spawned_world_of(ranks[i].trace->definitions, ranks[i].stream->rank) == world)
            i++;
        search_world(ranks + first, i - first, processes);
    }
}

const struct pattern begin_and_end_pattern = {
    .name = "begin and end",
    .description =
        "waits in MPI_Finalize, and the duration of MPI_Init after the first has left it",
    .search_program = search_program,
};
