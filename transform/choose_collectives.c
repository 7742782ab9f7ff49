#include "transform/choose_collectives.h"

#include "base/names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum status collective_conditions_read(const struct ini_section *section,
                                       struct collective_conditions *conditions,
                                       struct error *error)
{
    memset(conditions, 0, sizeof *conditions);
    conditions->calls.section = section;
    enum status status = ini_get_string(section, "operation", &conditions->operation, error);
    if (status == STATUS_OK)
        status = ini_get_string(section, "communicator", &conditions->communicator, error);
    if (status != STATUS_OK)
        return status;
    if (conditions->operation || conditions->communicator) { /* all calls by default */
        conditions->calls.all = !callpath_marks_wanted(section);
        return STATUS_OK;
    }
    return chosen_calls_read(section, &conditions->calls, error);
}

struct collective_chooser {
    const struct collective_conditions *conditions;
    const struct trace *trace;
    struct callpath_marks marks;
    struct collective_choice choice;
    int64_t *wanted; /* [instance] */
};

/* --- conditions ------------------------------------------------------------------------------- */

/* True for any name if `list` is NULL. */
static bool in_list(const char *list, const char *name, bool *no_memory)
{
    bool found = !list;
    char *item;
    while (!found && (item = names_next(&list, no_memory))) {
        found = name_matches(item, name);
        free(item);
    }
    return found;
}

static bool is_operation(enum mpi_class class)
{
    return class == MPI_CLASS_COLLECTIVE || class == MPI_CLASS_ICOLLECTIVE ||
           class == MPI_CLASS_NEIGHBOUR || class == MPI_CLASS_INEIGHBOUR;
}

static bool meets_conditions(const struct collective_chooser *chooser, const struct stream *stream,
                             const struct collective *collective, bool *no_memory)
{
    const struct collective_conditions *c = chooser->conditions;
    const struct trace *trace = chooser->trace;
    uint32_t path = stream_callpath_at(stream, collective->begin);
    enum mpi_call call = callpath_call(trace, path);
    return collective->instance != INDEX_NONE && is_operation(mpi_call_infos[call].class) &&
           is_chosen_call(&c->calls, &chooser->marks, path) &&
           in_list(c->operation, mpi_call_infos[call].name, no_memory) &&
           in_list(c->communicator, comm_name(trace->definitions, collective->comm), no_memory);
}

/* --- agreement -------------------------------------------------------------------------------- */

/* Collective. Numbers the instances of all communicators. */
static enum status number_instances(struct collective_chooser *chooser, struct error *error)
{
    const struct trace *trace = chooser->trace;
    uint32_t comms = trace->definitions->comm_count;
    struct collective_choice *choice = &chooser->choice;
    choice->first = calloc((size_t)comms + 1, sizeof *choice->first);
    enum status status =
        choice->first ? STATUS_OK : error_memory(error, "the choice of operations");
    status = processes_agree(trace->processes, status, error);
    if (status != STATUS_OK)
        return status;
    for (uint32_t s = 0; s < trace->owned_count; s++)
        for (uint32_t c = 0; c < trace->streams[s].collective_count; c++) {
            const struct collective *collective = &trace->streams[s].collectives[c];
            int64_t *count = &choice->first[collective->comm + 1];
            if (collective->instance != INDEX_NONE && *count <= (int64_t)collective->instance)
                *count = (int64_t)collective->instance + 1;
        }
    processes_max(trace->processes, choice->first, (size_t)comms + 1);
    for (uint32_t comm = 0; comm < comms; comm++)
        choice->first[comm + 1] += choice->first[comm];
    chooser->wanted = calloc((size_t)choice->first[comms] + 1, sizeof *chooser->wanted);
    choice->blocks = calloc((size_t)choice->first[comms] + 1, sizeof *choice->blocks);
    status = chooser->wanted && choice->blocks ? STATUS_OK
                                               : error_memory(error, "the choice of operations");
    return processes_agree(trace->processes, status, error);
}

static bool is_alone(const struct collective_chooser *chooser, const struct collective *collective)
{
    return chooser->trace->definitions->comms[collective->comm].self;
}

static enum status look_at_streams(struct collective_chooser *chooser, struct error *error)
{
    const struct trace *trace = chooser->trace;
    bool no_memory = false;
    chooser->choice.chosen = calloc((size_t)trace->owned_count + 1, sizeof(bool *));
    no_memory = !chooser->choice.chosen;
    for (uint32_t s = 0; s < trace->owned_count && !no_memory; s++) {
        const struct stream *stream = &trace->streams[s];
        bool *chosen = calloc((size_t)stream->collective_count + 1, sizeof *chosen);
        chooser->choice.chosen[s] = chosen;
        no_memory = !chosen;
        for (uint32_t c = 0; c < stream->collective_count && !no_memory; c++) {
            const struct collective *collective = &stream->collectives[c];
            chosen[c] = meets_conditions(chooser, stream, collective, &no_memory);
            if (chosen[c] && !is_alone(chooser, collective))
                chooser->wanted[collective_choice_index(&chooser->choice, collective)] = 1;
        }
    }
    return no_memory ? error_memory(error, "the choice of operations") : STATUS_OK;
}

/* An operation that one member chooses is chosen for all. */
static void spread(struct collective_chooser *chooser)
{
    const struct trace *trace = chooser->trace;
    struct collective_choice *choice = &chooser->choice;
    for (uint32_t s = 0; s < trace->owned_count; s++)
        for (uint32_t c = 0; c < trace->streams[s].collective_count; c++) {
            const struct collective *collective = &trace->streams[s].collectives[c];
            if (collective->instance != INDEX_NONE && !is_alone(chooser, collective))
                choice->chosen[s][c] = chooser->wanted[collective_choice_index(choice, collective)];
            choice->count += choice->chosen[s][c];
            choice->total++;
        }
}

enum status collectives_choose(const struct collective_conditions *conditions,
                               const struct trace *trace, struct collective_choice *choice,
                               struct error *error)
{
    struct collective_chooser chooser = {.conditions = conditions, .trace = trace};
    assert(trace->matched);
    enum status status =
        callpath_marks_create(conditions->calls.section, trace, &chooser.marks, error);
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK)
        status = number_instances(&chooser, error);
    if (status == STATUS_OK)
        status = processes_agree(trace->processes, look_at_streams(&chooser, error), error);
    if (status == STATUS_OK) {
        int64_t counts[2];
        processes_max(trace->processes, chooser.wanted,
                      (size_t)chooser.choice.first[trace->definitions->comm_count]);
        spread(&chooser);
        counts[0] = chooser.choice.count;
        counts[1] = chooser.choice.total;
        processes_sum(trace->processes, counts, 2);
        chooser.choice.count = counts[0];
        chooser.choice.total = counts[1];
        if (counts[0] == 0)
            status = section_error(error, conditions->calls.section, NULL,
                                   "none of the collective operations of the trace meets all "
                                   "conditions");
    }
    free(chooser.wanted);
    callpath_marks_clear(&chooser.marks);
    if (status != STATUS_OK)
        collective_choice_clear(&chooser.choice, trace);
    *choice = chooser.choice;
    return status;
}

void collective_choice_clear(struct collective_choice *choice, const struct trace *trace)
{
    for (uint32_t s = 0; choice->chosen && s < trace->owned_count; s++)
        free(choice->chosen[s]);
    free(choice->chosen);
    free(choice->blocks);
    free(choice->first);
    memset(choice, 0, sizeof *choice);
}
