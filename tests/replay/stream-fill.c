/* Streaming keeps its rate over intervals of any length, and does not try to make up for long for a
 * rate that memory cannot reach. */
#include "../mpi_check.h"

#include "base/log.h"
#include "base/mpi/handles.h"
#include "replay/realtime/fill.h"

/* Bytes copied and read in `count` intervals of `ticks`. */
static double traffic(struct stream_fill *fill, int count, uint64_t ticks)
{
    double steps = 0;
    for (int i = 0; i < count; i++) {
        size_t before = fill->at;
        stream_fill_step(fill, ticks);
        steps += fill->at != before;
    }
    return steps * 2 * STREAM_STEP;
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct stream_fill fill;
    struct error error;
    const struct clock clock = {.ticks_per_second = 1e9};
    mpi_check_begin(&argc, &argv);
    log_open("stream-fill", false);
    mpi_check(processes_open(&processes, MPI_COMM_WORLD, &error) == STATUS_OK, "opened");
    struct clock real;
    clock_open(&real);
    mpi_check(stream_fill_open(&fill, &processes, &real, 0, 100000000, &error) == STATUS_OK,
              "streaming is opened");
    fill.ticks_per_step = 2 * STREAM_STEP * clock.ticks_per_second / 1e8;
    fill.most_owed = 1e6;
    fill.surplus = 0;
    double bytes = traffic(&fill, 1000000, 100); /* 0.1 s at 0.1 GB/s */
    mpi_check(bytes > 0.99e7 && bytes < 1.01e7, "traffic is as asked for");
    traffic(&fill, 1, 500000000); /* half a second without a chance */
    bytes = traffic(&fill, 1000, 1);
    mpi_check(bytes < 1.2e5, "what could not be done is forgotten but for a millisecond's worth");
    mpi_check(fill.at < fill.half, "it stays in its memory");
    stream_fill_close(&fill);
    processes_close(&processes);
    return mpi_check_end();
}
