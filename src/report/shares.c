#include "report/shares.h"

#include <assert.h>
#include <stdlib.h>

/* True if a call path is an MPI call or inside one (callbacks). Callers come first. */
static bool is_inside_mpi(const struct severity *run, const bool *inside, uint32_t path)
{
    const uint32_t caller = run->paths[path].parent;
    return run->paths[path].mpi || (caller != SEVERITY_NONE && inside[caller]);
}

static void add_row_to_sums(const struct severity *run, enum metric metric, uint32_t path,
                            double sign, double *sums)
{
    const struct severity_row row = severity_row(run, metric, path);
    for (uint32_t i = 0; i < row.count; i++)
        sums[severity_row_location(&row, i)] += sign * row.values[i];
}

/* Adds the time of a call path to `whole`, without the waiting in it, and that to `waiting`. */
static void share_path(const struct severity *run, uint32_t path, double *whole, double *waiting)
{
    add_row_to_sums(run, METRIC_TIME, path, 1, whole);
    for (uint32_t i = 0; i < run->metric_count; i++)
        if (metric_info_is_wait(&run->metrics[i])) {
            add_row_to_sums(run, (enum metric)i, path, -1, whole);
            add_row_to_sums(run, (enum metric)i, path, 1, waiting);
        }
}

/* Waits are parts of the time they are in: what they have too much goes back. */
static void limit_waiting(double *whole, double *waiting)
{
    if (*whole < 0) {
        *waiting += *whole;
        *whole = 0;
    }
}

bool time_shares_find(const struct severity *run, struct time_shares *shares)
{
    assert(run && shares);
    const uint32_t count = run->location_count;
    double *block = calloc(3 * (size_t)count + 1, sizeof *block);
    bool *inside = calloc(run->path_count + 1ul, sizeof *inside);
    *shares = (struct time_shares){block, block, block, count};
    if (!block || !inside) {
        free(inside);
        time_shares_clear(shares);
        return false;
    }
    shares->mpi += count;
    shares->waiting += 2 * (size_t)count;
    for (uint32_t path = 0; path < run->path_count; path++) {
        inside[path] = is_inside_mpi(run, inside, path);
        share_path(run, path, inside[path] ? shares->mpi : shares->computation, shares->waiting);
    }
    for (uint32_t i = 0; i < count; i++) {
        limit_waiting(&shares->mpi[i], &shares->waiting[i]);
        limit_waiting(&shares->computation[i], &shares->waiting[i]);
    }
    free(inside);
    return true;
}

void time_shares_clear(struct time_shares *shares)
{
    free(shares->computation);
    *shares = (struct time_shares){.count = 0};
}

struct time_share_sums time_shares_sum(const struct time_shares *shares)
{
    assert(shares->computation || shares->count == 0);
    struct time_share_sums sums = {0, 0, 0};
    for (uint32_t i = 0; i < shares->count; i++) {
        sums.computation += shares->computation[i];
        sums.mpi += shares->mpi[i];
        sums.waiting += shares->waiting[i];
    }
    return sums;
}
