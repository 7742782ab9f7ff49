#include "replay/costs/recorded.h"

#include "replay/costs/fit.h"
#include "trace/tell.h"

#include <stdlib.h>
#include <string.h>

/* --- the other ends of messages --------------------------------------------------------------- */

static enum message_mode mode_of(const struct message *message)
{
    switch (message_send_mode(message)) {
    case SEND_SYNCHRONOUS:
        return MESSAGE_SYNCHRONOUS;
    case SEND_BUFFERED:
        return MESSAGE_FREE;
    default:
        return MESSAGE_STANDARD;
    }
}

static struct both_ends end_of(const struct stream *stream, const struct message *message)
{
    bool sends = message->flags & MESSAGE_SEND;
    uint32_t leave = sends ? message_leave_row(stream, message) : INDEX_NONE;
    return (struct both_ends){.post = (int64_t)stream->time[message_post_row(stream, message)],
                              .send_left =
                                  leave == INDEX_NONE ? INT64_MAX : (int64_t)stream->time[leave],
                              .bytes = message->bytes,
                              .mode = (uint8_t)mode_of(message)};
}

/* `own` becomes what both ends know, `told` is the other end. */
static void join_ends(struct both_ends *own, const struct stream *stream,
                      const struct message *message, const struct both_ends *told)
{
    struct both_ends mine = end_of(stream, message);
    bool sends = message->flags & MESSAGE_SEND;
    *own = sends ? mine : *told;
    own->post = told->post;
    int64_t receive_post = sends ? told->post : mine.post;
    if (own->mode == MESSAGE_STANDARD && own->send_left < receive_post)
        own->mode = MESSAGE_FOUND_FREE;
    if ((own->mode == MESSAGE_STANDARD || own->mode == MESSAGE_FOUND_FREE) &&
        mine.bytes != told->bytes)
        own->mode = MESSAGE_FREE;
}

struct end_telling {
    const struct trace *trace;
    struct both_ends *const *ends; /* [owned stream][message] */
};

static bool tell_end(void *data, uint32_t s, uint32_t m, void *value)
{
    const struct trace *trace = ((const struct end_telling *)data)->trace;
    const struct stream *stream = &trace->streams[s];
    if (!message_takes_part(&stream->messages[m]))
        return false;
    *(struct both_ends *)value = end_of(stream, &stream->messages[m]);
    return true;
}

static void hear_end(void *data, uint32_t s, uint32_t m, const void *value)
{
    const struct end_telling *telling = data;
    const struct stream *stream = &telling->trace->streams[s];
    join_ends(&telling->ends[s][m], stream, &stream->messages[m], value);
}

/* Collective. */
static enum status exchange_ends(const struct trace *trace, struct both_ends *const *ends,
                                 struct error *error)
{
    static const struct partner_talk talk = {.purpose = "the model",
                                             .size = sizeof(struct both_ends),
                                             .tell = tell_end,
                                             .hear = hear_end};
    struct end_telling telling = {trace, ends};
    return tell_partners(trace, true, &talk, &telling, error);
}

/* --- arrivals in collective operations -------------------------------------------------------- */

/* When the last came; of prefix reductions, at each member's slot, the last of it and those before.
 * Ticks since the trace's begin, -1: nobody. */
struct arrivals {
    struct layout layout;
    int64_t *instances; /* [instance] */
    int64_t *scans;     /* [slot - layout.scan_slots] */
    uint32_t **numbers; /* [owned stream][collective], see layout_number */
};

static void arrivals_clear(struct arrivals *arrivals)
{
    for (uint32_t s = 0; arrivals->numbers && s < arrivals->layout.trace->owned_count; s++)
        free(arrivals->numbers[s]);
    free(arrivals->numbers);
    free(arrivals->instances);
    free(arrivals->scans);
    layout_clear(&arrivals->layout);
}

static bool arrivals_allocate(const struct trace *trace, struct arrivals *arrivals)
{
    const struct layout *layout = &arrivals->layout;
    size_t scans = layout->slot_count - layout->scan_slots;
    arrivals->instances = malloc((layout->instance_count + 1) * sizeof(int64_t));
    arrivals->scans = malloc((scans + 1) * sizeof(int64_t));
    arrivals->numbers = calloc((size_t)trace->owned_count + 1, sizeof *arrivals->numbers);
    if (!arrivals->instances || !arrivals->scans || !arrivals->numbers)
        return false;
    memset(arrivals->instances, 0xff, layout->instance_count * sizeof(int64_t));
    memset(arrivals->scans, 0xff, scans * sizeof(int64_t));
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const struct stream *stream = &trace->streams[s];
        arrivals->numbers[s] = calloc((size_t)stream->collective_count + 1, sizeof(uint32_t));
        if (!arrivals->numbers[s] ||
            (layout_has_numbers(layout) && !layout_number(layout, stream, arrivals->numbers[s])))
            return false;
    }
    return true;
}

