/* [collectives]: other algorithms for collective operations: `allreduce = ring`. Their costs are
 * those of doc/model.md. */
#include "transform/kinds.h"

#include "trace/environment.h"
#include "transform/section.h"
#include "trace/calls/collective_operations.h"

#include <stdlib.h>

#define CHOICES(...)                                      \
    (const enum algorithm[])                              \
    {                                                     \
        ALGORITHM_AUTOMATIC, __VA_ARGS__, ALGORITHM_COUNT \
    }

/* The algorithms that are known for each operation. */
static const struct {
    const char *key;
    enum collective_op op;
    const enum algorithm *choices; /* ends with ALGORITHM_COUNT */
} operations[] = {
    {"barrier", COLLECTIVE_BARRIER, CHOICES(ALGORITHM_LINEAR, ALGORITHM_RECURSIVE_DOUBLING)},
    {"bcast", COLLECTIVE_BCAST,
     CHOICES(ALGORITHM_LINEAR, ALGORITHM_BINOMIAL, ALGORITHM_SCATTER_GATHER)},
    {"gather", COLLECTIVE_GATHER, CHOICES(ALGORITHM_LINEAR, ALGORITHM_BINOMIAL)},
    {"scatter", COLLECTIVE_SCATTER, CHOICES(ALGORITHM_LINEAR, ALGORITHM_BINOMIAL)},
    {"allgather", COLLECTIVE_ALLGATHER,
     CHOICES(ALGORITHM_RECURSIVE_DOUBLING, ALGORITHM_BRUCK, ALGORITHM_RING)},
    {"allgatherv", COLLECTIVE_ALLGATHERV,
     CHOICES(ALGORITHM_RECURSIVE_DOUBLING, ALGORITHM_BRUCK, ALGORITHM_RING)},
    {"alltoall", COLLECTIVE_ALLTOALL,
     CHOICES(ALGORITHM_LINEAR, ALGORITHM_PAIRWISE, ALGORITHM_BRUCK)},
    {"alltoallv", COLLECTIVE_ALLTOALLV, CHOICES(ALGORITHM_LINEAR, ALGORITHM_PAIRWISE)},
    {"alltoallw", COLLECTIVE_ALLTOALLW, CHOICES(ALGORITHM_LINEAR, ALGORITHM_PAIRWISE)},
    {"allreduce", COLLECTIVE_ALLREDUCE,
     CHOICES(ALGORITHM_RECURSIVE_DOUBLING, ALGORITHM_RING, ALGORITHM_SCATTER_GATHER)},
    {"reduce", COLLECTIVE_REDUCE,
     CHOICES(ALGORITHM_LINEAR, ALGORITHM_BINOMIAL, ALGORITHM_SCATTER_GATHER)},
    {"reduce_scatter", COLLECTIVE_REDUCE_SCATTER,
     CHOICES(ALGORITHM_RECURSIVE_DOUBLING, ALGORITHM_PAIRWISE)},
    {"reduce_scatter_block", COLLECTIVE_REDUCE_SCATTER_BLOCK,
     CHOICES(ALGORITHM_RECURSIVE_DOUBLING, ALGORITHM_PAIRWISE)},
    {"scan", COLLECTIVE_SCAN, CHOICES(ALGORITHM_LINEAR, ALGORITHM_RECURSIVE_DOUBLING)},
    {"exscan", COLLECTIVE_EXSCAN, CHOICES(ALGORITHM_LINEAR, ALGORITHM_RECURSIVE_DOUBLING)},
};
enum { OPERATION_COUNT = sizeof operations / sizeof *operations };

static const char *const collectives_keys[] = {"barrier",
                                               "bcast",
                                               "gather",
                                               "scatter",
                                               "allgather",
                                               "allgatherv",
                                               "alltoall",
                                               "alltoallv",
                                               "alltoallw",
                                               "allreduce",
                                               "reduce",
                                               "reduce_scatter",
                                               "reduce_scatter_block",
                                               "scan",
                                               "exscan",
                                               NULL};

struct collectives {
    const struct ini_section *section;
    bool chosen[OPERATION_COUNT];
    enum algorithm algorithms[OPERATION_COUNT];
};

static enum status read_algorithm(struct collectives *collectives, int i, struct error *error)
{
    const char *names[ALGORITHM_COUNT + 1] = {NULL};
    int choice = 0;
    for (int c = 0; operations[i].choices[c] < ALGORITHM_COUNT; c++)
        names[c] = algorithm_names[operations[i].choices[c]];
    collectives->chosen[i] = ini_value(collectives->section, operations[i].key) != NULL;
    enum status status =
        ini_get_choice(collectives->section, operations[i].key, names, &choice, error);
    collectives->algorithms[i] = operations[i].choices[choice];
    return status;
}

static enum status collectives_parse(const struct ini_section *section, void *state,
                                     struct error *error)
{
    struct collectives *collectives = state;
    enum status status = STATUS_OK;
    collectives->section = section;
    if (section->entry_count == 0)
        status = section_error(error, section, NULL,
                               "no operation is named: expected for example allreduce = ring");
    for (int i = 0; i < OPERATION_COUNT && status == STATUS_OK; i++)
        status = read_algorithm(collectives, i, error);
    return status;
}

/* Collective. Fails if the trace lacks one of the operations. */
static enum status check_operations(const struct collectives *collectives,
                                    const struct trace *trace, struct error *error)
{
    int64_t counts[COLLECTIVE_OP_COUNT] = {0};
    for (uint32_t s = 0; s < trace->owned_count; s++)
        for (uint32_t c = 0; c < trace->streams[s].collective_count; c++)
            counts[trace->streams[s].collectives[c].op]++;
    processes_sum(trace->processes, counts, COLLECTIVE_OP_COUNT);
    for (int i = 0; i < OPERATION_COUNT; i++)
        if (collectives->chosen[i] && counts[operations[i].op] == 0)
            return section_error(error, collectives->section, operations[i].key,
                                 "the trace has no %s", collective_op_name(operations[i].op));
    return STATUS_OK;
}

static enum status collectives_apply(const void *state, struct trace *trace,
                                     struct hypothesis_outcome *outcome, struct error *error)
{
    (void)outcome;
    const struct collectives *collectives = state;
    enum status status = check_operations(collectives, trace, error);
    if (status != STATUS_OK)
        return status; /* the same everywhere */
    struct environment *environment = environment_change(trace, error);
    for (int i = 0; i < OPERATION_COUNT && environment; i++)
        if (collectives->chosen[i])
            environment->algorithms[operations[i].op] = (uint8_t)collectives->algorithms[i];
    return processes_agree(trace->processes, environment ? STATUS_OK : STATUS_ENVIRONMENT, error);
}

const struct hypothesis_kind hypothesis_collectives = {
    .name = "collectives",
    .description = "other algorithms for collective operations",
    .state_size = sizeof(struct collectives),
    .keys = collectives_keys,
    .computed_only = true,
    .parse = collectives_parse,
    .apply = collectives_apply,
};
