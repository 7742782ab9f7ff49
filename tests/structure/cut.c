/* Cuts of traces in the notation of built_trace.h: events that stay, that are removed, and counts.
 * Runs with one, two and three processes; the results must be the same. */
#include "base/mpi/handles.h"
#include "tests/mpi_check.h"
#include "tests/transform/built_trace.h"

#include "base/log.h"
#include "structure/cut.h"
#include "trace/deadlock/preflight.h"
#include "trace/match/match.h"

#include <string.h>

enum { RANKS = 3 };

struct cut_case {
    const char *name;
    uint32_t rank_count;
    struct cut_range ranges[RANKS];
    const char *ranks[RANKS], *becomes[RANKS], *carried[RANKS], *carried_becomes[RANKS];
    struct cut_losses losses; /* messages, collectives, requests, one-sided, kept ones */
};

static const struct cut_case cases[] = {
    {.name = "a message that is received after the range is removed on both ranks, its calls stay",
     .rank_count = 2,
     .ranges = {{10, 50}, {10, 50}},
     .ranks = {"0:<app 5:+foo 12:+MPI_Send 13:S1,7,100 15:-MPI_Send 20:+MPI_Send 21:S1,8,50 "
               "23:-MPI_Send 60:-foo 90:>app",
               "0:<app 12:+MPI_Recv 16:R0,7,100 17:-MPI_Recv 40:+MPI_Recv 70:R0,8,50 71:-MPI_Recv "
               "90:>app"},
     .becomes = {"10:<app 10:+foo 12:+MPI_Send 13:S1,7,100 15:-MPI_Send 20:+MPI_Send 23:-MPI_Send "
                 "50:-foo 50:>app",
                 "10:<app 12:+MPI_Recv 16:R0,7,100 17:-MPI_Recv 40:+MPI_Recv 50:-MPI_Recv "
                 "50:>app"},
     .losses = {.messages = 1, .kept_messages = 1}},
    {.name = "a send or receive whose call began before the range goes; others keep their partners",
     .rank_count = 2,
     .ranges = {{14, 50}, {11, 50}},
     .ranks = {"0:<app 12:+MPI_Send 15:S1,7,1 16:-MPI_Send 17:+MPI_Send 18:S1,7,2 19:-MPI_Send "
               "20:+MPI_Send 21:S1,7,3 22:-MPI_Send 90:>app",
               "0:<app 10:+MPI_Recv 15:R0,7,1 16:-MPI_Recv 17:+MPI_Recv 18:R0,7,2 19:-MPI_Recv "
               "20:+MPI_Recv 51:R0,7,3 52:-MPI_Recv 90:>app"},
     .becomes = {"14:<app 14:+MPI_Send 16:-MPI_Send 17:+MPI_Send 18:S1,7,2 19:-MPI_Send "
                 "20:+MPI_Send 22:-MPI_Send 50:>app",
                 "11:<app 11:+MPI_Recv 16:-MPI_Recv 17:+MPI_Recv 18:R0,7,2 19:-MPI_Recv "
                 "20:+MPI_Recv 50:-MPI_Recv 50:>app"},
     .losses = {.messages = 2, .kept_messages = 1}},
    {.name = "a call that ends where the range ends is whole",
     .rank_count = 2,
     .ranges = {{10, 20}, {10, 20}},
     .ranks = {"0:<app 10:+MPI_Send 11:S1,7,1 20:-MPI_Send 20:+foo 25:-foo 90:>app",
               "0:<app 10:+MPI_Recv 19:R0,7,1 20:-MPI_Recv 90:>app"},
     .becomes = {"10:<app 10:+MPI_Send 11:S1,7,1 20:-MPI_Send 20:>app",
                 "10:<app 10:+MPI_Recv 19:R0,7,1 20:-MPI_Recv 20:>app"},
     .losses = {.kept_messages = 1}},
    {.name = "a collective operation is removed on all members if one of them is not whole",
     .rank_count = 3,
     .ranges = {{10, 50}, {10, 50}, {10, 30}},
     .ranks = {"0:<app 12:+MPI_Barrier 13:B 14:E 15:-MPI_Barrier 20:+MPI_Barrier 21:B 34:E "
               "35:-MPI_Barrier 90:>app",
               "0:<app 12:+MPI_Barrier 13:B 14:E 15:-MPI_Barrier 20:+MPI_Barrier 21:B 34:E "
               "35:-MPI_Barrier 90:>app",
               "0:<app 12:+MPI_Barrier 13:B 14:E 15:-MPI_Barrier 33:+MPI_Barrier 33:B 34:E "
               "35:-MPI_Barrier 90:>app"},
     .becomes = {"10:<app 12:+MPI_Barrier 13:B 14:E 15:-MPI_Barrier 20:+MPI_Barrier "
                 "35:-MPI_Barrier 50:>app",
                 "10:<app 12:+MPI_Barrier 13:B 14:E 15:-MPI_Barrier 20:+MPI_Barrier "
                 "35:-MPI_Barrier 50:>app",
                 "10:<app 12:+MPI_Barrier 13:B 14:E 15:-MPI_Barrier 30:>app"},
     .losses = {.collectives = 1, .kept_collectives = 1}},
    {.name = "requests that are open at the beginning or the end are removed, with their messages",
     .rank_count = 2,
     .ranges = {{10, 50}, {10, 50}},
     .ranks = {"0:<app 5:+MPI_Irecv 6:r1,1,7,1 7:-MPI_Irecv 20:+MPI_Isend 21:s2,1,8,2 "
               "22:-MPI_Isend 23:+MPI_Isend 24:s3,1,8,3 25:-MPI_Isend 30:+MPI_Waitall 31:R1 32:S3 "
               "33:-MPI_Waitall 60:+MPI_Wait 61:S2 62:-MPI_Wait 90:>app",
               "0:<app 11:+MPI_Send 12:S0,7,1 13:-MPI_Send 26:+MPI_Recv 27:R0,8,2 28:-MPI_Recv "
               "29:+MPI_Recv 30:R0,8,3 31:-MPI_Recv 90:>app"},
     .becomes = {"10:<app 20:+MPI_Isend 22:-MPI_Isend 23:+MPI_Isend 24:s0,1,8,3 25:-MPI_Isend "
                 "30:+MPI_Waitall 32:S0 33:-MPI_Waitall 50:>app",
                 "10:<app 11:+MPI_Send 13:-MPI_Send 26:+MPI_Recv 28:-MPI_Recv 29:+MPI_Recv "
                 "30:R0,8,3 31:-MPI_Recv 50:>app"},
     .losses = {.messages = 2, .requests = 2, .kept_messages = 1}},
    {.name =
         "tests and probes for messages that go are removed, so that no other is tested instead",
     .rank_count = 2,
     .ranges = {{10, 50}, {10, 70}},
     .ranks = {"0:<app 5:+MPI_Irecv 6:r1,1,7,1 7:-MPI_Irecv 20:+MPI_Test 21:t1 22:-MPI_Test "
               "23:+MPI_Test 24:R1 25:-MPI_Test 30:+MPI_Irecv 31:r2,1,7,2 32:-MPI_Irecv "
               "33:+MPI_Test 34:t2 35:-MPI_Test 36:+MPI_Test 37:R2 38:-MPI_Test 40:+MPI_Iprobe "
               "41:-MPI_Iprobe 45:+MPI_Probe 46:-MPI_Probe 48:+MPI_Recv 52:R1,7,3 53:-MPI_Recv "
               "90:>app",
               "0:<app 11:+MPI_Send 12:S0,7,1 13:-MPI_Send 26:+MPI_Send 27:S0,7,2 28:-MPI_Send "
               "29:+MPI_Send 30:S0,7,3 31:-MPI_Send 90:>app"},
     .becomes = {"10:<app 30:+MPI_Irecv 31:r0,1,7,2 32:-MPI_Irecv 33:+MPI_Test 34:t0 35:-MPI_Test "
                 "36:+MPI_Test 37:R0 38:-MPI_Test 48:+MPI_Recv 50:-MPI_Recv 50:>app",
                 "10:<app 11:+MPI_Send 13:-MPI_Send 26:+MPI_Send 27:S0,7,2 28:-MPI_Send "
                 "29:+MPI_Send 31:-MPI_Send 70:>app"},
     .losses = {.messages = 2, .requests = 1, .kept_messages = 1}},
    {.name = "cancelled requests stay if they are whole",
     .rank_count = 1,
     .ranges = {{10, 50}},
     .ranks = {"0:<app 5:+MPI_Irecv 6:r1,0,7,1 7:-MPI_Irecv 20:+MPI_Irecv 21:r2,0,7,1 "
               "22:-MPI_Irecv 30:+MPI_Wait 31:x1 32:-MPI_Wait 33:+MPI_Wait 34:x2 35:-MPI_Wait "
               "90:>app"},
     .becomes = {"10:<app 20:+MPI_Irecv 21:r0,0,7,1 22:-MPI_Irecv 30:+MPI_Wait 32:-MPI_Wait "
                 "33:+MPI_Wait 34:x0 35:-MPI_Wait 50:>app"}},
    {.name = "MPI_Init and MPI_Finalize go unless they are whole on all ranks",
     .rank_count = 2,
     .ranges = {{0, 95}, {0, 60}},
     .ranks = {"0:<app 1:+MPI_Init 2:-MPI_Init 80:+MPI_Finalize 81:-MPI_Finalize 90:>app",
               "0:<app 1:+MPI_Init 2:-MPI_Init 80:+MPI_Finalize 81:-MPI_Finalize 90:>app"},
     .becomes = {"0:<app 1:+MPI_Init 2:-MPI_Init 90:>app",
                 "0:<app 1:+MPI_Init 2:-MPI_Init 60:>app"}},
    {.name = "a range may be empty on a rank",
     .rank_count = 3,
     .ranges = {{10, 50}, {30, 30}, {10, 50}},
     .ranks = {"0:<app 12:+MPI_Send 13:S1,7,1 14:-MPI_Send 15:+MPI_Send 16:S2,7,2 17:-MPI_Send "
               "90:>app",
               "0:<app 12:+MPI_Recv 14:R0,7,1 15:-MPI_Recv 90:>app",
               "0:<app 12:+MPI_Recv 17:R0,7,2 18:-MPI_Recv 90:>app"},
     .becomes = {"10:<app 12:+MPI_Send 14:-MPI_Send 15:+MPI_Send 16:S2,7,2 17:-MPI_Send 50:>app",
                 "", "10:<app 12:+MPI_Recv 17:R0,7,2 18:-MPI_Recv 50:>app"},
     .losses = {.messages = 1, .kept_messages = 1}},
    {.name = "flushes end with the range, and other locations are cut to it",
     .rank_count = 1,
     .ranges = {{10, 50}},
     .ranks = {"0:<app 8:f12 20:f25 21:o 30:+foo 45:f55 55:-foo 60:o 90:>app"},
     .becomes = {"10:<app 20:f25 21:o 30:+foo 45:f50 50:-foo 50:>app"},
     .carried = {"0:+bar 5:o 20:+baz 30:o 49:f51 50:-baz 60:-bar"},
     .carried_becomes = {"10:+bar 20:+baz 30:o 49:f50 50:-baz 50:-bar"}},
    {.name =
         "a range without events is spent where the rank was; outside its life there is nothing",
     .rank_count = 2,
     .ranges = {{10, 50}, {10, 50}},
     .ranks = {"0:<app 5:+foo 80:-foo 90:>app", "0:<app 5:+foo 6:-foo 7:>app"},
     .becomes = {"10:<app 10:+foo 50:-foo 50:>app", ""}},
    {.name = "ranges that contain everything change nothing",
     .rank_count = 2,
     .ranges = {{0, 91}, {0, 91}},
     .ranks = {"0:<app 1:+MPI_Init 2:-MPI_Init 12:+MPI_Send 13:S1,7,1 14:-MPI_Send 20:+MPI_Barrier "
               "21:B 34:E 35:-MPI_Barrier 80:+MPI_Finalize 81:-MPI_Finalize 90:>app",
               "0:<app 1:+MPI_Init 2:-MPI_Init 12:+MPI_Recv 14:R0,7,1 15:-MPI_Recv "
               "20:+MPI_Barrier 21:B 34:E 35:-MPI_Barrier 80:+MPI_Finalize 81:-MPI_Finalize "
               "90:>app"},
     .losses = {.kept_messages = 1, .kept_collectives = 1}},
};

