#include "report/replay_report.h"

/* Calls made by an MPI call (callbacks, MPI on MPI) count as time inside it. */
static bool inside_mpi(const struct severity *severity, uint32_t path)
{
    for (; path != SEVERITY_NONE; path = severity->paths[path].parent)
        if (severity->paths[path].mpi)
            return true;
    return false;
}

static double computation(const struct severity *severity, uint32_t location)
{
    double sum = 0;
    for (uint32_t path = 0; path < severity->path_count; path++)
        if (!inside_mpi(severity, path))
            sum += severity_get(severity, METRIC_TIME, path, location);
    return sum;
}

struct efficiency efficiency_of(const struct severity *severity)
{
    struct efficiency efficiency = {0};
    double sum = 0;
    for (uint32_t location = 0; location < severity->location_count; location++) {
        double own = computation(severity, location);
        sum += own;
        if (own > efficiency.computation_max_s)
            efficiency.computation_max_s = own;
    }
    if (efficiency.computation_max_s <= 0 || severity->total_seconds <= 0)
        return efficiency;
    efficiency.computation_mean_s = sum / severity->location_count;
    efficiency.load_balance = efficiency.computation_mean_s / efficiency.computation_max_s;
    efficiency.communication = efficiency.computation_max_s / severity->total_seconds;
    efficiency.parallel = efficiency.load_balance * efficiency.communication;
    return efficiency;
}
