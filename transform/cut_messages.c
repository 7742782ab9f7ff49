/* [cut LABEL]: drops the messages that meet all conditions of the section, at both ends, with their
 * requests and with the MPI calls that have nothing left to do (METHODS 2). Conditions: size, tag,
 * region, callpath, sender, receiver, communicator. Or, with what = collectives, collective
 * operations, on all members: by operation, region, callpath, communicator. */
#include "transform/choose_collectives.h"
#include "transform/cut.h"
#include "transform/kinds.h"

#include <stdio.h>
#include <stdlib.h>

struct cut {
    bool operations; /* what = collectives */
    struct cut_conditions conditions;
    struct collective_conditions collectives;
};

static const char *const cut_keys[] = {"what",      "size",   "tag",      "region",
                                       "callpath",  "sender", "receiver", "communicator",
                                       "operation", "all",    NULL};

static void cut_release(void *state)
{
    struct cut *cut = state;
    cut_conditions_clear(&cut->conditions);
    free(cut);
}

/* Keys that only one of the two kinds of things has. */
static enum status check_keys(struct section_ref ref, bool operations, struct error *error)
{
    static const char *const of_messages[] = {"size", "tag", "sender", "receiver", NULL};
    static const char *const of_operations[] = {"operation", NULL};
    const char *const *others = operations ? of_messages : of_operations;
    for (; *others; others++) {
        const char *value = NULL;
        enum status status = ini_get_string(ref.ini, ref.section, *others, &value, error);
        if (status == STATUS_OK && value)
            status = section_error(error, ref, *others, "\"%s\" is no condition for %s", *others,
                                   operations ? "collective operations" : "messages");
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static enum status cut_parse(struct section_ref ref, void **state, struct error *error)
{
    static const char *const things[] = {"messages", "collectives", NULL};
    struct cut *cut = calloc(1, sizeof *cut);
    if (!cut)
        return error_memory(error, "the hypotheses");
    int what = 0;
    enum status status = ini_get_choice(ref.ini, ref.section, "what", things, &what, error);
    cut->operations = what == 1;
    if (status == STATUS_OK)
        status = check_keys(ref, cut->operations, error);
    if (status == STATUS_OK)
        status = cut->operations ? collective_conditions_read(ref, &cut->collectives, error)
                                 : cut_conditions_read(ref, &cut->conditions, error);
    if (status != STATUS_OK) {
        cut_release(cut);
        return status;
    }
    *state = cut;
    return STATUS_OK;
}

/* Collective. */
static enum status cut_operations(const struct cut *cut, struct trace *trace,
                                  struct hypothesis_outcome *outcome, struct error *error)
{
    struct collective_choice choice;
    enum status status = collectives_choose(&cut->collectives, trace, &choice, error);
    if (status != STATUS_OK)
        return status;
    *outcome = (struct hypothesis_outcome){true, choice.count, choice.total, "parts of operations"};
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        if (!cut_rows(trace, &trace->streams[s], NULL, choice.chosen[s]))
            status = error_memory(error, "the events that are left");
    collective_choice_clear(&choice, trace);
    return status;
}

/* Collective. */
static enum status cut_messages(const struct cut *cut, struct trace *trace,
                                struct hypothesis_outcome *outcome, struct error *error)
{
    struct cut_choice choice;
    enum status status = cut_choose(&cut->conditions, trace, &choice, error);
    if (status != STATUS_OK)
        return status;
    *outcome =
        (struct hypothesis_outcome){true, choice.cut_count, choice.message_count, "messages"};
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        if (!cut_rows(trace, &trace->streams[s], choice.cut[s], NULL))
            status = error_memory(error, "the events that are left");
    cut_choice_clear(&choice, trace);
    return status;
}

static enum status cut_apply(const void *state, struct trace *trace,
                             struct hypothesis_outcome *outcome, struct error *error)
{
    const struct cut *cut = state;
    enum status status = cut->operations ? cut_operations(cut, trace, outcome, error)
                                         : cut_messages(cut, trace, outcome, error);
    return processes_agree(trace->processes, status, error);
}

const struct hypothesis_kind hypothesis_cut = {
    .name = "cut",
    .description = "drop messages or collective operations",
    .keys = cut_keys,
    .parse = cut_parse,
    .apply = cut_apply,
    .release = cut_release,
};