/* The place of a member's own arrival in a neighbourhood collective. */
static int64_t *neighbour_arrival(const struct arrivals *arrivals, uint32_t s, uint32_t c)
{
    const struct trace *trace = arrivals->layout.trace;
    const struct collective *collective = &trace->streams[s].collectives[c];
    uint32_t member = comm_rank_of(trace->definitions, collective->comm, trace->streams[s].rank);
    return &arrivals->instances[layout_neighbour(&arrivals->layout, collective->comm,
                                                 arrivals->numbers[s][c], member)];
}

/* The place of a member's own arrival in a prefix reduction (or, one behind, of what it waits for).
 */
static int64_t *scan_arrival(const struct arrivals *arrivals, uint32_t s, uint32_t c)
{
    const struct trace *trace = arrivals->layout.trace;
    const struct collective *collective = &trace->streams[s].collectives[c];
    uint32_t member = comm_rank_of(trace->definitions, collective->comm, trace->streams[s].rank);
    return &arrivals->scans[layout_scan_slot(&arrivals->layout, collective->comm,
                                             arrivals->numbers[s][c], member) -
                            arrivals->layout.scan_slots];
}

static void max_into(int64_t *place, int64_t value)
{
    if (*place < value)
        *place = value;
}

static void add_own_arrivals(const struct trace *trace, struct arrivals *arrivals)
{
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const struct stream *stream = &trace->streams[s];
        for (uint32_t c = 0; c < stream->collective_count; c++) {
            const struct collective *collective = &stream->collectives[c];
            if (!collective_takes_part(trace, collective))
                continue;
            struct role role = collective_role(trace, stream->rank, collective);
            int64_t time = (int64_t)(stream->time[collective->begin] - trace->begin);
            if (role.scans)
                *scan_arrival(arrivals, s, c) = time;
            else if (role.neighbours)
                *neighbour_arrival(arrivals, s, c) = time;
            else if (role.arrives)
                max_into(&arrivals->instances[layout_instance(&arrivals->layout, collective)],
                         time);
        }
        for (uint32_t i = 0; i < stream->rma_sync_count; i++)
            if (sync_arrives(&stream->rma_syncs[i]))
                arrivals->instances[arrivals->layout.first_sync[stream->rank] + i] =
                    (int64_t)(stream->time[stream->rma_syncs[i].row] - trace->begin);
        uint32_t finalize = stream_finalize_row(trace, stream);
        if (finalize != INDEX_NONE)
            max_into(&arrivals->instances[arrivals->layout.finalize],
                     (int64_t)(stream->time[finalize] - trace->begin));
    }
}

/* Turns arrivals into prefixes. The slots of each reduction are an empty prefix, then an arrival
 * and a prefix for each member, then an arrival that never comes. */
static void make_prefixes(const struct arrivals *arrivals)
{
    size_t count = arrivals->layout.slot_count - arrivals->layout.scan_slots;
    int64_t *scans = arrivals->scans;
    for (size_t slot = 1; slot + 1 < count; slot += 2) {
        if (scans[slot] < 0) { /* the end of one: the next one's empty prefix is skipped with it */
            continue;
        }
        scans[slot + 1] = scans[slot];
        max_into(&scans[slot + 1], scans[slot - 1]);
    }
}

/* Collective. */
static enum status arrivals_make(const struct trace *trace, struct arrivals *arrivals,
                                 struct error *error)
{
    enum status status = layout_make(trace, &arrivals->layout, error);
    if (status != STATUS_OK)
        return status;
    bool room = arrivals_allocate(trace, arrivals);
    status = processes_agree(trace->processes, room ? STATUS_OK : error_memory(error, "the model"),
                             error);
    if (status != STATUS_OK)
        return status;
    add_own_arrivals(trace, arrivals);
    processes_max(trace->processes, arrivals->instances, arrivals->layout.instance_count);
    processes_max(trace->processes, arrivals->scans,
                  arrivals->layout.slot_count - arrivals->layout.scan_slots);
    make_prefixes(arrivals);
    return STATUS_OK;
}

/* --- costs ------------------------------------------------------------------------------------ */

struct costing {
    struct recorded *recorded;
    const struct arrivals *arrivals;
    struct both_ends *const *ends;
    uint32_t s; /* the stream at hand */
};

