#include "replay/realtime/clock_offsets.h"

enum { ROUND_TRIPS = 32, TAG = 7 };

static double seconds(const struct clock *clock)
{
    return (double)clock_now(clock) / clock->ticks_per_second;
}

static void answer(const struct processes *processes, const struct clock *clock, int peer)
{
    for (int i = 0; i < ROUND_TRIPS; i++) {
        MPI_Recv(NULL, 0, MPI_BYTE, peer, TAG, processes->comm, MPI_STATUS_IGNORE);
        double now = seconds(clock);
        MPI_Send(&now, 1, MPI_DOUBLE, peer, TAG, processes->comm);
    }
}

static struct clock_offset ask(const struct processes *processes, const struct clock *clock)
{
    struct clock_offset best = {0, 0};
    double shortest = 1e30;
    for (int i = 0; i < ROUND_TRIPS; i++) {
        double theirs, before = seconds(clock);
        MPI_Send(NULL, 0, MPI_BYTE, 0, TAG, processes->comm);
        MPI_Recv(&theirs, 1, MPI_DOUBLE, 0, TAG, processes->comm, MPI_STATUS_IGNORE);
        double after = seconds(clock);
        if (after - before < shortest) {
            shortest = after - before;
            best.at = (before + after) / 2;
            best.offset = theirs - best.at;
        }
    }
    return best;
}

struct clock_offset clock_offset_measure(const struct processes *processes,
                                         const struct clock *clock)
{
    struct clock_offset mine = {seconds(clock), 0};
    for (int peer = 1; peer < processes->size; peer++) {
        if (processes->rank == 0)
            answer(processes, clock, peer);
        else if (processes->rank == peer)
            mine = ask(processes, clock);
        processes_barrier(processes); /* one at a time: the round trips must not wait */
    }
    return mine;
}