static bool is_text(const struct trace *trace, const struct stream *stream, const char *expected)
{
    char *text = built_trace_text(trace, stream);
    bool same = strcmp(text, expected) == 0;
    if (!same)
        fprintf(stderr, "# rank %u is       %s\n# instead of %s\n", stream->rank, text, expected);
    free(text);
    return same;
}

/* `becomes` NULL: as before. */
static bool has_become(const struct cut_case *c, const struct trace *trace,
                       const char *const *becomes, const char *const *carried_becomes)
{
    bool same = true;
    for (uint32_t i = 0; i < trace->owned_count; i++)
        same &= is_text(trace, &trace->streams[i],
                        (becomes[0] ? becomes : c->ranks)[trace->streams[i].rank]);
    for (uint32_t i = 0; i < trace->carried_count; i++)
        same &= is_text(trace, &trace->carried[i], carried_becomes[trace->carried[i].rank]);
    return same;
}

static bool has_lost(const struct cut_losses *losses, const struct cut_losses *expected)
{
    bool same = memcmp(losses, expected, sizeof *losses) == 0;
    if (!same)
        fprintf(stderr, "# messages %lld of %lld, operations %lld of %lld, requests %lld\n",
                (long long)losses->messages, (long long)losses->kept_messages,
                (long long)losses->collectives, (long long)losses->kept_collectives,
                (long long)losses->requests);
    return same;
}

