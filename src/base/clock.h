/* The clock of replays and of the tracer: the processor's time stamp counter where it is invariant,
 * otherwise clock_gettime(CLOCK_MONOTONIC). Reading it needs no system call and takes about ten
 * nanoseconds. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#define CLOCK_HAS_TSC 1
#endif

struct clock {
    bool tsc;                /* a tick is one of the time stamp counter; else a nanosecond */
    double ticks_per_second; /* measured against CLOCK_MONOTONIC, accurate to about 1e-6 */
    double read_ns;          /* duration of a reading */
};

/* Chooses the source. Uses the counter only if the processor says that it runs at one rate in all
 * power states and the kernel has not found otherwise. All processes of a host get the same source;
 * the counter also shows them the same time. `read_ns` and the rate of a counter stay unknown
 * (0). */
void clock_choose(struct clock *clock);

/* Chooses the source and calibrates it, which takes 30 ms. Uses the counter only if it also agrees
 * with the system's clock in two measurements. */
void clock_open(struct clock *clock);

/* One moment on a clock and on CLOCK_MONOTONIC. */
struct clock_reading {
    uint64_t ticks, ns;
};

/* Reads both clocks `readings` times (at least once) and returns the pair with the shortest
 * reading. Two such pairs give the rate of a counter. */
struct clock_reading clock_read_both(const struct clock *clock, int readings);

static inline uint64_t clock_now(const struct clock *clock)
{
#ifdef CLOCK_HAS_TSC
    if (__builtin_expect(clock->tsc, 1))
        return __rdtsc();
#else
    (void)clock;
#endif
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Seconds on CLOCK_MONOTONIC, for time limits. */
static inline double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Tells the processor that this is a waiting loop; returns at once. */
static inline void clock_relax(void)
{
#ifdef CLOCK_HAS_TSC
    _mm_pause();
#endif
}

#endif