/* The last arrival of those that a member of a neighbourhood collective waits for. */
static int64_t last_source(const struct costing *costing, uint32_t c)
{
    const struct arrivals *arrivals = costing->arrivals;
    const struct stream *stream = &costing->recorded->trace->streams[costing->s];
    const struct collective *collective = &stream->collectives[c];
    uint32_t n = arrivals->numbers[costing->s][c];
    int64_t last = -1;
    for (uint32_t k = 0; k < layout_source_count(&arrivals->layout, stream->rank, collective); k++)
        max_into(&last, arrivals->instances[layout_source(&arrivals->layout, collective, n, k)]);
    return last;
}

/* The same of the group of a window. */
static int64_t last_partner(const struct costing *costing, uint32_t index)
{
    const struct arrivals *arrivals = costing->arrivals;
    const struct stream *stream = &costing->recorded->trace->streams[costing->s];
    const struct rma_sync *sync = sync_awaited(stream, index);
    int64_t last = -1;
    for (uint32_t k = 0; k < layout_partner_count(&arrivals->layout, sync); k++)
        max_into(&last, arrivals->instances[layout_partner(&arrivals->layout, stream, sync, k)]);
    return last;
}

static bool is_synchronous(const struct costing *costing, uint32_t message)
{
    const struct both_ends *end = &costing->ends[costing->s][message];
    const struct stream *stream = &costing->recorded->trace->streams[costing->s];
    return message_is_synchronous(end->mode, end->bytes, &costing->recorded->platform, stream->rank,
                                  stream->messages[message].partner_rank);
}

/* When what a call waits for came, by the rules, in ticks of the trace. False: it never waits. */
static bool arrival_of(const struct costing *costing, struct wait wait, int64_t *arrival)
{
    const struct trace *trace = costing->recorded->trace;
    const struct stream *stream = &trace->streams[costing->s];
    int64_t instance = -1;
    switch (wait.kind) {
    case WAIT_SEND:
        *arrival = costing->ends[costing->s][wait.index].post;
        return is_synchronous(costing, wait.index);
    case WAIT_RECEIVE: {
        const struct both_ends *end = &costing->ends[costing->s][wait.index];
        const struct platform *platform = &costing->recorded->platform;
        const struct loggps *loggps =
            platform_between(platform, stream->messages[wait.index].partner_rank, stream->rank);
        *arrival = end->post +
                   platform_ticks(platform, transfer_time(loggps, end->bytes,
                                                          is_synchronous(costing, wait.index)));
        return true;
    }
    case WAIT_COLLECTIVE: {
        const struct collective *collective = &stream->collectives[wait.index];
        struct role role = collective_role(trace, stream->rank, collective);
        if (role.scans)
            instance = scan_arrival(costing->arrivals, costing->s, wait.index)[1];
        else if (role.neighbours)
            instance = last_source(costing, wait.index);
        else if (role.waits)
            instance = costing->arrivals
                           ->instances[layout_instance(&costing->arrivals->layout, collective)];
        break;
    }
    case WAIT_SYNC:
        instance = last_partner(costing, wait.index);
        break;
    case WAIT_FINALIZE:
        instance = costing->arrivals->instances[costing->arrivals->layout.finalize];
        break;
    }
    *arrival = (int64_t)trace->begin + instance;
    return instance >= 0;
}

static bool keep_wait(struct recorded_stream *own, const struct call_walk *walk, struct wait wait,
                      struct recorded_wait kept)
{
    struct recorded_probe probe = {wait.index, kept};
    if (walk->call.probes)
        return array_push(&own->probes, probe);
    switch (wait.kind) {
    case WAIT_SEND:
    case WAIT_RECEIVE:
        own->messages[wait.index] = kept;
        break;
    case WAIT_COLLECTIVE:
        own->collectives[wait.index] = kept;
        break;
    case WAIT_SYNC:
        own->syncs[wait.index] = kept;
        break;
    case WAIT_FINALIZE:
        own->finalize = kept;
        break;
    }
    return true;
}

/* It was left before what it could have waited for was there. */
static bool has_passed(const struct costing *costing, struct wait wait, int64_t lag)
{
    const struct stream *stream = &costing->recorded->trace->streams[costing->s];
    return wait.kind == WAIT_SYNC && lag < 0 && sync_may_pass(&stream->rma_syncs[wait.index]);
}