/* The list by kind and call path adds up to the losses. */
static bool adds_up(const struct cut_losses *losses, const cut_crossing_list *crossings)
{
    int64_t sums[CUT_CROSSING_KIND_COUNT] = {0};
    for (size_t i = 0; i < crossings->count; i++)
        sums[crossings->items[i].kind] += crossings->items[i].count;
    return sums[CUT_CROSSING_MESSAGE] == losses->messages &&
           sums[CUT_CROSSING_COLLECTIVE] == losses->collectives &&
           sums[CUT_CROSSING_REQUEST] == losses->requests &&
           sums[CUT_CROSSING_ONE_SIDED] == losses->one_sided;
}

static void run_case(struct processes *processes, const struct cut_case *c)
{
    struct error error = {0};
    struct trace *cut = NULL;
    cut_crossing_list crossings = {0};
    struct cut_losses losses;
    struct trace *trace = built_trace(processes, c->ranks, c->carried, c->rank_count);
    enum status status = trace_match(trace, &error);
    if (status == STATUS_OK)
        status = structure_cut(trace, c->ranges, &cut, &losses, &crossings, &error);
    mpi_check(status == STATUS_OK, c->name);
    if (status == STATUS_OK) {
        const char *cut_time = definitions_property(cut->definitions, SILAS_PROPERTY_CUT);
        mpi_check(has_become(c, cut, c->becomes, c->carried_becomes), "the events of the cut");
        mpi_check(has_lost(&losses, &c->losses), "the counts of losses");
        mpi_check(adds_up(&losses, &crossings), "the list of losses");
        mpi_check(cut->matched && trace_preflight(cut, &error) == STATUS_OK, "it can be replayed");
        mpi_check(cut_time && !definitions_property(trace->definitions, SILAS_PROPERTY_CUT),
                  "only the cut is marked as a cut");
        mpi_check(has_become(c, trace, c->ranks, c->carried), "the whole trace is as before");
        trace_destroy(cut);
    } else {
        log_error(&error);
    }
    free(crossings.items);
    trace_destroy(trace);
}

