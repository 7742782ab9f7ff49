/* Barriers that could be left out: those at one call path, or all of them. A trace does not show
 * whether the program needs a barrier, for example for a file or for memory that ranks share. A
 * barrier that is passed once or twice aligns the ranks before a measurement, and its cost is that
 * of chance, so it is not proposed. */
#include "advise/candidates/families.h"

enum { LEAST_VISITS = 3 }; /* per rank */

static const char barrier_check[] =
    "Messages and collective operations keep their order without a barrier. Make sure that it does "
    "not protect anything else: files, memory that ranks share, clocks, one-sided accesses.";

static void add_barrier(const struct facts *facts, struct candidate_list *list, uint32_t path)
{
    const struct trace *trace = facts->trace;
    const char *pattern = candidate_callpath(list, trace, path);
    const char *text = candidate_path_text(list, trace, path);
    candidate_add_path(list, facts, path,
                       (struct advice_candidate){
                           .kind = "needless-barrier",
                           .effort = EFFORT_SMALL,
                           .cause = "barriers",
                           .sections = candidate_text(list,
                                                      "[cut barriers]\nwhat = collectives\n"
                                                      "operation = MPI_Barrier\ncallpath = %s\n",
                                                      pattern),
                           .change = candidate_text(list, "Leave out MPI_Barrier in %s.", text),
                           .check = barrier_check,
                       });
}

static enum status propose_barriers(const struct facts *facts, struct candidate_list *list,
                                    struct error *error)
{
    (void)error;
    const struct trace *trace = facts->trace;
    uint32_t count = 0;
    for (uint32_t path = 0; path < trace->calltree.paths.count; path++) {
        if (callpath_call(trace, path) != MPI_CALL_BARRIER ||
            facts->paths[path].visits < LEAST_VISITS * (int64_t)facts->paths[path].ranks ||
            facts->paths[path].visits == 0)
            continue;
        count++;
        if (facts_matters(facts, facts->paths[path].wait))
            add_barrier(facts, list, path);
    }
    if (count > 1)
        candidate_add(list,
                      (struct advice_candidate){
                          .kind = "needless-barrier",
                          .effort = EFFORT_SMALL,
                          .path = CALLPATH_NONE,
                          .region = INDEX_NONE,
                          .ranks = trace->rank_count,
                          .cause = "barriers",
                          .sections = "[cut barriers]\nwhat = collectives\n"
                                      "operation = MPI_Barrier\n",
                          .change = candidate_text(
                              list, "Leave out MPI_Barrier everywhere (%u call paths).", count),
                          .check = barrier_check,
                      });
    return STATUS_OK;
}

const struct candidate_family candidates_barriers = {
    .name = "barriers",
    .description = "barriers that could be left out",
    .propose = propose_barriers,
};
