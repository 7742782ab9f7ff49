/* Maps the clock of a host to that of rank 0's host while the program runs: by a line through the
 * comparison that the tracer makes in MPI_Init, those of clock_exchange.h, and that of
 * MPI_Finalize. The line ends at the last comparison so far; later times cannot be mapped before
 * the next one. */
#ifndef MEASURE_HOST_CLOCKS_H
#define MEASURE_HOST_CLOCKS_H

#include "measure/archive/rank_definitions.h"

struct host_clock {
    const char *directory;
    char boot_id[64];
    uint32_t rank; /* one that uses the clock */
    int file;      /* of the comparisons; -1: not there yet */
    clock_line line;
    bool compared; /* while the program ran, the line got points */
    bool ended;    /* no more points will come: all times can be mapped */
};

/* `directory` must stay valid. */
void host_clock_open(struct host_clock *clock, const char *directory, const char *boot_id,
                     uint32_t rank);
void host_clock_close(struct host_clock *clock);

/* Adds the comparisons that are new. Fails if out of memory, or if the definitions of the rank are
 * damaged. */
enum status host_clock_update(struct host_clock *clock, struct error *error);

/* The same when the program has ended: from now on all times can be mapped. The rates are in ticks
 * per second, of the rank's clock (0: not known) and of rank 0's. `last` is the end of the rank's
 * records. */
enum status host_clock_finish(struct host_clock *clock, uint64_t last, double own_rate,
                              double rate_of_rank_0, struct error *error);

/* Whether a time on the host's clock can be mapped to rank 0's clock. */
static inline bool host_clock_maps(const struct host_clock *clock, uint64_t time)
{
    return clock->ended ||
           (clock->line.count > 1 && time <= clock->line.items[clock->line.count - 1].time);
}

/* Appends the line to the definitions of a rank that uses the clock. Fails with STATUS_ENVIRONMENT.
 */
enum status host_clock_define(const struct host_clock *clock, uint32_t rank, struct error *error);

#endif
