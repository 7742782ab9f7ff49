/* [cut LABEL]: drops the messages that meet all conditions of the section, at both ends, with their
 * requests and with the MPI calls that have nothing left to do (METHODS 2). Conditions: size, tag,
 * region, callpath, sender, receiver, communicator. */
#include "transform/cut.h"
#include "transform/kinds.h"

#include <stdio.h>
#include <stdlib.h>

struct cut {
    struct cut_conditions conditions;
    int64_t cut_count, message_count; /* of the last apply, -1 before */
};

static const char *const cut_keys[] = {"what",   "size",     "tag",          "region", "callpath",
                                       "sender", "receiver", "communicator", "all",    NULL};

static void cut_release(void *state)
{
    struct cut *cut = state;
    ranges_clear(&cut->conditions.size);
    ranges_clear(&cut->conditions.tag);
    ranges_clear(&cut->conditions.sender);
    ranges_clear(&cut->conditions.receiver);
    free(cut);
}

/* Without a condition everything would go: that must be said. */
static enum status check_conditions(const struct cut_conditions *c, bool all, struct error *error)
{
    bool any = c->where || c->communicator || c->size.items || c->tag.items || c->sender.items ||
               c->receiver.items;
    if (all && any)
        return section_error(error, c->ref, "all",
                             "\"all\" cuts every message, but the section also has a condition");
    if (!all && !any)
        return section_error(error, c->ref, NULL,
                             "a condition is missing: size, tag, region, callpath, sender, "
                             "receiver or communicator; \"all = yes\" cuts every message");
    return STATUS_OK;
}

static enum status cut_parse(const struct ini *ini, const struct ini_section *section, void **state,
                             struct error *error)
{
    static const char *const things[] = {"messages", NULL};
    struct cut *cut = calloc(1, sizeof *cut);
    if (!cut)
        return error_memory(error, "the hypotheses");
    struct cut_conditions *c = &cut->conditions;
    int what = 0;
    bool all = false;
    cut->cut_count = -1;
    c->ref = (struct section_ref){ini, section};
    c->where = callpath_marks_wanted(c->ref);
    enum status status = ini_get_choice(ini, section, "what", things, &what, error);
    if (status == STATUS_OK)
        status = ranges_read(c->ref, "size", &c->size, error);
    if (status == STATUS_OK)
        status = ranges_read(c->ref, "tag", &c->tag, error);
    if (status == STATUS_OK)
        status = ranges_read(c->ref, "sender", &c->sender, error);
    if (status == STATUS_OK)
        status = ranges_read(c->ref, "receiver", &c->receiver, error);
    if (status == STATUS_OK)
        status = ini_get_string(ini, section, "communicator", &c->communicator, error);
    if (status == STATUS_OK)
        status = ini_get_bool(ini, section, "all", &all, error);
    if (status == STATUS_OK)
        status = check_conditions(c, all, error);
    if (status != STATUS_OK) {
        cut_release(cut);
        return status;
    }
    *state = cut;
    return STATUS_OK;
}

static enum status cut_apply(void *state, struct trace *trace, bool *operations_changed,
                             struct error *error)
{
    struct cut *cut = state;
    struct cut_choice choice;
    enum status status = cut_choose(&cut->conditions, trace, &choice, error);
    if (status != STATUS_OK)
        return status;
    cut->cut_count = choice.cut_count;
    cut->message_count = choice.message_count;
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        if (!cut_rows(trace, &trace->streams[s], choice.cut[s]))
            status = error_memory(error, "the events that are left");
    trace->matched = false;
    *operations_changed = true;
    cut_choice_clear(&choice, trace);
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
        snprintf(text, size, "%s (%lld of %lld messages)", section, (long long)cut->cut_count,
                 (long long)cut->message_count);
}

const struct hypothesis_kind hypothesis_cut = {
    .name = "cut",
    .description = "drop messages by size, tag, place, sender, receiver or communicator",
    .keys = cut_keys,
    .parse = cut_parse,
    .apply = cut_apply,
    .describe = cut_describe,
    .release = cut_release,
};