/* Ranges without any time or event are refused. */
static void check_empty(struct processes *processes)
{
    static const char *const ranks[] = {"0:<app 90:>app", "0:<app 90:>app"}, *const carried[2];
    static const struct cut_range ranges[] = {{10, 10}, {20, 10}}, late[] = {{91, 95}, {91, 99}};
    struct error error = {0};
    struct trace *cut, *trace = built_trace(processes, ranks, carried, 2);
    struct cut_losses losses;
    mpi_check(trace_match(trace, &error) == STATUS_OK, "a trace of two ranks");
    mpi_check(structure_cut(trace, ranges, &cut, &losses, NULL, &error) == STATUS_INPUT &&
                  strstr(error.text, "empty on all ranks"),
              "ranges that are empty on all ranks are refused");
    mpi_check(structure_cut(trace, late, &cut, &losses, NULL, &error) == STATUS_INPUT &&
                  strstr(error.text, "no rank has any events"),
              "ranges in which no rank has any events are refused");
    trace_destroy(trace);
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error;
    mpi_check_begin(&argc, &argv);
    if (processes_open(&processes, MPI_COMM_WORLD, &error) != STATUS_OK)
        return log_error(&error);
    log_open("cut", processes.rank == 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run_case(&processes, &cases[i]);
    check_empty(&processes);
    processes_close(&processes);
    return mpi_check_end();
}
