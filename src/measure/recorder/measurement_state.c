#include "measure/recorder/measurement_state.h"

#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

enum measurement_state measurement_state;
bool recorder_on, measurement_paused, measurement_threads, measurement_failed;
struct measurement_settings measurement_settings = {.keeper = -1};
uint32_t measurement_rank = RECORD_NONE;
struct clock tracer_clock;
struct record_moment tracer_clock_opened;

static void end_recording(const char *format, va_list arguments)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    char text[1024];
    measurement_state = MEASUREMENT_NONE;
    recorder_on = false;
    if (!format || atomic_flag_test_and_set(&said))
        return;
    vsnprintf(text, sizeof text, format, arguments);
    log_warning("%s", text);
}

void measurement_decline(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    end_recording(format, arguments);
    va_end(arguments);
}

void measurement_give_up(const char *format, ...)
{
    va_list arguments;
    measurement_failed = true;
    va_start(arguments, format);
    end_recording(format, arguments);
    va_end(arguments);
}

void measurement_out_of_memory(void)
{
    measurement_give_up("rank %u: recording stops: not enough memory", measurement_rank);
}

void tracer_clock_open(void)
{
    clock_choose(&tracer_clock);
    tracer_clock_opened = tracer_clock_moment();
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
