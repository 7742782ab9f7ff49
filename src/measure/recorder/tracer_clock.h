/* The clock of this process's records, and its rate: the ticks of two moments divided by the time
 * between them on CLOCK_MONOTONIC. */
#ifndef MEASURE_TRACER_CLOCK_H
#define MEASURE_TRACER_CLOCK_H

#include "base/clock.h"
#include "measure/recorder/record_format.h"

extern struct clock tracer_clock __attribute__((visibility("hidden")));

/* Chooses the clock; once, when the library is loaded. */
void tracer_clock_open(void);

/* The moment when the clock was chosen. MPI_Init lies between it and the first moment in an event
 * file, so the rate is known to about 1e-6 even if the process ends early. */
struct record_moment tracer_clock_opened(void);

struct record_moment tracer_clock_moment(void);

/* Ticks; without a system call. */
static inline uint64_t record_now(void)
{
    return clock_now(&tracer_clock);
}

#endif
