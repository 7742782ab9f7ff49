#include "transform/choose.h"

#include "base/names.h"
#include "trace/environment.h"

#include <assert.h>

enum status choose_rank(const struct ranges *ranks, const char *nodes, const struct trace *trace,
                        uint32_t rank, bool *chosen, struct error *error)
{
    bool out_of_memory = false;
    *chosen = ranges_contain(ranks, rank) &&
              (!nodes || names_match(nodes, environment_host(trace, rank), &out_of_memory));
    return out_of_memory ? error_memory(error, "the choice of ranks") : STATUS_OK;
}

enum status refuse_ranks(const struct ini_section *section, const char *nodes,
                         const struct trace *trace, struct error *error)
{
    return section_error(error, section, nodes ? "node" : "rank",
                         "no rank is chosen: the trace has ranks 0 to %u, rank 0 on \"%s\"",
                         trace->rank_count - 1, rank_host(trace->definitions, 0));
}

enum status conditions_check_calls(const struct conditions *c, struct error *error)
{
    bool where = callpath_marks_wanted(c->section);
    if (c->all && where)
        return section_error(error, c->section, "all",
                             "\"all\" chooses every call, but the section also says where");
    if (!c->all && !where)
        return section_error(error, c->section, NULL,
                             "\"region\" or \"callpath\" is missing; \"all = yes\" chooses every "
                             "call");
    return STATUS_OK;
}

enum status conditions_check_operations(struct conditions *c, struct error *error)
{
    if (!c->operation && !c->communicator)
        return conditions_check_calls(c, error);
    c->all = !callpath_marks_wanted(c->section);
    return STATUS_OK;
}

/* Without a condition all messages would be chosen, so the section must have "all = yes". */
enum status conditions_check_messages(const struct conditions *c, struct error *error)
{
    bool any = callpath_marks_wanted(c->section) || c->communicator || c->size.items ||
               c->tag.items || c->sender.items || c->receiver.items || c->repeated;
    if (c->all && any)
        return section_error(error, c->section, "all",
                             "\"all\" chooses every message, but the section also has a condition");
    if (!c->all && !any)
        return section_error(
            error, c->section, NULL,
            "a condition is missing: size, tag, region, callpath, sender, "
            "receiver, communicator or repeated; \"all = yes\" chooses every message");
    return STATUS_OK;
}

enum status conditions_check_ranks(const struct ini_section *section, const char *key,
                                   const struct ranges *ranges, const struct trace *trace,
                                   struct error *error)
{
    for (size_t i = 0; i < ranges->count; i++)
        if (ranges->items[i].lowest >= trace->rank_count)
            return section_error(
                error, section, key, "%s: there is no rank %llu: the trace has ranks 0 to %u", key,
                (unsigned long long)ranges->items[i].lowest, trace->rank_count - 1);
    return STATUS_OK;
}

bool **choice_flags(struct choice *choice, const struct trace *trace, bool messages)
{
    if (!choice->arena)
        choice->arena = arena_create();
    struct arena *arena = choice->arena;
    bool **flags =
        arena ? arena_alloc_array(arena, trace->owned_count + (size_t)1, sizeof *flags) : NULL;
    for (uint32_t s = 0; flags && s < trace->owned_count; s++) {
        const struct stream *stream = &trace->streams[s];
        flags[s] = arena_alloc(arena, messages ? stream->message_count : stream->collective_count);
        if (!flags[s])
            return NULL;
    }
    return flags;
}

enum status choice_finish(struct choice *choice, const struct conditions *conditions,
                          const struct trace *trace, const char *things, enum status status,
                          struct error *error)
{
    if (status == STATUS_OK) {
        int64_t counts[] = {choice->count, choice->total};
        processes_sum(trace->processes, counts, 2);
        choice->count = counts[0];
        choice->total = counts[1];
        assert(choice->count <= choice->total);
        if (choice->count == 0)
            status = section_error(error, conditions->section, NULL,
                                   "none of the %lld %s of the trace meets all conditions",
                                   (long long)choice->total, things);
    }
    if (status != STATUS_OK)
        choice_clear(choice);
    return status;
}

void choice_clear(struct choice *choice)
{
    arena_destroy(choice->arena);
    *choice = (struct choice){0};
}
