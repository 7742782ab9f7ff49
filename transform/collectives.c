/* [collectives]: other algorithms for collective operations: `allreduce = ring`. Their costs are
 * those of doc/model.md. */
#include "trace/calls/collective_operations.h"
#include "trace/environment.h"
#include "transform/kinds.h"

#include <string.h>

struct collectives {
    const struct ini_section *section;
    int choice; /* of the last key; all choices are in the section */
};

static const enum collective_op operations[] = {
#define X(operation, ...) COLLECTIVE_##operation,
    COLLECTIVE_ALGORITHMS(X)
#undef X
};
enum { OPERATION_COUNT = sizeof operations / sizeof *operations };

static const struct ini_key collectives_keys[] = {
#define X(operation, word, messages, mpich, simgrid, replacement, ...)           \
    INI_KEY_AT(#word, collectives, choice, CHOICE,                               \
               .choices = (const char *const[]){"automatic", __VA_ARGS__, NULL}, \
               .required = false), /* last, because gcc 10 warns after a compound literal */
    COLLECTIVE_ALGORITHMS(X)
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

/* The algorithm of an operation in the section; ALGORITHM_COUNT: none. */
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
    .description = "use other algorithms for collective operations",
    .state_size = sizeof(struct collectives),
    .keys = collectives_keys,
    .computed_only = true,
    .check = collectives_check,
    .apply = collectives_apply,
};
