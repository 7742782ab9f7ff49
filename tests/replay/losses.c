/* Which gaps between two readings of the clock count as a lost core. */
#include "../mpi_check.h"

#include "replay/realtime/executor.h"

int main(int argc, char **argv)
{
    struct lost_time losses[8];
    struct executor executor = {.losses = losses, .long_loss = UINT64_MAX};
    mpi_check_begin(&argc, &argv);
    clock_open(&executor.clock); /* a gap of 0: between any two readings of the clock */
    uint64_t ticks = (uint64_t)(1e-3 * executor.clock.ticks_per_second);

    executor.first = clock_now(&executor.clock) + 10 * ticks;
    executor_wait_until(&executor, executor.first - 9 * ticks);
    mpi_check(executor.lost == 0 && executor.disturbances == 0,
              "a loss before the replay begins delays no rank");

    executor.first = clock_now(&executor.clock) + ticks;
    uint64_t last = executor_wait_until(&executor, executor.first + ticks);
    mpi_check(executor.lost <= last - executor.first,
              "of a gap around the beginning the later part");
    mpi_check(executor.lost > ticks / 2 && executor.disturbances > 0, "later losses count");
    return mpi_check_end();
}
