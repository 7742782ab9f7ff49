/* Ranks on each other's places (replay/realtime/moved.h), round in a circle of three, so that the
 * direction matters: rank r runs in process r + 1. */
#include "base/mpi/handles.h"
#include "replay/realtime/moved.h"
#include "replay/costs/call_groups.h"
#include "replay/realtime/tuning.h"
#include "tests/mpi_check.h"
#include "tests/transform/built_trace.h"
#include "trace/environment.h"
#include "trace/match/match.h"

#include <string.h>

static const char *const ranks[] = {
    "0:+main 10:+MPI_Send 10:S1,7,100 20:-MPI_Send 80:-main",
    "0:+MPI_Recv 15:R0,7,100 20:-MPI_Recv 30:+MPI_Barrier 31:B 39:E 40:-MPI_Barrier",
    "5:f6 30:+MPI_Barrier 31:B 39:E 40:-MPI_Barrier 50:o",
};

static const char *const carried[] = {NULL, NULL, NULL};

/* What tuning has found out about a rank, all of it, goes where the rank goes. */
static void check_tuning(const struct moved *moved, int own, int ran)
{
    struct error error;
    uint8_t reach = (uint8_t)(10 + own);
    int64_t lacking[4 * CALL_SIZES];
    for (int i = 0; i < 4 * CALL_SIZES; i++)
        lacking[i] = 1000 * own + i;
    struct tuning found = {.path_count = 1, .reach = &reach, .shortfall.before = lacking}, tuning;
    mpi_check(tuning_copy(&found, &tuning, &error) == STATUS_OK &&
                  tuning_move(moved, &tuning, &error) == STATUS_OK,
              "tuning is moved");
    mpi_check(tuning.reach[0] == 10 + ran && tuning.shortfall.before[0] == 1000 * ran &&
                  tuning.shortfall.after[0] == 1000 * ran + CALL_SIZES &&
                  tuning.shortfall.excess_before[0] == 1000 * ran + 2 * CALL_SIZES &&
                  tuning.shortfall.excess_after[0] == 1000 * ran + 3 * CALL_SIZES,
              "all of it");
    tuning_clear(&tuning);
}

static void check_moved(const struct trace *trace, const struct moved *moved)
{
    struct error error;
    int own = trace->processes->rank, ran = (own + 2) % 3;
    mpi_check(moved->rank == ran && moved->place == (own + 1) % 3, "who runs which rank");
    mpi_check(moved->by_rank.rank == ran && moved->by_rank.size == 3,
              "the processes are numbered by the ranks that they run");
    const struct stream *stream = trace_stream(moved->trace, (uint32_t)ran);
    char *text = stream ? built_trace_text(moved->trace, stream) : NULL;
    mpi_check(text && stream->rank == (uint32_t)ran && strcmp(text, ranks[ran]) == 0,
              "it has that rank's events");
    mpi_check(ran != 1 || (stream->message_count == 1 && stream->messages[0].bytes == 100 &&
                           stream->collective_count == 1),
              "and its tables");
    free(text);

    int number = 100 + own;
    mpi_check(moved_exchange(moved, &number, sizeof number, &error) == STATUS_OK &&
                  number == 100 + ran,
              "what belongs to a rank goes to where it runs");
    check_tuning(moved, own, ran);
    struct stream *written = &moved->view->streams[0];
    for (uint32_t row = 0; row < written->count; row++)
        written->time[row] += 1000 * (uint64_t)(ran + 1);
    struct trace *view = trace_view(trace, &error);
    bool same = moved_return(moved, view, &error) == STATUS_OK;
    for (uint32_t row = 0; row < view->streams[0].count; row++)
        same = same && view->streams[0].time[row] ==
                           trace->streams[0].time[row] + 1000 * (uint64_t)(own + 1);
    mpi_check(same, "and the times come back to its owner");
    trace_destroy(view);
}

int main(int argc, char **argv)
{
    static uint32_t places[] = {1, 2, 0}, stay[] = {0, 1, 2};
    struct environment environment = {.place = stay};
    struct processes processes;
    struct moved *moved;
    struct error error;
    mpi_check_begin(&argc, &argv);
    mpi_check(processes_open(&processes, MPI_COMM_WORLD, &error) == STATUS_OK, "processes");
    struct trace *trace = built_trace(&processes, ranks, carried, 3);
    mpi_check(moved_open(trace, &moved, &error) == STATUS_OK && !moved,
              "as recorded: no rank moves");
    trace->environment = &environment;
    mpi_check(moved_open(trace, &moved, &error) == STATUS_OK && !moved,
              "all on their own places: no rank moves");
    environment.place = places;
    bool open = moved_open(trace, &moved, &error) == STATUS_OK && moved;
    mpi_check(open, "opened");
    if (open)
        check_moved(trace, moved);
    moved_close(moved);
    trace_destroy(trace);
    processes_close(&processes);
    return mpi_check_end();
}
