/* [cut LABEL]: drops the messages that meet all conditions of the section, at both ends, with their
 * requests and with the MPI calls that have nothing left to do (doc/methods.md, section 2).
 * Conditions: size, tag, region, callpath, sender, receiver, communicator. Or, with what =
 * collectives, collective operations, on all members: by operation, region, callpath, communicator.
 *
 * The events of cut messages and operations are removed. An MPI call is removed, with its time, if
 * it lost an event and has no other operation left. A Waitany that lost all its completions is
 * removed even if it also tested other requests. Probes directly before the receive of a cut
 * message were for that message and are removed too; otherwise they would wait for another one.
 * Flushes and events that are not interpreted stay, at the time of the removed call. */
#include "base/array.h"
#include "trace/calls/records.h"
#include "transform/choose.h"
#include "transform/kinds.h"
#include "transform/rewrite.h"

#include <stdlib.h>
#include <string.h>

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

/* Refuses conditions of the other kind (messages or operations). */
static enum status cut_check(void *state, struct error *error)
{
    struct cut *cut = state;
    const struct ini_section *section = cut->conditions.section;
    bool operations = cut->what == CUT_OPERATIONS;
    for (const struct ini_key *key = operations ? of_messages : of_operations; key->name; key++)
        if (ini_value(section, key->name))
            return section_error(error, section, key->name, "\"%s\" is no condition for %s",
                                 key->name, operations ? "collective operations" : "messages");
    return operations ? conditions_check_operations(&cut->conditions, error)
                      : conditions_check_messages(&cut->conditions, error);
}

/* --- what goes ------------------------------------------------------------------------------ */

/* A region that is open at the row looked at. */
struct open_call {
    uint32_t enter;
    uint32_t kept, tests; /* events in it that stay; REQUEST_TESTs count separately */
    bool lost;            /* an event or a call in it is removed */
};

struct probe_call {
    uint32_t enter, leave;
};

struct cutter {
    const struct trace *trace;
    const struct stream *stream;
    const bool *cut;             /* [message], NULL: none */
    const bool *cut_collectives; /* [collective], NULL: none */
    bool *drop;                  /* [row] */
    ARRAY(struct open_call) frames;
    ARRAY(struct probe_call) probes; /* since the last communication other than a probe */
};

static enum mpi_class class_of_call(const struct cutter *cutter, uint32_t enter)
{
    return mpi_call_infos[callpath_call(cutter->trace, cutter->stream->arg[enter])].class;
}

/* True for events that belong to no operation. */
static bool is_bystander(uint8_t kind)
{
    return kind == EVENT_OTHER || kind == EVENT_BUFFER_FLUSH || kind == EVENT_MEASUREMENT_ON_OFF;
}

static struct open_call *innermost(struct cutter *cutter)
{
    return cutter->frames.count > 0 ? &cutter->frames.items[cutter->frames.count - 1] : NULL;
}

static void drop_call(struct cutter *cutter, uint32_t enter, uint32_t leave)
{
    for (uint32_t row = enter; row <= leave; row++)
        if (!is_bystander(cutter->stream->kind[row]))
            cutter->drop[row] = true;
}

static void drop_probes(struct cutter *cutter)
{
    for (size_t i = 0; i < cutter->probes.count; i++)
        drop_call(cutter, cutter->probes.items[i].enter, cutter->probes.items[i].leave);
    cutter->probes.count = 0;
}

static bool is_cut(const struct cutter *cutter, uint32_t row)
{
    struct record record = record_at(cutter->stream, row);
    const bool *cut = record.subject == RECORD_OF_MESSAGE      ? cutter->cut
                      : record.subject == RECORD_OF_COLLECTIVE ? cutter->cut_collectives
                                                               : NULL;
    return cut && cut[record.index];
}

static void visit_event(struct cutter *cutter, uint32_t row)
{
    const struct stream *stream = cutter->stream;
    struct record record = record_at(stream, row);
    struct open_call *frame = innermost(cutter);
    if (is_bystander(stream->kind[row]))
        return;
    if (is_cut(cutter, row)) {
        cutter->drop[row] = true;
        if (frame)
            frame->lost = true;
        const struct message *message =
            record.subject == RECORD_OF_MESSAGE ? &stream->messages[record.index] : NULL;
        if (message && !(message->flags & (MESSAGE_SEND | MESSAGE_MATCHED)) && row == message->post)
            drop_probes(cutter);
    } else if (frame && stream->kind[row] == EVENT_REQUEST_TEST) {
        frame->tests++;
    } else if (frame) {
        frame->kept++;
    }
}

