#include "transform/choose.h"

#include "base/names.h"
#include "trace/calls/collective_operations.h"

#include <assert.h>

struct operation_chooser {
    const struct conditions *conditions;
    const struct trace *trace;
    struct callpath_marks marks;
    struct choice *choice;
    int64_t *wanted; /* [instance] */
};

static bool operation_is_wanted(const struct operation_chooser *chooser,
                                const struct stream *stream, const struct collective *collective,
                                bool *out_of_memory)
{
    const struct conditions *c = chooser->conditions;
    const struct trace *trace = chooser->trace;
    uint32_t path = stream_callpath_at(stream, collective->begin);
    enum mpi_call call = callpath_call(trace, path);
    return collective->instance != INDEX_NONE &&
           mpi_class_is_collective(mpi_call_infos[call].class) &&
           is_chosen_call(c, &chooser->marks, path) &&
           (!c->operation || names_match(c->operation, mpi_call_infos[call].name, out_of_memory)) &&
           (!c->communicator ||
            names_match(c->communicator, comm_name(trace->definitions, collective->comm),
                        out_of_memory));
}

/* Collective. Numbers the instances of all communicators. */
static enum status number_all_instances(struct operation_chooser *chooser, struct error *error)
{
    const struct trace *trace = chooser->trace;
    struct choice *choice = chooser->choice;
    collective_number_instances(trace, choice->first);
    size_t instances = (size_t)choice->first[trace->definitions->comm_count];
    chooser->wanted = arena_alloc_array(choice->arena, instances, sizeof *chooser->wanted);
    choice->blocks = arena_alloc_array(choice->arena, instances, sizeof *choice->blocks);
    return processes_agree_memory(trace->processes, chooser->wanted && choice->blocks,
                                  "the choice of operations", error);
}

static bool is_alone(const struct operation_chooser *chooser, const struct collective *collective)
{
    return chooser->trace->definitions->comms[collective->comm].self;
}

static enum status find_wanted_instances(struct operation_chooser *chooser, struct error *error)
{
    const struct trace *trace = chooser->trace;
    struct choice *choice = chooser->choice;
    bool out_of_memory = false;
    for (uint32_t s = 0; s < trace->owned_count; s++)
        for (uint32_t c = 0; c < trace->streams[s].collective_count && !out_of_memory; c++) {
            const struct collective *collective = &trace->streams[s].collectives[c];
            bool chosen =
                operation_is_wanted(chooser, &trace->streams[s], collective, &out_of_memory);
            choice->chosen[s][c] = chosen;
            if (chosen && !is_alone(chooser, collective))
                chooser->wanted[choice_instance(choice, collective)] = 1;
        }
    return out_of_memory ? error_memory(error, "the choice of operations") : STATUS_OK;
}

/* Collective. An operation that one member chooses is chosen for all. */
static void spread_choice(struct operation_chooser *chooser)
{
    const struct trace *trace = chooser->trace;
    struct choice *choice = chooser->choice;
    processes_max(trace->processes, chooser->wanted,
                  (size_t)choice->first[trace->definitions->comm_count]);
    for (uint32_t s = 0; s < trace->owned_count; s++)
        for (uint32_t c = 0; c < trace->streams[s].collective_count; c++) {
            const struct collective *collective = &trace->streams[s].collectives[c];
            if (collective->instance != INDEX_NONE && !is_alone(chooser, collective))
                choice->chosen[s][c] = chooser->wanted[choice_instance(choice, collective)];
            choice->count += choice->chosen[s][c];
            choice->total++;
        }
}

/* The steps without communication. */
static enum status prepare_operations(struct operation_chooser *chooser, struct error *error)
{
    const struct trace *trace = chooser->trace;
    struct choice *choice = chooser->choice;
    choice->chosen = choice_flags(choice, trace, false);
    if (choice->chosen)
        choice->first = arena_alloc_array(choice->arena, trace->definitions->comm_count + (size_t)1,
                                          sizeof *choice->first);
    if (!choice->first)
        return error_memory(error, "the choice of operations");
    return callpath_marks_create(chooser->conditions->section, trace, &chooser->marks, error);
}

enum status operations_choose(const struct conditions *conditions, const struct trace *trace,
                              struct choice *choice, struct error *error)
{
    struct operation_chooser chooser = {.conditions = conditions, .trace = trace, .choice = choice};
    assert(trace->matched);
    *choice = (struct choice){0};
    enum status status = prepare_operations(&chooser, error);
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK)
        status = number_all_instances(&chooser, error);
    if (status == STATUS_OK)
        status = processes_agree(trace->processes, find_wanted_instances(&chooser, error), error);
    if (status == STATUS_OK)
        spread_choice(&chooser);
    callpath_marks_clear(&chooser.marks);
    return choice_finish(choice, conditions, trace, "parts of operations", status, error);
}
