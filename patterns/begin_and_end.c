/* Init completion and wait at finalize (METHODS 8), over all ranks that make the call:
 *
 *     init completion  = E - max(min E, min(max B, E))
 *     wait at finalize = min(max B, E) - B
 *
 * B and E are enter and leave of MPI_Init(_thread) and MPI_Finalize. */
#include "patterns/n_to_n.h"

enum { LAST_INIT, LAST_FINALIZE, LAST_COUNT };

static struct member init_member(const struct search_rank *rank)
{
    return (struct member){.begin = rank->init_enter, .end = rank->init_leave};
}

static struct member finalize_member(const struct search_rank *rank)
{
    return (struct member){.begin = rank->finalize_enter, .end = rank->finalize_leave};
}

static void search_program(const struct search_rank *ranks, uint32_t count,
                           const struct processes *processes)
{
    int64_t last[LAST_COUNT] = {INT64_MIN, INT64_MIN}, first_init_end = INT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        if (ranks[i].init_path != CALLPATH_NONE) {
            last[LAST_INIT] = later(last[LAST_INIT], ranks[i].init_enter);
            first_init_end = earlier(first_init_end, ranks[i].init_leave);
        }
        if (ranks[i].finalize_path != CALLPATH_NONE)
            last[LAST_FINALIZE] = later(last[LAST_FINALIZE], ranks[i].finalize_enter);
    }
    processes_max(processes, last, LAST_COUNT);
    processes_min(processes, &first_init_end, 1);
    struct n_to_n init = {last[LAST_INIT], first_init_end, 0};
    struct n_to_n finalize = {last[LAST_FINALIZE], INT64_MAX, 0};
    for (uint32_t i = 0; i < count; i++) {
        struct member begin = init_member(&ranks[i]), end = finalize_member(&ranks[i]);
        findings_add(ranks[i].findings, METRIC_MPI_INIT_COMPLETION, i, ranks[i].init_path,
                     n_to_n_wait(&begin, init).completion);
        findings_add(ranks[i].findings, METRIC_MPI_FINALIZE_WAIT, i, ranks[i].finalize_path,
                     n_to_n_wait(&end, finalize).wait);
    }
}

const struct pattern begin_and_end_pattern = {
    .name = "begin and end",
    .description = "waits in MPI_Finalize, and what MPI_Init takes after the first has left it",
    .search_program = search_program,
};
