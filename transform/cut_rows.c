#include "transform/cut_rows.h"

#include "base/array.h"
#include "trace/calls/records.h"

#include <stdlib.h>

/* A region that is open at the current row. */
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
    enum emptied_calls emptied;
    bool *drop; /* [row] */
    ARRAY(struct open_call) frames;
    ARRAY(struct probe_call) probes; /* since the last communication other than a probe */
};

static enum mpi_class class_of_call(const struct cutter *cutter, uint32_t enter)
{
    return mpi_call_infos[callpath_call(cutter->trace, cutter->stream->arg[enter])].class;
}

/* True for events that do not belong to an operation. */
static bool is_bystander(uint8_t kind)
{
    return kind == EVENT_OTHER || kind == EVENT_BUFFER_FLUSH || kind == EVENT_MEASUREMENT_ON_OFF;
}

static struct open_call *innermost_call(struct cutter *cutter)
{
    return cutter->frames.count > 0 ? &cutter->frames.items[cutter->frames.count - 1] : NULL;
}

static void drop_call(struct cutter *cutter, uint32_t enter, uint32_t leave)
{
    assert(enter < leave);
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
    struct open_call *frame = innermost_call(cutter);
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

/* False if out of memory. */
static bool visit_leave(struct cutter *cutter, uint32_t row)
{
    struct open_call frame = cutter->frames.items[--cutter->frames.count];
    struct open_call *caller = innermost_call(cutter);
    enum mpi_class class = class_of_call(cutter, frame.enter);
    bool communicates = mpi_class_communicates(class);
    bool may_go = cutter->emptied == EMPTIED_CALLS_GO
                      ? communicates
                      : mpi_class_tests(class) || mpi_class_probes(class);
    bool goes =
        may_go && frame.lost && frame.kept == 0 && (frame.tests == 0 || mpi_class_waits(class));
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

static bool visit_rows(struct cutter *cutter)
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

bool cut_rows_choose(const struct trace *trace, const struct stream *stream, const bool *messages,
                     const bool *collectives, enum emptied_calls emptied, bool *drop)
{
    struct cutter cutter = {.trace = trace,
                            .stream = stream,
                            .cut = messages,
                            .cut_collectives = collectives,
                            .emptied = emptied,
                            .drop = drop};
    bool done = visit_rows(&cutter);
    free(cutter.frames.items);
    free(cutter.probes.items);
    return done;
}
