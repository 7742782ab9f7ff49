/* [cut LABEL]: drops the messages that meet all conditions of the section, at both ends, with their
 * requests and with the MPI calls that have no operation left (doc/methods.md, section 2).
 * Conditions: size, tag, region, callpath, sender, receiver, communicator. Or, with what =
 * collectives, collective operations, on all members: by operation, region, callpath, communicator.
 *
 * The events of cut messages and operations are removed. An MPI call is removed, with its time, if
 * it lost an event and has no other operation left. A Waitany that lost all its completions is
 * removed even if it also tested other requests. Probes directly before the receive of a cut
 * message were for that message and are removed too; otherwise they would wait for another one.
 * Flushes and events that are not interpreted stay, at the time of the removed call. */
#include "transform/choose.h"
#include "transform/cut_rows.h"
#include "transform/kinds.h"
#include "transform/rewrite.h"

#include <stdlib.h>

struct cut {
    struct conditions conditions;
    int what; /* index into things */
};

enum { CUT_MESSAGES, CUT_OPERATIONS };
static const char *const things[] = {
    [CUT_MESSAGES] = "messages", [CUT_OPERATIONS] = "collectives", NULL};

static const struct ini_key of_messages[] = {MESSAGE_KEYS(cut), INI_KEYS_END};
static const struct ini_key of_operations[] = {OPERATION_KEYS(cut), INI_KEYS_END};

static const struct ini_key cut_keys[] = {
    INI_KEY(cut, what, CHOICE, .choices = things),
    MESSAGE_KEYS(cut),
    OPERATION_KEYS(cut),
    CALL_KEYS(cut),
    COMMUNICATOR_KEY(cut),
    INI_KEYS_END,
};

/* Rejects conditions of the other kind (messages or operations). */
static enum status cut_check(void *state, struct error *error)
{
    struct cut *cut = state;
    const struct ini_section *section = cut->conditions.section;
    bool operations = cut->what == CUT_OPERATIONS;
    for (const struct ini_key *key = operations ? of_messages : of_operations; key->name; key++)
        if (ini_value(section, key->name))
            return section_error(error, section, key->name, "\"%s\" is not a condition for %s",
                                 key->name, operations ? "collective operations" : "messages");
    return operations ? conditions_check_operations(&cut->conditions, error)
                      : conditions_check_messages(&cut->conditions, error);
}

/* Writes the rows that stay; removed calls take no time. */
static void write_staying_rows(const struct stream *stream, const bool *drop,
                               struct row_writer *writer)
{
    uint64_t time = stream->count > 0 ? stream->time[0] : 0;
    uint32_t inside = 0; /* open calls that are removed */
    for (uint32_t row = 0; row < stream->count; row++) {
        if (row > 0 && inside == 0)
            time += stream->time[row] - stream->time[row - 1];
        if (!drop[row])
            row_writer_copy(writer, time);
        else
            row_writer_skip(writer, time);
        if (drop[row] && stream->kind[row] == EVENT_ENTER)
            inside++;
        else if (drop[row] && stream->kind[row] == EVENT_LEAVE)
            inside--;
    }
}

/* Removes the chosen messages and collective operations (NULL: none) from one stream: their events,
 * their probes, and MPI calls that have no operation left. The times of events after a removed call
 * decrease by its length. False if out of memory. */
static bool cut_stream(struct trace *trace, struct stream *stream, const bool *messages,
                       const bool *collectives)
{
    bool *drop = calloc((size_t)stream->count + 1, sizeof *drop);
    bool done =
        drop && cut_rows_choose(trace, stream, messages, collectives, EMPTIED_CALLS_GO, drop);
    if (done) {
        struct row_writer writer;
        row_writer_open(&writer, trace, stream, messages, collectives);
        write_staying_rows(stream, drop, &writer);
        done = row_writer_close(&writer);
    }
    free(drop);
    return done;
}

static enum status cut_apply(const void *state, struct trace *trace,
                             struct hypothesis_outcome *outcome, struct error *error)
{
    const struct cut *cut = state;
    const bool operations = cut->what == CUT_OPERATIONS;
    struct choice choice;
    enum status status = operations ? operations_choose(&cut->conditions, trace, &choice, error)
                                    : messages_choose(&cut->conditions, trace, &choice, error);
    if (status != STATUS_OK)
        return status;
    *outcome = (struct hypothesis_outcome){true, choice.count, choice.total,
                                           operations ? "parts of operations" : "messages"};
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        if (!cut_stream(trace, &trace->streams[s], operations ? NULL : choice.chosen[s],
                        operations ? choice.chosen[s] : NULL))
            status = error_memory(error, "the remaining events");
    choice_clear(&choice);
    return processes_agree(trace->processes, status, error);
}

const struct hypothesis_kind hypothesis_cut = {
    .name = "cut",
    .subject = SUBJECT_TRAFFIC,
    .description = "drop messages or collective operations",
    .state_size = sizeof(struct cut),
    .keys = cut_keys,
    .check = cut_check,
    .apply = cut_apply,
};
