/* How fast the model engine evaluates: generated programs, without an archive.
 *
 *     model_ring ring RANKS ITERATIONS        send to the right, receive from the left, allreduce,
 *                                             imbalanced computation
 *     model_ring all-to-all RANKS ITERATIONS  every rank sends to every rank: nonblocking sends and
 *                                             receives, one Waitall
 *
 * With a fourth argument it also evaluates with that number of threads, alternately with one
 * thread: fresh memory of a virtual machine can be several times slower, so only runs in the same
 * memory are compared. Prints operations (MPI calls; of the all-to-all, sends and receives),
 * seconds, bytes; medians. */
#include "replay/model/evaluate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct maker {
    struct equations equations;
    size_t room;
};

static void add(struct maker *maker, size_t *at, enum step_code code, uint32_t slot, int64_t time)
{
    maker->equations.steps[(*at)++] =
        (struct step){.time = time, .slot = slot, .code = (uint8_t)code};
    if (*at > maker->room)
        abort();
}

static void make_room(struct maker *maker, uint32_t ranks, size_t steps_per_rank)
{
    struct equations *equations = &maker->equations;
    memset(equations, 0, sizeof *equations);
    maker->room = steps_per_rank * ranks;
    equations->rank_count = ranks;
    equations->steps = malloc(maker->room * sizeof *equations->steps);
    equations->first = malloc((ranks + 1ul) * sizeof *equations->first);
    equations->first_end = calloc(ranks + 1ul, sizeof *equations->first_end);
    equations->last_event = calloc(ranks, sizeof *equations->last_event);
    if (!equations->steps || !equations->first || !equations->first_end || !equations->last_event)
        abort();
}

/* Computation of rank `rank` in iteration `i`, ns: between 50 and 150 us. */
static int64_t work(uint32_t rank, uint32_t i)
{
    uint64_t x = (rank * 0x9e3779b97f4a7c15u) ^ (i * 0xbf58476d1ce4e5b9u);
    return 50000 + (int64_t)((x >> 32) % 100000);
}

/* 3 operations per iteration. */
static void make_ring(struct maker *maker, uint32_t ranks, uint32_t iterations)
{
    enum { LATENCY = 1000, COST = 300 };
    make_room(maker, ranks, 6ul * iterations);
    size_t at = 0;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        int64_t now = 0;
        maker->equations.first[rank] = at;
        for (uint32_t i = 0; i < iterations; i++) {
            now += work(rank, i);
            add(maker, &at, STEP_POST, (rank + 1) % ranks * iterations + i, now + LATENCY);
            now += COST;
            add(maker, &at, STEP_WAIT, rank * iterations + i, -now);
            add(maker, &at, STEP_END, 0, 0);
            now += COST;
            add(maker, &at, STEP_ARRIVE, i, now);
            add(maker, &at, STEP_AWAIT, i, -now);
            add(maker, &at, STEP_END, 0, 0);
            now += COST;
        }
        maker->equations.last_event[rank] = now;
    }
    maker->equations.first[ranks] = at;
    maker->equations.slot_count = ranks * iterations;
    maker->equations.instance_count = iterations;
}

/* 2 (ranks - 1) operations per iteration, and the wait. */
static void make_all_to_all(struct maker *maker, uint32_t ranks, uint32_t iterations)
{
    enum { LATENCY = 1000, COST = 300 };
    uint32_t per_rank = iterations * ranks;
    make_room(maker, ranks, 2ul * per_rank + iterations);
    size_t at = 0;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        int64_t now = 0;
        maker->equations.first[rank] = at;
        for (uint32_t i = 0; i < iterations; i++) {
            now += work(rank, i);
            for (uint32_t k = 1; k < ranks; k++, now += COST)
                add(maker, &at, STEP_POST, (rank + k) % ranks * per_rank + i * ranks + rank,
                    now + LATENCY);
            for (uint32_t k = 1; k < ranks; k++)
                add(maker, &at, STEP_WAIT, rank * per_rank + i * ranks + (rank + ranks - k) % ranks,
                    -now);
            add(maker, &at, STEP_END, 0, 0);
            now += COST;
        }
        maker->equations.last_event[rank] = now;
    }
    maker->equations.first[ranks] = at;
    maker->equations.slot_count = ranks * per_rank;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum { TURNS = 5 };

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds of a run; negative if it does not come to its end. */
static double timed_run(struct evaluator *evaluator, uint32_t ranks)
{
    const double start = seconds();
    const uint32_t stuck = evaluator_run(evaluator, NULL);
    return stuck < ranks ? -1 : seconds() - start;
}

int main(int argc, char **argv)
{
    struct maker maker = {0};
    struct evaluator *evaluators[2] = {NULL, NULL}; /* with one thread, with several */
    double took[2][TURNS];
    struct error error;
    if (argc < 4)
        return STATUS_USAGE;
    const uint32_t ranks = (uint32_t)atoi(argv[2]), iterations = (uint32_t)atoi(argv[3]);
    const bool ring = strcmp(argv[1], "ring") == 0;
    const int kinds = argc > 4 ? 2 : 1, turns = argc > 4 ? TURNS : 1;
    (ring ? make_ring : make_all_to_all)(&maker, ranks, iterations);
    const double operations = (double)ranks * iterations * (ring ? 3 : 2 * (ranks - 1));
    for (int kind = 0; kind < kinds; kind++) {
        if (evaluator_create(&maker.equations, &evaluators[kind], &error) != STATUS_OK)
            return STATUS_ENVIRONMENT;
        if (kind == 1 && evaluator_use_threads(evaluators[1], &maker.equations, atoi(argv[4])) < 2)
            return STATUS_ENVIRONMENT;
        timed_run(evaluators[kind], ranks); /* touches the memory */
    }
    for (int turn = 0; turn < turns; turn++)
        for (int kind = 0; kind < kinds; kind++)
            if ((took[kind][turn] = timed_run(evaluators[kind], ranks)) < 0)
                return STATUS_INPUT;
    for (int kind = 0; kind < kinds; kind++)
        qsort(took[kind], (size_t)turns, sizeof took[kind][0], ascending);
    const double median = took[kinds - 1][turns / 2];
    const struct evaluator *last = evaluators[kinds - 1];
    printf("%.0f operations, %.6f s, %.4g M operations/s, %.4g M rank-iterations/s, %.1f bytes per "
           "operation, predicted %.6f s",
           operations, median, operations / median / 1e6, (double)ranks * iterations / median / 1e6,
           (double)evaluator_memory(last) / operations, 1e-9 * (double)evaluator_last_time(last));
    if (kinds == 2)
        printf(", one thread %.4g M operations/s, speed-up %.3g",
               operations / took[0][turns / 2] / 1e6, took[0][turns / 2] / median);
    printf("\n");
    for (int kind = 0; kind < kinds; kind++)
        evaluator_destroy(evaluators[kind]);
    free(maker.equations.steps);
    free(maker.equations.first);
    free(maker.equations.first_end);
    free(maker.equations.last_event);
    return STATUS_OK;
}
