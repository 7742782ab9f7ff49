#include "measure/recorder/tracer_clock.h"

struct clock tracer_clock;

static struct record_moment opened;

void tracer_clock_open(void)
{
    clock_choose(&tracer_clock);
    opened = tracer_clock_moment();
}

struct record_moment tracer_clock_opened(void)
{
    return opened;
}

struct record_moment tracer_clock_moment(void)
{
    enum { READINGS = 5 };
    struct clock_reading reading = clock_read_both(&tracer_clock, READINGS);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (struct record_moment){reading.ticks, reading.ns,
                                  (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec};
}
