/* A load that changes slowly: keeps a core busy for a share of each 2 ms, which goes from 0 up to
 * MOST and back within PERIOD seconds. slow_load CORE PERIOD MOST [PHASE]: until it is killed;
 * PHASE is a share of the period. */
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const double SLICE_S = 0.002;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void sleep_until(double end_s)
{
    const struct timespec end = {.tv_sec = (time_t)end_s,
                                 .tv_nsec = (long)((end_s - floor(end_s)) * 1e9)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL);
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: slow_load CORE PERIOD MOST [PHASE]\n");
        return 2;
    }
    const double period_s = atof(argv[2]), most = atof(argv[3]);
    const double begin_s = now_s(), phase = argc > 4 ? atof(argv[4]) : 0;
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET((size_t)atoi(argv[1]), &cores);
    if (sched_setaffinity(0, sizeof cores, &cores) != 0) {
        perror("slow_load");
        return 3;
    }
    for (long slice = 0;; slice++) {
        const double start_s = begin_s + (double)slice * SLICE_S;
        const double angle = 2 * M_PI * ((start_s - begin_s) / period_s + phase);
        const double busy_s = SLICE_S * most * (1 - cos(angle)) / 2;
        while (now_s() < start_s + busy_s)
            ;
        sleep_until(start_s + SLICE_S);
    }
}
