#include "report/pop.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Calls made by an MPI call (callbacks, MPI on MPI) count as time inside it. */
static bool inside_mpi(const struct severity *severity, uint32_t path)
{
    for (; path != SEVERITY_NONE; path = severity->paths[path].parent)
        if (severity->paths[path].mpi)
            return true;
    return false;
}

static bool starts_or_ends_mpi(const struct severity *severity, uint32_t path)
{
    for (; path != SEVERITY_NONE; path = severity->paths[path].parent) {
        const char *name = severity->paths[path].name;
        if (strcmp(name, "MPI_Init") == 0 || strcmp(name, "MPI_Init_thread") == 0 ||
            strcmp(name, "MPI_Finalize") == 0)
            return true;
    }
    return false;
}

/* The time of a location outside MPI, and in MPI_Init and MPI_Finalize without waiting for the last
 * rank there. */
static void find_location_times(const struct severity *severity, uint32_t location,
                                double *computation, double *start_up)
{
    *computation = *start_up = 0;
    for (uint32_t path = 0; path < severity->path_count; path++) {
        const double time = severity_get(severity, METRIC_TIME, path, location);
        if (!inside_mpi(severity, path))
            *computation += time;
        else if (starts_or_ends_mpi(severity, path))
            *start_up += time - severity_get(severity, METRIC_MPI_FINALIZE_WAIT, path, location);
    }
}

struct pop_factors pop_factors_of(const struct severity *severity)
{
    assert(severity);
    struct pop_factors factors = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN,
                                  NAN, 0,   0,   NAN, NAN, NAN, NAN, NAN};
    double sum = 0, longest = 0, least = INFINITY;
    uint32_t ranks = 0;
    for (uint32_t location = 0; location < severity->location_count; location++) {
        double computation, start_up;
        if (severity->locations[location].thread != 0)
            continue;
        find_location_times(severity, location, &computation, &start_up);
        sum += computation;
        longest = fmax(longest, computation);
        least = fmin(least, start_up);
        ranks++;
    }
    if (longest <= 0 || severity->total_seconds <= 0 || severity->total_seconds <= least)
        return factors;
    factors.time_s = severity->total_seconds - least;
    factors.computation_mean_s = sum / ranks;
    factors.computation_max_s = longest;
    factors.load_balance = factors.computation_mean_s / longest;
    factors.communication = longest / factors.time_s;
    factors.parallel = factors.mpi_parallel = factors.load_balance * factors.communication;
    return factors;
}