/* False when memory is out. */
static bool visit_leave(struct cutter *cutter, uint32_t row)
{
    struct open_call frame = cutter->frames.items[--cutter->frames.count];
    struct open_call *caller = innermost(cutter);
    enum mpi_class class = class_of_call(cutter, frame.enter);
    bool communicates = mpi_class_communicates(class);
    bool goes = communicates && frame.lost && frame.kept == 0 &&
                (frame.tests == 0 || mpi_class_waits(class));
    if (goes)
        drop_call(cutter, frame.enter, row);
    if (caller && goes)
        caller->lost = true;
    else if (caller)
        caller->kept++;
    if (mpi_class_probes(class) && frame.lost)
        drop_probes(cutter); /* unsuccessful ones before a matched one */
    else if (mpi_class_probes(class) && frame.kept > 0)
        cutter->probes.count = 0;
    else if (mpi_class_probes(class))
        return array_push(&cutter->probes, ((struct probe_call){frame.enter, row}));
    if (communicates && !goes)
        cutter->probes.count = 0;
    return true;
}

static bool choose_rows(struct cutter *cutter)
{
    for (uint32_t row = 0; row < cutter->stream->count; row++) {
        switch (cutter->stream->kind[row]) {
        case EVENT_ENTER:
        case EVENT_PROGRAM_BEGIN:
            if (!array_push(&cutter->frames, (struct open_call){.enter = row}))
                return false;
            break;
        case EVENT_LEAVE:
        case EVENT_PROGRAM_END:
            if (!visit_leave(cutter, row))
                return false;
            break;
        default:
            visit_event(cutter, row);
        }
    }
    return true;
}

/* --- what stays ----------------------------------------------------------------------------- */

/* Writes the rows that stay; removed calls take no time. */
static void write_rows(const struct cutter *cutter, struct row_writer *writer)
{
    const struct stream *stream = cutter->stream;
    uint64_t time = stream->count > 0 ? stream->time[0] : 0;
    uint32_t inside = 0; /* open calls that are removed */
    for (uint32_t row = 0; row < stream->count; row++) {
        if (row > 0 && inside == 0)
            time += stream->time[row] - stream->time[row - 1];
        if (!cutter->drop[row])
            row_writer_copy(writer, time);
        else
            row_writer_skip(writer, time);
        if (cutter->drop[row] && stream->kind[row] == EVENT_ENTER)
            inside++;
        else if (cutter->drop[row] && stream->kind[row] == EVENT_LEAVE)
            inside--;
    }
}

/* Removes the chosen messages and collective operations (NULL: none) from one stream: their events,
 * their probes, and MPI calls that have no operation left. Events after a removed call move earlier
 * by its length. False when memory is out. */
static bool cut_stream(struct trace *trace, struct stream *stream, const bool *messages,
                       const bool *collectives)
{
    struct cutter cutter = {
        .trace = trace, .stream = stream, .cut = messages, .cut_collectives = collectives};
    cutter.drop = calloc((size_t)stream->count + 1, sizeof *cutter.drop);
    bool done = cutter.drop && choose_rows(&cutter);
    if (done) {
        struct row_writer writer;
        row_writer_open(&writer, trace, stream, messages, collectives);
        write_rows(&cutter, &writer);
        done = row_writer_close(&writer);
    }
    free(cutter.drop);
    free(cutter.frames.items);
    free(cutter.probes.items);
    return done;
}

/* --- all of it ------------------------------------------------------------------------------ */

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
            status = error_memory(error, "the events that are left");
    choice_clear(&choice);
    return processes_agree(trace->processes, status, error);
}

const struct hypothesis_kind hypothesis_cut = {
    .name = "cut",
    .description = "drop messages or collective operations",
    .state_size = sizeof(struct cut),
    .keys = cut_keys,
    .check = cut_check,
    .apply = cut_apply,
};