static bool cost_call(const struct costing *costing, const struct call_walk *walk)
{
    struct recorded_stream *own = &costing->recorded->streams[costing->s];
    int64_t last = (int64_t)walk->stream->time[walk->call.enter], arrival;
    int64_t leave = (int64_t)walk->stream->time[walk->call.leave];
    for (size_t i = 0; i < walk->waits.count; i++)
        if (arrival_of(costing, walk->waits.items[i], &arrival) &&
            !has_passed(costing, walk->waits.items[i], leave - arrival))
            max_into(&last, arrival < leave ? arrival : leave);
    for (size_t i = 0; i < walk->waits.count; i++) {
        struct recorded_wait kept = {.cost = leave - last};
        if (arrival_of(costing, walk->waits.items[i], &arrival) && arrival > leave)
            kept.lag = leave - arrival;
        if (!keep_wait(own, walk, walk->waits.items[i], kept))
            return false;
    }
    return true;
}

/* False when memory is out. */
static bool cost_stream(const struct costing *costing, double poll_gap_s)
{
    const struct trace *trace = costing->recorded->trace;
    struct call_walk walk;
    bool room = true;
    call_walk_open(&walk, trace, &trace->streams[costing->s], poll_gap_s);
    while (room && call_walk_next(&walk))
        room = cost_call(costing, &walk);
    room = room && !walk.no_memory;
    call_walk_close(&walk);
    return room;
}

/* --- all of it -------------------------------------------------------------------------------- */

static bool allocate(const struct trace *trace, struct recorded *recorded, struct both_ends **ends)
{
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const struct stream *stream = &trace->streams[s];
        struct recorded_stream *own = &recorded->streams[s];
        size_t messages = (size_t)stream->message_count + 1;
        own->messages = calloc(messages, sizeof *own->messages);
        own->modes = calloc(messages, sizeof *own->modes);
        own->collectives = calloc((size_t)stream->collective_count + 1, sizeof *own->collectives);
        own->syncs = calloc((size_t)stream->rma_sync_count + 1, sizeof *own->syncs);
        ends[s] = calloc(messages, sizeof *ends[s]);
        if (!own->messages || !own->modes || !own->collectives || !own->syncs || !ends[s])
            return false;
    }
    return true;
}

static void keep_modes(const struct trace *trace, struct recorded *recorded,
                       struct both_ends *const *ends)
{
    for (uint32_t s = 0; s < trace->owned_count; s++)
        for (uint32_t m = 0; m < trace->streams[s].message_count; m++)
            recorded->streams[s].modes[m] = ends[s][m].mode;
}

static enum status find_machine(const struct trace *trace, const struct machine *machine,
                                struct both_ends *const *ends, struct platform *platform,
                                struct error *error)
{
    if (!machine)
        return fit_machine(trace, ends, platform, error);
    platform->machine = *machine;
    return STATUS_OK;
}

enum status recorded_make(const struct trace *trace, const struct machine *machine,
                          double poll_gap_s, struct recorded *recorded, struct error *error)
{
    struct arrivals arrivals = {0};
    struct both_ends **ends = calloc((size_t)trace->owned_count + 1, sizeof *ends);
    memset(recorded, 0, sizeof *recorded);
    recorded->trace = trace;
    recorded->streams = calloc((size_t)trace->owned_count + 1, sizeof *recorded->streams);
    enum status status = platform_open(&recorded->platform, trace, error);
    if (status == STATUS_OK && (!ends || !recorded->streams || !allocate(trace, recorded, ends)))
        status = error_memory(error, "the model");
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK)
        status = exchange_ends(trace, ends, error);
    if (status == STATUS_OK)
        status = find_machine(trace, machine, ends, &recorded->platform, error);
    if (status == STATUS_OK)
        status = arrivals_make(trace, &arrivals, error);
    if (status == STATUS_OK) {
        struct costing costing = {.recorded = recorded, .arrivals = &arrivals, .ends = ends};
        bool room = true;
        keep_modes(trace, recorded, ends);
        for (costing.s = 0; costing.s < trace->owned_count && room; costing.s++)
            room = cost_stream(&costing, poll_gap_s);
        status = processes_agree(trace->processes,
                                 room ? STATUS_OK : error_memory(error, "the model"), error);
    }
    arrivals_clear(&arrivals);
    for (uint32_t s = 0; ends && s < trace->owned_count; s++)
        free(ends[s]);
    free(ends);
    if (status != STATUS_OK)
        recorded_clear(recorded);
    return status;
}

void recorded_clear(struct recorded *recorded)
{
    for (uint32_t s = 0; recorded->streams && s < recorded->trace->owned_count; s++) {
        free(recorded->streams[s].messages);
        free(recorded->streams[s].modes);
        free(recorded->streams[s].collectives);
        free(recorded->streams[s].syncs);
        free(recorded->streams[s].probes.items);
    }
    free(recorded->streams);
    platform_close(&recorded->platform);
    memset(recorded, 0, sizeof *recorded);
}
