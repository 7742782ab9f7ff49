/* Walks over the records as they come with differences, by equations/walk_template.h. The steps of
 * an entry are made when they are needed. Time that passes does not change a difference, and all
 * waits of a call are evaluated together, at the call's end. A rank that has to wait is tried again
 * when more records have been read. */
#include "measure/reduce/reduce_private.h"

#include "equations/walk.h"

#include <assert.h>
#include <math.h>

static void pass_time(struct rank_stream *stream, int64_t time)
{
    if (stream->assumed > 0) {
        stream->computed += time - stream->before;
        stream->computes = true;
    }
    stream->before = time;
}

/* Uses up the use of `moment`. */
static void set_moment(struct rank_stream *stream, uint32_t moment)
{
    moments_release(stream->reduction->moments, stream->moment);
    stream->moment = moment;
}

/* From now on the difference includes what such computation may have changed. */
static void apply_computation(struct rank_stream *stream)
{
    const uint32_t before = stream->moment;
    if (stream->computes)
        set_moment(stream, moments_between(stream->reduction->moments, stream->rank, before,
                                           -stream->computed, before, DIFFERENCE_UNBOUNDED));
    stream->computed = 0;
    stream->computes = false;
}

static void evaluate_record(struct rank_stream *stream, const struct stream_entry *entry)
{
    const struct record_slot *slot = entry->copies.items[0].slot;
    enum record_kind kind = slot_kind(slot);
    if (kind == RECORD_FLUSH)
        return;
    pass_time(stream, (int64_t)slot->first);
    const struct region_view *region = kind == RECORD_ENTER || kind == RECORD_LEAVE
                                           ? rank_stream_region(stream, slot_id(slot))
                                           : NULL;
    if (!region || !region->assumed)
        return;
    if (kind == RECORD_ENTER)
        stream->assumed++;
    else if (stream->assumed > 0)
        stream->assumed--;
}

/* Whether all that the call posts has been read. */
static bool posts_are_known(struct rank_stream *stream, const struct stream_entry *entry)
{
    for (size_t i = 0; i < entry->copies.count; i++) {
        struct member_part *part = entry->copies.items[i].part;
        if (part && entry->copies.items[i].posts && !part->resolved) {
            if (!stream->parsed_all)
                return false;
            part->arrives = true; /* its end was not recorded */
            if (part->operation)
                part->operation->keep = true;
            member_part_register(stream, part);
        }
    }
    return true;
}

static bool end_is_ready(const struct run_reduction *reduction, const struct message_end *end)
{
    const struct message_end *partner = end->partner, *send = end->sends ? end : partner;
    if (!send || !message_end_mode_known(reduction, send))
        return false;
    if (end->sends && !message_end_is_synchronous(reduction, send))
        return true;
    return partner && partner->posted;
}

static void add_arrival(struct run_reduction *reduction, const struct stream_entry *entry,
                        size_t copy, uint32_t moment, int64_t time)
{
    struct moment_arrival arrival = {.moment = moment,
                                     .time = time < entry->leave ? time : entry->leave,
                                     .index = (uint32_t)copy};
    if (!array_push(&reduction->arrivals, arrival))
        run_reduction_no_memory(reduction);
}

/* When a message arrives, by LogGPS (replay/costs/transfer.c). */
static int64_t arrival_time(const struct run_reduction *reduction, const struct message_end *send)
{
    const struct run_distance *distance = message_end_distance(reduction, send);
    double seconds = distance->latency;
    if (!message_end_is_synchronous(reduction, send) && send->bytes > 0)
        seconds += (double)(send->bytes - 1) * distance->per_byte;
    return send->post + llround(seconds * reduction->ticks_per_second);
}

static void add_message_arrival(struct run_reduction *reduction, const struct stream_entry *entry,
                                size_t copy)
{
    const struct message_end *end = entry->copies.items[copy].end, *partner = end->partner;
    if (!end->sends)
        add_arrival(reduction, entry, copy, partner->moment, arrival_time(reduction, partner));
    else if (message_end_is_synchronous(reduction, end))
        add_arrival(reduction, entry, copy, partner->moment, partner->post);
}

/* The latest of the members up to this one; the caller is the user of its moment. */
static struct moment_arrival latest_prefix(const struct run_reduction *reduction,
                                           const struct member_part *part)
{
    struct moment_arrival latest = {.time = INT64_MIN};
    for (uint32_t k = 0; k < part->source_count; k++) {
        const struct member_arrival *member =
            run_operation_arrival(part->operation, part->sources[k]);
        struct moment_arrival both[] = {
            {.moment = member->moment, .time = member->time, .index = 1}, latest};
        const uint32_t moment =
            moments_latest(reduction->moments, reduction->size, both, k > 0 ? 2 : 1);
        if (k > 0)
            moments_release(reduction->moments, latest.moment);
        latest.moment = moment;
        latest.time = member->time > latest.time ? member->time : latest.time;
    }
    return latest;
}

