#include "base/clock.h"

#include <math.h>

#ifdef CLOCK_HAS_TSC
#include <cpuid.h>

/* Leaf 0x80000007, EDX bit 8: the counter runs at one rate in all power states. */
static bool counter_is_invariant(void)
{
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) && (edx & 1u << 8);
}
#endif

enum { CALIBRATION_NS = 15000000, BRACKETS = 20 };

static const struct clock system_clock = {.tsc = false, .ticks_per_second = 1e9};

/* The same moment on both clocks: of several readings the one whose bracket is narrowest. */
static void read_both(const struct clock *clock, uint64_t *ticks, uint64_t *ns)
{
    uint64_t narrowest = UINT64_MAX;
    for (int i = 0; i < BRACKETS; i++) {
        uint64_t before = clock_now(clock);
        uint64_t middle = clock_now(&system_clock);
        uint64_t width = clock_now(clock) - before;
        if (width < narrowest) {
            narrowest = width;
            *ticks = before + width / 2;
            *ns = middle;
        }
    }
}

static double measure_rate(const struct clock *clock)
{
    uint64_t first_ticks, first_ns, ticks, ns;
    read_both(clock, &first_ticks, &first_ns);
    do
        read_both(clock, &ticks, &ns);
    while (ns - first_ns < CALIBRATION_NS);
    return (double)(ticks - first_ticks) / (double)(ns - first_ns) * 1e9;
}

/* The smallest of several averages: interruptions only ever add. */
static double measure_read_ns(const struct clock *clock)
{
    enum { READINGS = 200, ROUNDS = 9 };
    double smallest = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t first = clock_now(clock), last = first;
        for (int i = 0; i < READINGS; i++)
            last = clock_now(clock);
        smallest = fmin(smallest, (double)(last - first) / READINGS);
    }
    return smallest / clock->ticks_per_second * 1e9;
}

void clock_open(struct clock *clock)
{
    *clock = system_clock;
#ifdef CLOCK_HAS_TSC
    if (counter_is_invariant()) {
        clock->tsc = true;
        double first = measure_rate(clock), second = measure_rate(clock);
        clock->ticks_per_second = (first + second) / 2;
        if (!(first > 0 && fabs(first - second) < 1e-4 * first))
            *clock = system_clock;
    }
#endif
    clock->read_ns = measure_read_ns(clock);
}
