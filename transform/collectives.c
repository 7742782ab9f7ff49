/* [collectives]: other algorithms for collective operations: `allreduce = ring`. Their costs are
 * those of doc/model.md. */
#include "trace/calls/collective_operations.h"
#include "trace/environment.h"
#include "transform/kinds.h"

#include <string.h>

struct collectives {
    const struct ini_section *section;
    int choice; /* of the key read last; the section has them all */
};

/* X(key, operation, the algorithms that are known for it) */
#define OPERATIONS(X)                                                               \
    X(barrier, BARRIER, "linear", "recursive_doubling")                             \
    X(bcast, BCAST, "linear", "binomial", "scatter_gather")                         \
    X(gather, GATHER, "linear", "binomial")                                         \
    X(scatter, SCATTER, "linear", "binomial")                                       \
    X(allgather, ALLGATHER, "recursive_doubling", "bruck", "ring")                  \
    X(allgatherv, ALLGATHERV, "recursive_doubling", "bruck", "ring")                \
    X(alltoall, ALLTOALL, "linear", "pairwise", "bruck")                            \
    X(alltoallv, ALLTOALLV, "linear", "pairwise")                                   \
    X(alltoallw, ALLTOALLW, "linear", "pairwise")                                   \
    X(allreduce, ALLREDUCE, "recursive_doubling", "ring", "scatter_gather")         \
    X(reduce, REDUCE, "linear", "binomial", "scatter_gather")                       \
    X(reduce_scatter, REDUCE_SCATTER, "recursive_doubling", "pairwise")             \
    X(reduce_scatter_block, REDUCE_SCATTER_BLOCK, "recursive_doubling", "pairwise") \
    X(scan, SCAN, "linear", "recursive_doubling")                                   \
    X(exscan, EXSCAN, "linear", "recursive_doubling")

static const enum collective_op operations[] = {
#define X(key, operation, ...) COLLECTIVE_##operation,
    OPERATIONS(X)
#undef X
};
enum { OPERATION_COUNT = sizeof operations / sizeof *operations };

static const struct ini_key collectives_keys[] = {
#define X(key, operation, ...)                                                   \
    INI_KEY_AT(#key, collectives, choice, CHOICE,                                \
               .choices = (const char *const[]){"automatic", __VA_ARGS__, NULL}, \
               .required = false), /* last, for gcc 10 warns behind a compound literal */
    OPERATIONS(X)
#undef X
        INI_KEYS_END,
};

static enum status collectives_check(void *state, struct error *error)
{
    const struct collectives *collectives = state;
    if (collectives->section->entry_count == 0)
        return section_error(error, collectives->section, NULL,
                             "no operation is named: expected for example allreduce = ring");
    return STATUS_OK;
}

/* The algorithm that the section gives an operation; ALGORITHM_COUNT: none. */
static enum algorithm wanted(const struct collectives *collectives, int i)
{
    const char *name = ini_value(collectives->section, collectives_keys[i].name);
    int algorithm = 0;
    while (algorithm < ALGORITHM_COUNT && (!name || strcmp(name, algorithm_names[algorithm]) != 0))
        algorithm++;
    return (enum algorithm)algorithm;
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
        if (wanted(collectives, i) < ALGORITHM_COUNT && counts[operations[i]] == 0)
            return section_error(error, collectives->section, collectives_keys[i].name,
                                 "the trace has no %s", collective_op_name(operations[i]));
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
        if (wanted(collectives, i) < ALGORITHM_COUNT)
            environment->algorithms[operations[i]] = (uint8_t)wanted(collectives, i);
    return processes_agree(trace->processes, environment ? STATUS_OK : STATUS_ENVIRONMENT, error);
}

const struct hypothesis_kind hypothesis_collectives = {
    .name = "collectives",
    .description = "other algorithms for collective operations",
    .state_size = sizeof(struct collectives),
    .keys = collectives_keys,
    .computed_only = true,
    .check = collectives_check,
    .apply = collectives_apply,
};