static void add_operation_arrivals(struct run_reduction *reduction,
                                   const struct stream_entry *entry, size_t copy)
{
    const struct member_part *part = entry->copies.items[copy].part;
    const struct run_operation *operation = part->operation;
    if (part->nothing || !part->waits || (part->sources && part->source_count == 0))
        return;
    if (part->scans) {
        const struct moment_arrival latest = latest_prefix(reduction, part);
        add_arrival(reduction, entry, copy, latest.moment, latest.time);
    }
    for (uint32_t k = 0; part->sources && !part->scans && k < part->source_count; k++) {
        const struct member_arrival *arrival = run_operation_arrival(operation, part->sources[k]);
        add_arrival(reduction, entry, copy, arrival->moment, arrival->time);
    }
    if (part->sources || operation->arrivals.count == 0)
        return;
    if (operation->from_root) /* the root alone arrives */
        add_arrival(reduction, entry, copy, operation->arrivals.items[0].moment,
                    operation->arrivals.items[0].time);
    else
        add_arrival(reduction, entry, copy, operation->latest, operation->latest_time);
}

/* The call's waits are over; `needed` is set where an arrival is not needless. */
static void finish_waits(struct stream_entry *entry)
{
    for (size_t i = 0; i < entry->copies.count; i++) {
        struct record_copy *copy = &entry->copies.items[i];
        if (copy->waits && copy->end)
            copy->end->done = true;
        if (copy->waits && copy->part && copy->part->operation)
            copy->part->operation->done++;
    }
}

static void mark_needed_copies(const struct run_reduction *reduction, struct stream_entry *entry)
{
    for (size_t i = 0; i < reduction->arrivals.count; i++) {
        const struct moment_arrival *arrival = &reduction->arrivals.items[i];
        struct record_copy *copy = &entry->copies.items[arrival->index];
        if (arrival->needless)
            continue;
        if (copy->end)
            copy->end->needed = true;
        else
            copy->part->operation->needed = true;
    }
}

/* Releases the moments that only the arrivals of a call use: those of prefixes. */
static void release_prefixes(const struct run_reduction *reduction,
                             const struct stream_entry *entry)
{
    for (size_t i = 0; i < reduction->arrivals.count; i++) {
        const struct moment_arrival *arrival = &reduction->arrivals.items[i];
        const struct member_part *part = entry->copies.items[arrival->index].part;
        if (part && part->scans)
            moments_release(reduction->moments, arrival->moment);
    }
}

/* The call takes a fixed time after its last arrival (doc/methods.md, section 4). */
static void end_waits(struct rank_stream *stream, struct stream_entry *entry)
{
    struct run_reduction *reduction = stream->reduction;
    const struct entered_call call = {stream->moment, entry->enter, reduction->least_wait, true};
    reduction->arrivals.count = 0;
    for (size_t i = 0; i < entry->copies.count && !reduction->status; i++) {
        const struct record_copy *copy = &entry->copies.items[i];
        if (copy->waits && copy->end)
            add_message_arrival(reduction, entry, i);
        if (copy->waits && copy->part)
            add_operation_arrivals(reduction, entry, i);
    }
    set_moment(stream, moments_end_call(reduction->moments, stream->rank, &call,
                                        reduction->arrivals.items, reduction->arrivals.count));
    mark_needed_copies(reduction, entry);
    release_prefixes(reduction, entry);
}

static bool communicates(const struct stream_entry *entry)
{
    return mpi_class_communicates((enum mpi_class)entry->class) || entry->unknown;
}

/* An entry of a stream while it is evaluated. */
struct entry_walk {
    struct rank_stream *stream;
    struct stream_entry *entry;
};

static uint32_t records_sum(const struct entry_walk *walk, const struct rank_stream *stream,
                            const struct step *step)
{
    (void)step;
    return moments_use(walk->stream->reduction->moments, stream->moment);
}

static void records_post(const struct entry_walk *walk, const struct step *step, uint32_t value)
{
    struct message_end *end = walk->entry->copies.items[step->slot].end;
    if (end->posted)
        moments_release(walk->stream->reduction->moments, end->moment);
    end->moment = value;
    end->posted = true;
}

static const uint32_t *records_slot(const struct entry_walk *walk, uint32_t copy)
{
    const struct message_end *end = walk->entry->copies.items[copy].end;
    return end_is_ready(walk->stream->reduction, end) ? &end->moment : NULL;
}

static void records_wait_for_slot(const struct entry_walk *walk, const struct rank_stream *stream,
                                  uint32_t copy)
{
    (void)walk, (void)stream, (void)copy;
}

