#include "measure/reduce/reduce_private.h"

#include <math.h>

static void pass_time(struct stream *stream, int64_t time)
{
    if (stream->assumed > 0) {
        stream->computed += time - stream->before;
        stream->computes = true;
    }
    stream->before = time;
}

/* From now on the difference includes what such computation may have changed. */
static void apply_computation(struct stream *stream)
{
    struct difference before = stream->difference;
    if (stream->computes)
        stream->difference = difference_between(&before, -stream->computed, &before,
                                                DIFFERENCE_UNBOUNDED, &stream->naming);
    stream->computed = 0;
    stream->computes = false;
}

static void evaluate_record(struct stream *stream, const struct entry *entry)
{
    const struct record_slot *slot = entry->copies.items[0].slot;
    enum record_kind kind = slot_kind(slot);
    if (kind == RECORD_FLUSH)
        return;
    pass_time(stream, (int64_t)slot->first);
    const struct region_view *region =
        kind == RECORD_ENTER || kind == RECORD_LEAVE ? stream_region(stream, slot_id(slot)) : NULL;
    if (!region || !region->assumed)
        return;
    if (kind == RECORD_ENTER)
        stream->assumed++;
    else if (stream->assumed > 0)
        stream->assumed--;
}

/* False: not yet. */
static bool post(struct stream *stream, struct entry *entry)
{
    for (size_t i = 0; i < entry->copies.count; i++) {
        struct part *part = entry->copies.items[i].part;
        if (part && entry->copies.items[i].posts && !part->resolved) {
            if (!stream->parsed_all)
                return false;
            part->arrives = true; /* it never ends */
            if (part->operation)
                part->operation->keep = true;
            part_register(stream, part);
        }
    }
    pass_time(stream, entry->enter);
    apply_computation(stream);
    for (size_t i = 0; i < entry->copies.count; i++) {
        struct copy *copy = &entry->copies.items[i];
        if (copy->posts && copy->part)
            part_arrive(stream, copy->part, entry->enter, &stream->difference);
        if (copy->posts && copy->end) {
            copy->end->difference = stream->difference;
            copy->end->posted = true;
        }
    }
    entry->posted = true;
    return true;
}

static bool end_is_ready(const struct reduction *reduction, const struct end *end)
{
    const struct end *partner = end->partner, *send = end->sends ? end : partner;
    if (!send || !send_mode_known(reduction, send))
        return false;
    if (end->sends && !send_is_synchronous(reduction, send))
        return true;
    return partner && partner->posted;
}

static bool is_ready(struct stream *stream, const struct entry *entry)
{
    for (size_t i = 0; i < entry->copies.count; i++) {
        const struct copy *copy = &entry->copies.items[i];
        if (copy->waits && copy->end && !end_is_ready(stream->reduction, copy->end))
            return false;
        if (copy->waits && copy->part && !part_is_ready(stream, copy->part))
            return false;
    }
    return true;
}

static void add_arrival(struct reduction *reduction, const struct entry *entry, size_t copy,
                        const struct difference *difference, int64_t time)
{
    struct arrival arrival = {.difference = *difference,
                              .time = time < entry->leave ? time : entry->leave,
                              .index = (uint32_t)copy};
    if (!array_push(&reduction->arrivals, arrival))
        reduction_no_memory(reduction);
}

/* When a message arrives, by LogGPS (replay/costs/transfer.c). */
static int64_t arrival_time(const struct reduction *reduction, const struct end *send)
{
    const struct run_machine *machine = &reduction->assumptions->machine;
    double seconds = machine->latency;
    if (!send_is_synchronous(reduction, send) && send->bytes > 0)
        seconds += (double)(send->bytes - 1) * machine->per_byte;
    return send->post + llround(seconds * reduction->ticks_per_second);
}

static void add_message(struct reduction *reduction, const struct entry *entry, size_t copy)
{
    const struct end *end = entry->copies.items[copy].end, *partner = end->partner;
    if (!end->sends)
        add_arrival(reduction, entry, copy, &partner->difference, arrival_time(reduction, partner));
    else if (send_is_synchronous(reduction, end))
        add_arrival(reduction, entry, copy, &partner->difference, partner->post);
}

/* The latest of the members up to this one. */
static void add_prefix(struct reduction *reduction, const struct entry *entry, size_t copy)
{
    const struct part *part = entry->copies.items[copy].part;
    struct arrival latest = {.time = INT64_MIN};
    for (uint32_t k = 0; k < part->source_count; k++) {
        const struct member_arrival *member = operation_arrival(part->operation, part->sources[k]);
        struct arrival both[] = {
            {.difference = member->difference, .time = member->time, .index = 1}, latest};
        latest.difference = difference_latest(both, k > 0 ? 2 : 1, &reduction->naming);
        latest.time = both[0].time;
    }
    add_arrival(reduction, entry, copy, &latest.difference, latest.time);
}

