/* Median times of short calls in nanoseconds, for programs that run without and with the tracer.
 * Each sample is the mean of a short batch, so that the cost and the resolution of the clock do not
 * matter. */
#ifndef BENCH_MEASURE_MEDIAN_COST_H
#define BENCH_MEASURE_MEDIAN_COST_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BATCH = 64, SAMPLES = 4001 };

static double wall_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare_costs(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A sample. */
static double cost_of_batch(void (*call)(void))
{
    const double start = wall_clock_ns();
    for (int i = 0; i < BATCH; i++)
        call();
    return (wall_clock_ns() - start) / BATCH;
}

/* Prints `name: value`. Sorts the samples. */
static void print_median_cost(const char *name, double samples[SAMPLES])
{
    qsort(samples, SAMPLES, sizeof *samples, compare_costs);
    printf("%s: %.1f\n", name, samples[SAMPLES / 2]);
}

#endif
