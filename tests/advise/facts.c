/* Facts of a small trace, whose values can be computed by hand, with any number of processes. */
#include "advise/facts.h"
#include "base/mpi/handles.h"
#include "tests/mpi_check.h"
#include "tests/transform/built_trace.h"
#include "trace/match/match.h"

#include <string.h>

/* Rank 0 computes 10 in main and 50 in work before it sends; rank 1 computes 20 in main and waits
 * from 20 to 60. Both end with 30 in main, and rank 1 calls work again from within work. */
static const char *const ranks[] = {
    "0:<app 0:+main 10:+work 60:-work 60:+MPI_Send 60:S1,7,100 70:-MPI_Send 100:-main 100:>",
    "0:<app 0:+main 20:+MPI_Recv 70:R0,7,100 70:-MPI_Recv 80:+work 85:+work 90:-work 95:-work "
    "100:-main 100:>"};

static uint32_t region_named(const struct trace *trace, const char *name)
{
    for (uint32_t r = 0; r < trace->definitions->region_count; r++)
        if (strcmp(trace->definitions->regions[r].name, name) == 0)
            return r;
    fprintf(stderr, "# no region %s\n", name);
    exit(EXIT_FAILURE);
}

/* The call path of this region with the least visits other than 0, which is unique here. */
static uint32_t path_of(const struct trace *trace, uint32_t region)
{
    for (uint32_t path = 0; path < trace->calltree.paths.count; path++)
        if (trace->calltree.paths.items[path].region == region)
            return path;
    return CALLPATH_NONE;
}

static void check_regions(const struct facts *facts)
{
    const struct trace *trace = facts->trace;
    const struct region_facts *of_main = &facts->regions[region_named(trace, "main")];
    const struct region_facts *work = &facts->regions[region_named(trace, "work")];
    mpi_check(facts->time == 100, "T");
    mpi_check(facts->computation == 90 + 50, "all computation");
    mpi_check(of_main->ranks == 2 && of_main->visits == 2 && of_main->computation == 90 + 50 &&
                  of_main->longest == 90 && of_main->computation_of_executing == 90 + 50,
              "main contains all computation");
    mpi_check(of_main->first_rank == 0 && of_main->last_rank == 1, "... of ranks 0 to 1");
    mpi_check(work->computation == 50 + 15 && work->longest == 50, "computation of a region");
    mpi_check(work->visits == 2, "a visit from within the same region is not counted");
    mpi_check(work->least_visits == 1 && work->most_visits == 1, "... nor for a rank");
    mpi_check(work->delay == 40, "the time that others wait for it");
}

static void check_paths(const struct facts *facts)
{
    const struct trace *trace = facts->trace;
    const uint32_t recv = path_of(trace, region_named(trace, "MPI_Recv"));
    const uint32_t send = path_of(trace, region_named(trace, "MPI_Send"));
    const uint32_t work = path_of(trace, region_named(trace, "work"));
    mpi_check(facts->paths[recv].wait == 40 && facts->paths[recv].communication == 50 &&
                  facts->paths[recv].ranks == 1 && facts->paths[recv].visits == 1,
              "the wait of a call path");
    mpi_check(facts->paths[send].wait == 0 && facts->paths[send].communication == 10,
              "a call that does not wait");
    mpi_check(facts->paths[work].computation == 50 + 10 && facts->paths[work].ranks == 2,
              "computation of a call path excludes what it calls");
}

static void check_places(const struct trace *trace)
{
    const uint32_t of_main = region_named(trace, "main"), work = region_named(trace, "work");
    const uint32_t recv = region_named(trace, "MPI_Recv");
    mpi_check(region_is_program(trace, work) && !region_is_program(trace, recv),
              "regions of the program and of MPI");
    mpi_check(path_program_region(trace, path_of(trace, recv)) == of_main,
              "the region of the program that calls MPI");
    mpi_check(region_is_inside(trace, work, of_main) && !region_is_inside(trace, of_main, work),
              "regions inside others");
    mpi_check(path_is_inside(trace, path_of(trace, work), work), "a path is inside its own region");
}

/* Only the owner of a rank knows where its messages are sent. */
static void check_senders(const struct trace *trace)
{
    bool right = true;
    for (uint32_t i = 0; i < trace->owned_count; i++) {
        const struct stream *stream = &trace->streams[i];
        const uint32_t expected =
            trace->first_rank + i == 0 ? region_named(trace, "main") : INDEX_NONE;
        for (uint32_t m = 0; m < stream->message_count; m++)
            right &= message_sender_region(trace, stream, &stream->messages[m]) == expected;
    }
    mpi_check(right, "the region that sends a message");
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct facts *facts = NULL;
    struct error error;
    mpi_check_begin(&argc, &argv);
    if (processes_open(&processes, MPI_COMM_WORLD, &error) != STATUS_OK)
        MPI_Abort(MPI_COMM_WORLD, 1);
    struct trace *trace = built_trace(&processes, ranks, (const char *const[]){NULL, NULL}, 2);
    mpi_check(trace_match(trace, &error) == STATUS_OK, "the trace matches");
    mpi_check(facts_gather(trace, &facts, &error) == STATUS_OK, "facts are gathered");
    if (facts) {
        check_regions(facts);
        check_paths(facts);
        check_places(trace);
        check_senders(trace);
        facts->least = 5;
        mpi_check(facts_matters(facts, 5) && !facts_matters(facts, 4),
                  "the least time that matters");
        facts->least = 0;
        mpi_check(!facts_matters(facts, 0), "no time does not matter");
    }
    facts_destroy(facts);
    trace_destroy(trace);
    processes_close(&processes);
    return mpi_check_end();
}