static void add_operation(struct reduction *reduction, const struct entry *entry, size_t copy)
{
    const struct part *part = entry->copies.items[copy].part;
    const struct operation *operation = part->operation;
    if (part->nothing || !part->waits || (part->sources && part->source_count == 0))
        return;
    if (part->scans)
        add_prefix(reduction, entry, copy);
    for (uint32_t k = 0; part->sources && !part->scans && k < part->source_count; k++) {
        const struct member_arrival *arrival = operation_arrival(operation, part->sources[k]);
        add_arrival(reduction, entry, copy, &arrival->difference, arrival->time);
    }
    if (part->sources || operation->arrivals.count == 0)
        return;
    if (operation->from_root) /* the root alone arrives */
        add_arrival(reduction, entry, copy, &operation->arrivals.items[0].difference,
                    operation->arrivals.items[0].time);
    else
        add_arrival(reduction, entry, copy, &operation->latest, operation->latest_time);
}

/* The call's waits are over; `needed` is set where an arrival is not needless. */
static void finish_waits(struct entry *entry)
{
    for (size_t i = 0; i < entry->copies.count; i++) {
        struct copy *copy = &entry->copies.items[i];
        if (copy->waits && copy->end)
            copy->end->done = true;
        if (copy->waits && copy->part && copy->part->operation)
            copy->part->operation->done++;
    }
    entry->evaluated = true;
}

static void mark_needed(struct reduction *reduction, struct entry *entry, bool all)
{
    for (size_t i = 0; i < reduction->arrivals.count; i++) {
        const struct arrival *arrival = &reduction->arrivals.items[i];
        struct copy *copy = &entry->copies.items[arrival->index];
        if (arrival->needless && !all)
            continue;
        if (copy->end)
            copy->end->needed = true;
        else
            copy->part->operation->needed = true;
    }
}

/* Equation of doc/methods.md, section 4: the call takes a fixed time after its last arrival. */
static void end_waits(struct stream *stream, struct entry *entry)
{
    struct reduction *reduction = stream->reduction;
    int64_t last = entry->enter;
    reduction->arrivals.count = 0;
    for (size_t i = 0; i < entry->copies.count && !reduction->status; i++) {
        const struct copy *copy = &entry->copies.items[i];
        if (copy->waits && copy->end)
            add_message(reduction, entry, i);
        if (copy->waits && copy->part)
            add_operation(reduction, entry, i);
    }
    size_t count = reduction->arrivals.count;
    for (size_t i = 0; i < count; i++)
        if (reduction->arrivals.items[i].time > last)
            last = reduction->arrivals.items[i].time;
    int64_t length = last - entry->enter;
    bool may_shrink = length > 0 && length >= reduction->least_wait;
    struct difference entered = stream->difference;
    if (count > 0)
        stream->difference = difference_after(&entered, entry->enter, reduction->arrivals.items,
                                              count, &stream->naming);
    mark_needed(reduction, entry, may_shrink);
    if (may_shrink) {
        struct difference after = stream->difference;
        stream->difference = difference_between(&entered, -length, &after, 0, &stream->naming);
    }
    finish_waits(entry);
}

/* False: it cannot be evaluated yet. */
static bool evaluate_call(struct stream *stream, struct entry *entry)
{
    bool communicates = mpi_class_communicates((enum mpi_class)entry->class) || entry->unknown;
    if (!communicates) { /* computation */
        pass_time(stream, entry->leave);
        entry->evaluated = true;
        return true;
    }
    if (!entry->posted && !post(stream, entry))
        return false;
    if (entry->unknown) {
        stream->difference = difference_unknown(&stream->naming);
        finish_waits(entry);
    } else if (is_ready(stream, entry)) {
        end_waits(stream, entry);
    } else {
        return false;
    }
    stream->before = entry->leave;
    return true;
}

bool stream_evaluate(struct stream *stream)
{
    bool progress = false;
    for (;;) {
        struct entry *entry = stream->evaluated ? stream->evaluated->next : stream->first;
        if (!entry || stream->reduction->status)
            return progress;
        if (entry->class == MPI_CLASS_NONE) {
            evaluate_record(stream, entry);
            entry->evaluated = true;
        } else if (!evaluate_call(stream, entry)) {
            return progress;
        }
        stream->evaluated = entry;
        progress = true;
    }
}

void stream_give_up(struct stream *stream)
{
    for (struct entry *entry = stream->first; entry; entry = entry->next) {
        for (size_t i = 0; i < entry->copies.count; i++) {
            const struct copy *copy = &entry->copies.items[i];
            if (copy->end && (!entry->evaluated || end_fate(stream->reduction, copy->end) < 0))
                copy->end->keep = true;
            if (copy->part && copy->part->operation && part_fate(copy->part) < 0)
                copy->part->operation->keep = true;
        }
        if (!entry->evaluated)
            entry->stays = entry->evaluated = true;
        stream->evaluated = entry;
    }
}
