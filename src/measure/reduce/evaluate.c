/* The walk of equations/walk_template.h with differences, over records as they come. The steps of
 * an entry are made when it is their turn. Time that passes does not change a difference, and all
 * waits of a call are looked at together, at the call's end. A rank that waits is tried again
 * whenever more records have been read. */
#include "measure/reduce/reduce_private.h"

#include "equations/walk.h"

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

/* Whether it is known what the call posts. */
static bool posts_are_known(struct stream *stream, const struct entry *entry)
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
}

static bool communicates(const struct entry *entry)
{
    return mpi_class_communicates((enum mpi_class)entry->class) || entry->unknown;
}

/* An entry of a stream while it is evaluated. */
struct entry_walk {
    struct stream *stream;
    struct entry *entry;
};

static struct difference records_sum(const struct entry_walk *walk, const struct stream *stream,
                                     const struct step *step)
{
    (void)walk, (void)step;
    return stream->difference;
}

static void records_post(const struct entry_walk *walk, const struct step *step,
                         struct difference value)
{
    struct end *end = walk->entry->copies.items[step->slot].end;
    end->difference = value;
    end->posted = true;
}

static const struct difference *records_slot(const struct entry_walk *walk, uint32_t copy)
{
    const struct end *end = walk->entry->copies.items[copy].end;
    return end_is_ready(walk->stream->reduction, end) ? &end->difference : NULL;
}

static void records_wait_for_slot(const struct entry_walk *walk, const struct stream *stream,
                                  uint32_t copy)
{
    (void)walk, (void)stream, (void)copy;
}

static void records_arrive(const struct entry_walk *walk, struct stream *stream, uint32_t copy,
                           struct difference value)
{
    part_arrive(stream, walk->entry->copies.items[copy].part, walk->entry->enter, &value);
}

static const struct difference *records_instance(const struct entry_walk *walk, uint32_t copy)
{
    return part_is_ready(walk->stream, walk->entry->copies.items[copy].part)
               ? &walk->stream->difference
               : NULL;
}

static void records_wait_for_instance(const struct entry_walk *walk, const struct stream *stream,
                                      uint32_t copy)
{
    (void)walk, (void)stream, (void)copy;
}

/* An entry begins: computation before it may have changed the difference. */
static void records_assume(const struct entry_walk *walk, struct stream *stream,
                           const struct step *step)
{
    const struct entry *entry = walk->entry;
    (void)step;
    if (entry->class == MPI_CLASS_NONE) {
        evaluate_record(stream, entry);
    } else if (communicates(entry)) {
        pass_time(stream, entry->enter);
        apply_computation(stream);
    }
}

static void records_end(const struct entry_walk *walk, struct stream *stream,
                        const struct step *step)
{
    struct entry *entry = walk->entry;
    (void)step;
    entry->evaluated = true;
    if (entry->class == MPI_CLASS_NONE)
        return;
    if (!communicates(entry)) { /* computation */
        pass_time(stream, entry->leave);
        return;
    }
    if (entry->unknown)
        stream->difference = difference_unknown(&stream->naming);
    else
        end_waits(stream, entry);
    finish_waits(entry);
    stream->before = entry->leave;
}

#define WALK(name) records_##name
#define WALK_STATE const struct entry_walk
#define WALK_RANK  struct stream
#define WALK_VALUE struct difference
#define WALK_TOGETHER
#define WALK_STEPS (WALK_SLOTS | WALK_INSTANCES | WALK_ASSUMPTIONS)
#include "equations/walk_template.h"

/* Step number `number` of an entry: its beginning, what each of its records posts, what each of
 * them waits for, its end. Slots and instances are numbers of records in the entry. */
static struct step step_of(const struct entry *entry, size_t number)
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
    const struct copy *copy = &entry->copies.items[step.slot];
    if (posts && copy->posts)
        step.code = copy->end ? STEP_POST : copy->part ? STEP_ARRIVE : STEP_SKIPPED;
    else if (!posts && copy->waits && !entry->unknown)
        step.code = copy->end ? STEP_WAIT : copy->part ? STEP_AWAIT : STEP_SKIPPED;
    return step;
}

/* Continues with the entry at which the stream is. False: it has to wait. */
static bool evaluate_entry(struct stream *stream, struct entry *entry)
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

bool stream_evaluate(struct stream *stream)
{
    bool progress = false;
    for (;;) {
        struct entry *entry = stream->evaluated ? stream->evaluated->next : stream->first;
        if (!entry || stream->reduction->status)
            return progress;
        if (!evaluate_entry(stream, entry))
            return progress;
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
    stream->step = 0;
}
