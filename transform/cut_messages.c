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
    int64_t cut_count, all_count; /* of the last apply, -1 before */
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

static enum status cut_parse(const struct ini *ini, const struct ini_section *section, void **state,
                             struct error *error)
{
    static const char *const things[] = {"messages", "collectives", NULL};
    struct section_ref ref = {ini, section};
    struct cut *cut = calloc(1, sizeof *cut);
    if (!cut)
        return error_memory(error, "the hypotheses");
    int what = 0;
    cut->cut_count = -1;
    cut->conditions.ref = ref;
    enum status status = ini_get_choice(ini, section, "what", things, &what, error);
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
static enum status cut_operations(struct cut *cut, struct trace *trace, struct error *error)
{
    struct collective_choice choice;
    enum status status = collectives_choose(&cut->collectives, trace, &choice, error);
    if (status != STATUS_OK)
        return status;
    cut->cut_count = choice.count;
    cut->all_count = choice.total;
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        if (!cut_rows(trace, &trace->streams[s], NULL, choice.chosen[s]))
            status = error_memory(error, "the events that are left");
    collective_choice_clear(&choice, trace);
    return status;
}

/* Collective. */
static enum status cut_messages(struct cut *cut, struct trace *trace, struct error *error)
{
    struct cut_choice choice;
    enum status status = cut_choose(&cut->conditions, trace, &choice, error);
    if (status != STATUS_OK)
        return status;
    cut->cut_count = choice.cut_count;
    cut->all_count = choice.message_count;
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        if (!cut_rows(trace, &trace->streams[s], choice.cut[s], NULL))
            status = error_memory(error, "the events that are left");
    cut_choice_clear(&choice, trace);
    return status;
}

static enum status cut_apply(void *state, struct trace *trace, bool *operations_changed,
                             struct error *error)
{
    struct cut *cut = state;
    enum status status =
        cut->operations ? cut_operations(cut, trace, error) : cut_messages(cut, trace, error);
    trace->matched = false;
    *operations_changed = true;
    return processes_agree(trace->processes, status, error);
}

static void cut_describe(const void *state, char *text, size_t size)
{
    const struct cut *cut = state;
    char section[400];
    section_describe(cut->conditions.ref, section, sizeof section);
    if (cut->cut_count < 0)
        snprintf(text, size, "%s", section);
    else
        snprintf(text, size, "%s (%lld of %lld %s)", section, (long long)cut->cut_count,
                 (long long)cut->all_count, cut->operations ? "parts of operations" : "messages");
}

const struct hypothesis_kind hypothesis_cut = {
    .name = "cut",
    .description = "drop messages or collective operations",
    .keys = cut_keys,
    .parse = cut_parse,
    .apply = cut_apply,
    .describe = cut_describe,
    .release = cut_release,
};