static void records_arrive(const struct entry_walk *walk, struct rank_stream *stream, uint32_t copy,
                           uint32_t value)
{
    member_part_arrive(stream, walk->entry->copies.items[copy].part, walk->entry->enter, value);
}

static const uint32_t *records_instance(const struct entry_walk *walk, uint32_t copy)
{
    return member_part_is_ready(walk->stream, walk->entry->copies.items[copy].part)
               ? &walk->stream->moment
               : NULL;
}

static void records_wait_for_instance(const struct entry_walk *walk,
                                      const struct rank_stream *stream, uint32_t copy)
{
    (void)walk, (void)stream, (void)copy;
}

/* An entry begins: computation before it may have changed the difference. */
static void records_assume(const struct entry_walk *walk, struct rank_stream *stream,
                           const struct step *step)
{
    const struct stream_entry *entry = walk->entry;
    (void)step;
    if (entry->class == MPI_CLASS_NONE) {
        evaluate_record(stream, entry);
    } else if (communicates(entry)) {
        pass_time(stream, entry->enter);
        apply_computation(stream);
    }
}

static void records_end(const struct entry_walk *walk, struct rank_stream *stream,
                        const struct step *step)
{
    struct stream_entry *entry = walk->entry;
    (void)step;
    entry->evaluated = true;
    if (entry->class == MPI_CLASS_NONE)
        return;
    if (!communicates(entry)) { /* computation */
        pass_time(stream, entry->leave);
        return;
    }
    if (entry->unknown)
        set_moment(stream, moments_unknown(stream->reduction->moments, stream->rank));
    else
        end_waits(stream, entry);
    finish_waits(entry);
    stream->before = entry->leave;
}

#define WALK(name) records_##name
#define WALK_STATE const struct entry_walk
#define WALK_RANK  struct rank_stream
#define WALK_VALUE uint32_t
#define WALK_TOGETHER
#define WALK_STEPS (WALK_SLOTS | WALK_INSTANCES | WALK_ASSUMPTIONS)
#include "equations/walk_template.h"

/* Step number `number` of an entry: its beginning, what each of its records posts, what each of
 * them waits for, its end. Slots and instances are numbers of records in the entry. */
static struct step step_of(const struct stream_entry *entry, size_t number)
{
    const size_t count = communicates(entry) ? entry->copies.count : 0;
    struct step step = {.code = STEP_FREE};
    if (number == 0)
        return step;
    step.code = number <= 2 * count ? STEP_SKIPPED : STEP_END;
    if (step.code == STEP_END)
        return step;
    const bool posts = number <= count;
    step.slot = (uint32_t)(posts ? number - 1 : number - 1 - count);
    const struct record_copy *copy = &entry->copies.items[step.slot];
    if (posts && copy->posts)
        step.code = copy->end ? STEP_POST : copy->part ? STEP_ARRIVE : STEP_SKIPPED;
    else if (!posts && copy->waits && !entry->unknown)
        step.code = copy->end ? STEP_WAIT : copy->part ? STEP_AWAIT : STEP_SKIPPED;
    return step;
}

/* Continues with the entry at which the stream is. False: it has to wait. */
static bool evaluate_entry(struct rank_stream *stream, struct stream_entry *entry)
{
    const struct entry_walk walk = {stream, entry};
    if (stream->step == 0 && communicates(entry) && !posts_are_known(stream, entry))
        return false;
    while (!entry->evaluated) {
        const struct step step = step_of(entry, stream->step);
        if (!records_step(&walk, stream, &step))
            return false;
        stream->step++;
    }
    stream->step = 0;
    return true;
}

bool rank_stream_evaluate(struct rank_stream *stream)
{
    bool progress = false;
    for (;;) {
        struct stream_entry *entry = stream->evaluated ? stream->evaluated->next : stream->first;
        if (!entry || stream->reduction->status)
            return progress;
        if (!evaluate_entry(stream, entry))
            return progress;
        if (moments_failure(stream->reduction->moments).no_memory)
            return run_reduction_no_memory(stream->reduction);
        stream->evaluated = entry;
        progress = true;
    }
}

void rank_stream_keep_rest(struct rank_stream *stream)
{
    assert(stream->reduction->gives_up);
    for (struct stream_entry *entry = stream->first; entry; entry = entry->next) {
        for (size_t i = 0; i < entry->copies.count; i++) {
            const struct record_copy *copy = &entry->copies.items[i];
            if (copy->end &&
                (!entry->evaluated || message_end_fate(stream->reduction, copy->end) < 0))
                copy->end->keep = true;
            if (copy->part && copy->part->operation && member_part_fate(copy->part) < 0)
                copy->part->operation->keep = true;
        }
        if (!entry->evaluated)
            entry->stays = entry->evaluated = true;
        stream->evaluated = entry;
    }
    stream->step = 0;
}
