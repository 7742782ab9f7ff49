#include "job/run_spread.h"

#include "base/sort.h"
#include "reduce/assumptions.h"
#include "transform/hypothesis.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOWS = 8, LEAST_WINDOWS = 4 };
/* A window with less like computation than this part of the mean of windows shows no pace. */
static const double LEAST_PART = 0.25;

struct window_sums {
    int64_t taken[WINDOWS], usual[WINDOWS]; /* ticks of like intervals, of the rank with most */
};

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Adds one rank. `evened` has the same rows, with intervals at their usual length. An interval of
 * exactly this length may be the only one of its kind, which shows nothing. */
static void add_rank(const struct trace *trace, const struct stream *stream,
                     const struct stream *evened, struct window_sums *sums)
{
    struct window_sums own = {{0}, {0}};
    uint32_t path = CALLPATH_NONE;
    assert(stream->count == evened->count);
    for (uint32_t row = 0; row < stream->count; row++) {
        if (row > 0 && path != CALLPATH_NONE && !callpath_communicates(trace, path)) {
            const int64_t taken = (int64_t)(stream->time[row] - stream->time[row - 1]);
            const int64_t usual = (int64_t)(evened->time[row] - evened->time[row - 1]);
            const double at = (double)(stream->time[row] - trace->begin) /
                              (double)(trace->end - trace->begin + 1);
            const int window = (int)(at * WINDOWS);
            own.taken[window] += taken == usual ? 0 : taken;
            own.usual[window] += taken == usual ? 0 : usual;
        }
        path = callpath_after(&trace->calltree, stream, row, path);
    }
    for (int w = 0; w < WINDOWS; w++) {
        sums->taken[w] = larger(sums->taken[w], own.taken[w]);
        sums->usual[w] = larger(sums->usual[w], own.usual[w]);
    }
}

/* The median distance from the median, which estimates the standard deviation of normal values
 * without outliers. Changes the order of the values. */
static double usual_distance(double *values, size_t count)
{
    static const double OF_NORMAL = 1.4826;
    qsort(values, count, sizeof *values, order_double);
    const double middle = (values[(count - 1) / 2] + values[count / 2]) / 2;
    for (size_t i = 0; i < count; i++)
        values[i] = fabs(values[i] - middle);
    qsort(values, count, sizeof *values, order_double);
    return OF_NORMAL * (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static struct run_spread spread_of(const struct window_sums *sums, double ticks)
{
    double usual = 0, taken = 0, sum = 0, squares = 0, paces[WINDOWS];
    size_t count = 0;
    for (int w = 0; w < WINDOWS; w++) {
        usual += (double)sums->usual[w];
        taken += (double)sums->taken[w];
    }
    for (int w = 0; w < WINDOWS; w++) {
        if ((double)sums->usual[w] <= LEAST_PART * usual / WINDOWS)
            continue;
        paces[count] = (double)sums->taken[w] / (double)sums->usual[w];
        sum += paces[count++];
    }
    if (count < LEAST_WINDOWS || ticks <= 0)
        return (struct run_spread){0};
    const double mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (paces[i] - mean) * (paces[i] - mean);
    const double variance = squares / (double)(count - 1);
    const double lasting = fmin(sqrt(variance), usual_distance(paces, count));
    const double part_of_time = fmin(1, taken / ticks);
    return (struct run_spread){.run = sqrt(lasting * lasting + variance / WINDOWS) / mean *
                                      part_of_time,
                               .part = sqrt(variance / WINDOWS) / mean * part_of_time};
}

enum status run_spread_find(const struct trace *trace, struct run_spread *spread,
                            struct error *error)
{
    static const char sections[] = "[variation]\nremove = noise\n";
    struct ini *ini = NULL;
    struct hypothesis *hypotheses = NULL;
    struct trace *evened = NULL;
    size_t count = 0;
    struct window_sums sums = {{0}, {0}};
    struct error reason;
    assert(trace->matched);
    *spread = (struct run_spread){0};
    if (assumptions_check_request(trace, "the spread of runs", &reason) ||
        trace->end <= trace->begin)
        return STATUS_OK;
    enum status status = ini_parse_text("the spread", sections, strlen(sections), &ini, error)
                             ?: hypotheses_parse(ini, &hypotheses, &count, error);
    status = processes_agree(trace->processes, status, error)
                 ?: hypotheses_apply(hypotheses, count, trace, &evened, NULL, error);
    for (uint32_t s = 0; status == STATUS_OK && s < trace->owned_count; s++)
        add_rank(trace, &trace->streams[s], &evened->streams[s], &sums);
    if (status == STATUS_OK) {
        processes_max(trace->processes, (int64_t *)&sums, sizeof sums / sizeof(int64_t));
        *spread = spread_of(&sums, (double)(trace->end - trace->begin));
    }
    trace_destroy(evened);
    hypotheses_destroy(hypotheses, count);
    ini_destroy(ini);
    return status;
}
