#include "replay/calibrate/file_costs.h"

#include "replay/calibrate/parameters.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS_MAX = 64, SIZES = 12, SMALLEST = 512, LARGEST = SMALLEST << (SIZES - 1) };

/* A file without a name. */
static int open_nameless_file(const char *directory)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/.silas-calibrate-XXXXXX", directory);
    if (length < 0 || (size_t)length >= sizeof path)
        return -1;
    int file = mkstemp(path);
    if (file >= 0)
        unlink(path);
    return file;
}

/* One write of each size; the file grows, as outputs do. False if a write fails. */
static bool write_sizes(const struct clock *clock, int file, const char *data,
                        struct fitted_line *line)
{
    struct weighted_point points[SIZES];
    if (ftruncate(file, 0) != 0 || lseek(file, 0, SEEK_SET) != 0)
        return false;
    for (int i = 0; i < SIZES; i++) {
        size_t bytes = (size_t)SMALLEST << i;
        uint64_t begin = clock_now(clock);
        if (write(file, data, bytes) != (ssize_t)bytes)
            return false;
        double seconds = (double)(clock_now(clock) - begin) / clock->ticks_per_second;
        points[i] = (struct weighted_point){(double)bytes, seconds, seconds};
    }
    *line = line_fit(points, SIZES);
    return true;
}

bool file_costs_measure(const struct clock *clock, const char *directory, int rounds,
                        struct estimate *latency, struct estimate *per_byte)
{
    double at_zero[ROUNDS_MAX], slope[ROUNDS_MAX];
    assert(rounds > 0 && rounds <= ROUNDS_MAX);
    char *data = malloc(LARGEST);
    int file = data ? open_nameless_file(directory) : -1;
    bool written = file >= 0;
    if (data)
        memset(data, 1, LARGEST);
    for (int round = -1; round < rounds && written; round++) { /* one that does not count */
        struct fitted_line line = {0};
        written = write_sizes(clock, file, data, &line);
        if (round >= 0 && written) {
            at_zero[round] = line.at_zero;
            slope[round] = line.slope;
        }
    }
    if (file >= 0)
        close(file);
    free(data);
    if (!written)
        return false;
    *latency = estimate_of(at_zero, (size_t)rounds);
    *per_byte = estimate_of(slope, (size_t)rounds);
    return true;
}
