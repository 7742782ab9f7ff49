#include "measure/recorder/record_private.h"

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

bool record_clock_tsc;

#if defined(__x86_64__)
/* CPUID leaf 0x80000007, EDX bit 8: the counter runs at one rate in all power states, on all cores.
 * On older processors this is constant_tsc and nonstop_tsc together. */
static bool tsc_is_invariant(void)
{
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) && (edx & 1u << 8);
}

/* The kernel withdraws the counter from its list of clocks when it finds it unsteady or unequal on
 * different cores. Without the list (a container) the processor's word has to do. */
static bool kernel_trusts_tsc(void)
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

void record_clock_open(void)
{
#if defined(__x86_64__)
    record_clock_tsc = tsc_is_invariant() && kernel_trusts_tsc();
#endif
}

static uint64_t nanoseconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Of several readings the one between whose ticks the least time passed. */
struct record_moment record_clock_moment(void)
{
    enum { READINGS = 5 };
    struct record_moment best = {0, 0, 0};
    uint64_t narrowest = UINT64_MAX;
    for (int i = 0; i < READINGS; i++) {
        uint64_t before = record_now();
        uint64_t monotonic = nanoseconds(CLOCK_MONOTONIC);
        uint64_t after = record_now();
        if (after - before >= narrowest)
            continue;
        narrowest = after - before;
        best.ticks = before + (after - before) / 2;
        best.monotonic = monotonic;
    }
    best.realtime = nanoseconds(CLOCK_REALTIME);
    return best;
}
