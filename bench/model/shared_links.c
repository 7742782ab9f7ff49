/* How fast messages that share links are delayed: generated programs, without an archive.
 *
 *     shared_links halo|opposite|anywhere RANKS ITERATIONS BYTES
 *
 * In each iteration each rank computes, sends messages, and waits for as many: halo: to the four
 * neighbours in a grid; opposite: to the rank half of the ranks further; anywhere: to four ranks in
 * a pattern that changes. 64 ranks are on each node, with links of 25 GB/s. Prints messages and
 * seconds of the processor; only flows_delay is timed. */
#include "replay/model/flows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RANKS_PER_NODE = 64, NEIGHBOURS = 4 };

struct program {
    uint32_t ranks, iterations, messages; /* per rank and iteration */
    uint32_t width;                       /* of the grid */
    int64_t bytes;
    const char *pattern;
};

static uint64_t scatter(uint64_t x)
{
    x *= 0x9e3779b97f4a7c15u;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9u;
    return x ^ x >> 32;
}

/* The receiver of message k. All ranks send it over the same distance, but in the halo's grid. */
static uint32_t receiver(const struct program *program, uint32_t rank, uint32_t i, uint32_t k,
                         bool back)
{
    uint32_t ranks = program->ranks, width = program->width, distance = ranks / 2;
    if (strcmp(program->pattern, "halo") == 0)
        distance = k == 0 ? 1 : k == 1 ? ranks - 1 : k == 2 ? width : ranks - width;
    else if (strcmp(program->pattern, "anywhere") == 0)
        distance = 1 + (uint32_t)(scatter(i * NEIGHBOURS + k) % (ranks - 1));
    return (rank + (back ? ranks - distance : distance)) % ranks;
}

static void make(const struct program *program, struct equations *equations)
{
    const uint32_t ranks = program->ranks, per_rank = program->iterations * program->messages;
    const size_t room = (3ul * program->messages + 1) * program->iterations * ranks;
    *equations = (struct equations){.steps = malloc(room * sizeof *equations->steps),
                                    .first = calloc(ranks + 1ul, sizeof *equations->first),
                                    .first_end = calloc(ranks + 1ul, sizeof *equations->first_end),
                                    .last_event = calloc(ranks, sizeof *equations->last_event),
                                    .rank_count = ranks,
                                    .slot_count = per_rank * ranks};
    if (!equations->steps || !equations->first || !equations->first_end || !equations->last_event)
        abort();
    struct step *step = equations->steps;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        int64_t now = 0;
        equations->first[rank] = (size_t)(step - equations->steps);
        for (uint32_t i = 0; i < program->iterations; i++) {
            now += 50000 + (int64_t)(scatter(((uint64_t)rank << 32) + i) % 100000);
            for (uint32_t k = 0; k < program->messages; k++) {
                uint32_t to = receiver(program, rank, i, k, false);
                *step++ = (struct step){.code = STEP_FLOW,
                                        .slot = to * per_rank + i * program->messages + k,
                                        .time = now + 1000 + program->bytes / 25};
                *step++ = (struct step){.code = STEP_FLOW_SIZE, .slot = to, .time = program->bytes};
            }
            for (uint32_t k = 0; k < program->messages; k++)
                *step++ = (struct step){.code = STEP_WAIT,
                                        .slot = rank * per_rank + i * program->messages + k,
                                        .time = -now};
            *step++ = (struct step){.code = STEP_END};
        }
    }
    equations->first[ranks] = (size_t)(step - equations->steps);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
    struct equations equations;
    struct flow_delays delays;
    struct error error;
    if (argc < 5)
        return STATUS_USAGE;
    struct program program = {.pattern = argv[1],
                              .ranks = (uint32_t)atoi(argv[2]),
                              .iterations = (uint32_t)atoi(argv[3]),
                              .bytes = atoi(argv[4])};
    program.messages = strcmp(program.pattern, "opposite") == 0 ? 1 : NEIGHBOURS;
    program.width = (uint32_t)sqrt(program.ranks);
    struct platform platform = {.ticks_per_second = 1e9,
                                .host = calloc(program.ranks, sizeof *platform.host)};
    if (!platform.host)
        return STATUS_ENVIRONMENT;
    for (uint32_t rank = 0; rank < program.ranks; rank++)
        platform.host[rank] = rank / RANKS_PER_NODE;
    platform.machine.links =
        (struct network_links){.number = 1, .out = 25e9, .in = 25e9, .memory = 200e9};
    for (int d = 0; d < DISTANCE_COUNT; d++)
        platform.machine.distances[d] =
            (struct loggps){.known = true, .latency = 1e-6, .per_byte = 0.04e-9};
    make(&program, &equations);
    const double begin = seconds();
    if (flows_delay(&equations, &platform, &delays, &error) != STATUS_OK)
        return STATUS_ENVIRONMENT;
    const double took = seconds() - begin;
    printf("%llu messages, %llu delayed, %.6f s, %.4g M messages/s\n",
           (unsigned long long)delays.messages, (unsigned long long)delays.delayed, took,
           (double)delays.messages / took / 1e6);
    free(equations.steps);
    free(equations.first);
    free(equations.first_end);
    free(equations.last_event);
    free(platform.host);
    return STATUS_OK;
}
