#include "base/clock.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#ifdef CLOCK_HAS_TSC
#include <cpuid.h>

/* Leaf 0x80000007, EDX bit 8: the counter runs at one rate in all power states, on all cores. On
 * older processors this is constant_tsc and nonstop_tsc together. */
static bool counter_is_invariant(void)
{
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) && (edx & 1u << 8);
}

/* The kernel removes the counter from its list of clocks if it finds it unsteady or different
 * between cores. Some containers do not show the list: then the processor's flag alone decides. */
static bool kernel_trusts_counter(void)
{
    char text[256] = "";
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/available_clocksource", "re");
    if (!file)
        return true;
    bool trusted = !fgets(text, sizeof text, file) || strstr(text, "tsc") != NULL;
    fclose(file);
    return trusted;
}
#endif

enum { CALIBRATION_NS = 15000000, BRACKETS = 20 };

static const struct clock system_clock = {.tsc = false, .ticks_per_second = 1e9};

void clock_choose(struct clock *clock)
{
    *clock = system_clock;
#ifdef CLOCK_HAS_TSC
    if (counter_is_invariant() && kernel_trusts_counter())
        *clock = (struct clock){.tsc = true};
#endif
}

struct clock_reading clock_read_both(const struct clock *clock, int readings)
{
    assert(readings > 0);
    struct clock_reading best = {0, 0};
    uint64_t narrowest = UINT64_MAX;
    for (int i = 0; i < readings; i++) {
        uint64_t before = clock_now(clock);
        uint64_t ns = clock_now(&system_clock);
        uint64_t width = clock_now(clock) - before;
        if (width < narrowest) {
            narrowest = width;
            best = (struct clock_reading){before + width / 2, ns};
        }
    }
    return best;
}

static double measure_rate(const struct clock *clock)
{
    struct clock_reading first = clock_read_both(clock, BRACKETS), now;
    do
        now = clock_read_both(clock, BRACKETS);
    while (now.ns - first.ns < CALIBRATION_NS);
    return (double)(now.ticks - first.ticks) / (double)(now.ns - first.ns) * 1e9;
}

/* The smallest of several averages, because interruptions only add time. */
static double measure_read_ns(const struct clock *clock)
{
    enum { READINGS = 200, ROUNDS = 9 };
    double smallest = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t first = clock_now(clock), last = first;
        for (int i = 0; i < READINGS; i++)
            last = clock_now(clock);
        double average = (double)(last - first) / READINGS;
        smallest = average < smallest ? average : smallest; /* no fmin: the tracer has no libm */
    }
    return smallest / clock->ticks_per_second * 1e9;
}

void clock_open(struct clock *clock)
{
    clock_choose(clock);
    if (clock->tsc) {
        double first = measure_rate(clock), second = measure_rate(clock);
        clock->ticks_per_second = (first + second) / 2;
        if (!(first > 0 && fabs(first - second) < 1e-4 * first))
            *clock = system_clock;
    }
    clock->read_ns = measure_read_ns(clock);
}
