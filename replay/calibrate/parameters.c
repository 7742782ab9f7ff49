/* For an asynchronous message of k bytes, half a round trip is o_s(k) + L + (k - 1) G + o_r(k). The
 * overheads are measured separately, so L and G follow from the rest. A synchronous message takes
 * o_s + L until both sides have come, and the rest of its half round trip after that. Errors are
 * relative to half a round trip, so small messages have the same weight as large ones. */
#include "replay/calibrate/parameters.h"

#include "base/estimate.h"
#include "replay/costs/transfer.h"

#include <assert.h>
#include <math.h>

/* Least absolute deviations: one of the lines with the smallest sum passes through two of the
 * points, or through one where a bound holds, so all of those are tried. Up to half of the points
 * may be outliers without moving the line far. */

static double sum_of_errors(struct fitted_line line, const struct weighted_point *points,
                            size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += fabs(points[i].y - fitted_line_at(line, points[i].x)) / points[i].scale;
    return sum;
}

struct parameter_search {
    const struct weighted_point *points;
    size_t count;
    struct fitted_line best;
    double smallest;
};

static void try_line(struct parameter_search *search, double at_zero, double slope)
{
    struct fitted_line line = {at_zero, slope};
    if (!(at_zero >= 0 && slope >= 0) || !isfinite(slope))
        return;
    double sum = sum_of_errors(line, search->points, search->count);
    if (sum < search->smallest) {
        search->smallest = sum;
        search->best = line;
    }
}

struct fitted_line line_fit(const struct weighted_point *points, size_t count)
{
    struct parameter_search search = {.points = points, .count = count, .smallest = INFINITY};
    try_line(&search, 0, 0);
    for (size_t i = 0; i < count; i++) {
        try_line(&search, points[i].y, 0);
        if (points[i].x > 0)
            try_line(&search, 0, points[i].y / points[i].x);
        for (size_t j = 0; j < i; j++) {
            double slope = (points[i].y - points[j].y) / (points[i].x - points[j].x);
            try_line(&search, points[i].y - slope * points[i].x, slope);
        }
    }
    return search.best;
}

static struct fitted_line fit_asynchronous(const struct size_sweep *sweep, const double *times)
{
    struct weighted_point points[SIZES_MAX];
    for (int i = 0; i < sweep->asynchronous; i++)
        points[i] = (struct weighted_point){(double)sweep->bytes[i], times[i], sweep->half[i]};
    return line_fit(points, (size_t)sweep->asynchronous);
}

static void fit_latency(const struct size_sweep *sweep, struct loggps *loggps)
{
    struct weighted_point points[SIZES_MAX];
    for (int i = 0; i < sweep->asynchronous; i++) {
        double overheads = transfer_send_cost(loggps, sweep->bytes[i], false) +
                           transfer_receive_cost(loggps, sweep->bytes[i], false);
        double after_first = sweep->bytes[i] > 0 ? (double)(sweep->bytes[i] - 1) : 0;
        points[i] =
            (struct weighted_point){after_first, sweep->half[i] - overheads, sweep->half[i]};
    }
    struct fitted_line line = line_fit(points, (size_t)sweep->asynchronous);
    loggps->latency = line.at_zero;
    loggps->per_byte = line.slope;
}

static void fit_synchronous(const struct size_sweep *sweep, struct loggps *loggps)
{
    struct weighted_point points[SIZES_MAX];
    int count = 0;
    for (int i = sweep->asynchronous; i < sweep->count; i++)
        points[count++] = (struct weighted_point){
            (double)sweep->bytes[i], sweep->half[i] - loggps->send_overhead - loggps->latency,
            sweep->half[i]};
    struct fitted_line line = line_fit(points, (size_t)count);
    loggps->synchronous_overhead = line.at_zero;
    loggps->synchronous_per_byte = line.slope;
}

struct loggps sweep_parameters(const struct size_sweep *sweep)
{
    assert(sweep->asynchronous >= 1 && sweep->count >= sweep->asynchronous);
    struct fitted_line send = fit_asynchronous(sweep, sweep->send);
    struct fitted_line receive = fit_asynchronous(sweep, sweep->receive);
    struct loggps loggps = {.known = true,
                            .send_overhead = send.at_zero,
                            .send_per_byte = send.slope,
                            .receive_overhead = receive.at_zero,
                            .receive_per_byte = receive.slope,
                            .gap = fit_asynchronous(sweep, sweep->gap).at_zero};
    fit_latency(sweep, &loggps);
    fit_synchronous(sweep, &loggps);
    return loggps;
}

double predicted_half(const struct loggps *loggps, uint64_t bytes, bool synchronous)
{
    return transfer_time(loggps, bytes, synchronous) +
           transfer_receive_cost(loggps, bytes, synchronous);
}

double parameters_misfit(const struct loggps *loggps, const struct size_sweep *sweep)
{
    double errors[SIZES_MAX];
    for (int i = 0; i < sweep->count; i++)
        errors[i] = fabs(
            predicted_half(loggps, sweep->bytes[i], i >= sweep->asynchronous) / sweep->half[i] - 1);
    return estimate_of(errors, (size_t)sweep->count).median;
}
