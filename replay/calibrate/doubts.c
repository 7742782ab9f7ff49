#include "replay/calibrate/doubts.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* It is 0.5 if two processes share a core; the system's own work takes about 0.01. */
static const double LEAST_CORE_SHARE = 0.95;

/* These are above 0 on any machine. A fitted line is bounded by 0, so a 0 means that the
 * measurements were below. Costs per byte may be 0. */
static const char *const never_zero[] = {"latency", "send_overhead", "receive_overhead", "gap"};

static int find_parameter(const char *key)
{
    int which = 0;
    while (which < LOGGPS_PARAMETERS && strcmp(loggps_parameters[which].key, key) != 0)
        which++;
    return which;
}

static bool doubt_parameter(const struct estimate *estimate, const char *key, char *doubt)
{
    if (estimate->median <= 0)
        snprintf(
            doubt, DOUBT_SIZE,
            "%s could not be measured: it is 0 ns, which is impossible, so do not predict small "
            "messages with it",
            key);
    else if (estimate->low <= 0)
        snprintf(doubt, DOUBT_SIZE, "%s is uncertain: its interval, %.3g .. %.3g ns, reaches to 0",
                 key, 1e9 * estimate->low, 1e9 * estimate->high);
    else
        return false;
    return true;
}

int calibration_doubts(const struct calibration *calibration, enum distance distance,
                       char doubts[DOUBTS_MAX][DOUBT_SIZE])
{
    assert(calibration->machine.distances[distance].known);
    const struct estimate *estimates = calibration->estimates[distance];
    const struct estimate *send = &estimates[find_parameter("send_overhead")];
    double share = calibration->core_share[distance];
    int count = 0;
    if (share < LEAST_CORE_SHARE)
        snprintf(doubts[count++], DOUBT_SIZE,
                 "the two processes had their cores for only %.0f %% of the time: repeat the "
                 "calibration when nothing else is running",
                 100 * share);
    if (send->high - send->low > send->median / 2)
        snprintf(doubts[count++], DOUBT_SIZE,
                 "the rounds differ by more than half (send_overhead %.3g .. %.3g ns): is "
                 "something else running?",
                 1e9 * send->low, 1e9 * send->high);
    for (size_t i = 0; i < sizeof never_zero / sizeof *never_zero; i++)
        count += doubt_parameter(&estimates[find_parameter(never_zero[i])], never_zero[i],
                                 doubts[count]);
    return count;
}
