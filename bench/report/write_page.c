/* Writes a report as a page, of two runs with random values: write_page FILE RANKS CALL-PATHS
 * [TIME-LINES]; the last is a file with JSON, from a page of as many ranks. */
#include "report/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

static const enum metric kinds[] = {
    METRIC_TIME,         METRIC_MPI_LATESENDER, METRIC_MPI_LATERECEIVER, METRIC_MPI_BARRIER_WAIT,
    METRIC_MPI_WAIT_NXN, METRIC_VISITS,         METRIC_BYTES_SENT,       METRIC_BYTES_RCVD,
};
enum { KINDS = sizeof kinds / sizeof *kinds, FAN_OUT = 4, NAME = 32 };

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Uniform in 0 .. 1 (xorshift64*). */
static double uniform(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (double)(state * 2685821657736338717u >> 11) * 0x1p-53;
}

static struct severity *make_run(uint32_t ranks, uint32_t path_count)
{
    struct severity_path *paths = calloc(path_count, sizeof *paths);
    struct severity_location *locations = calloc(ranks, sizeof *locations);
    char(*names)[NAME] = calloc(path_count, sizeof *names);
    struct severity *run = NULL;
    for (uint32_t i = 0; paths && names && i < path_count; i++) {
        snprintf(names[i], NAME, "%s_%u", i % 3 == 2 ? "MPI_Call" : "function", i);
        paths[i] = (struct severity_path){
            .parent = i ? (i - 1) / FAN_OUT : SEVERITY_NONE, .name = names[i], .mpi = i % 3 == 2};
    }
    for (uint32_t i = 0; locations && i < ranks; i++)
        locations[i] = (struct severity_location){i, 0, "node"};
    if (paths && names && locations)
        run = severity_create(paths, path_count, locations, ranks);
    for (size_t k = 0; run && k < KINDS; k++)
        for (uint32_t path = 0; path < path_count; path++)
            for (uint32_t rank = 0; rank < ranks; rank++)
                if (!severity_add(run, kinds[k], path, rank, -log(uniform() + 1e-9) / (path + 1)))
                    exit(3);
    if (run)
        run->total_seconds = 10;
    free(paths);
    free(names);
    free(locations);
    return run;
}

/* A whole file in memory. */
static char *read_text(const char *path, size_t *size)
{
    struct stat about;
    FILE *file = fopen(path, "rb");
    char *text =
        file && fstat(fileno(file), &about) == 0 ? malloc((size_t)about.st_size + 1) : NULL;
    if (!text || fread(text, 1, (size_t)about.st_size, file) != (size_t)about.st_size) {
        fprintf(stderr, "write_page: cannot read %s\n", path);
        exit(3);
    }
    fclose(file);
    *size = (size_t)about.st_size;
    return text;
}

int main(int argc, char **argv)
{
    const bool valid = argc == 4 || argc == 5;
    const int ranks = valid ? atoi(argv[2]) : 0, paths = valid ? atoi(argv[3]) : 0;
    struct error error;
    struct stat about;
    if (ranks < 1 || paths < 1) {
        fprintf(stderr, "usage: write_page FILE RANKS CALL-PATHS [TIME-LINES]\n");
        return 2;
    }
    struct severity *before = make_run((uint32_t)ranks, (uint32_t)paths);
    struct severity *after = make_run((uint32_t)ranks, (uint32_t)paths);
    if (!before || !after)
        return 3;
    struct report_details details = {.timelines = NULL};
    char *timelines = argc == 5 ? read_text(argv[4], &details.timelines_size) : NULL;
    details.timelines = timelines;
    const double begin = seconds_now();
    const struct report report = {.before = before, .after = after, .details = &details};
    if (report_write(&report, report_format_find("html"), argv[1], &error) != STATUS_OK) {
        fprintf(stderr, "write_page: %s\n", error.text);
        return 3;
    }
    printf("write: %.2f s\n", seconds_now() - begin);
    if (stat(argv[1], &about) == 0)
        printf("size: %.2f MB (%d metrics x %d call paths x %d ranks, two runs%s)\n",
               1e-6 * (double)about.st_size, KINDS, paths, ranks,
               timelines ? ", both time lines" : "");
    free(timelines);
    severity_destroy(before);
    severity_destroy(after);
    return 0;
}
