/* Enter, Leave, ProgramBegin, ProgramEnd: the call stack and the call paths. */
#include "trace/load/load_builder.h"

#include <stdio.h>
#include <string.h>

static uint32_t child_path(struct stream_builder *b, uint32_t region)
{
    uint32_t parent = b->stack.count ? b->stack.items[b->stack.count - 1].path : CALLPATH_NONE;
    uint64_t key = (uint64_t)parent << 32 | region;
    uint32_t slot = (parent * 0x9E3779B1u ^ region * 0x85EBCA6Bu) >> 16 & (CHILD_CACHE - 1);
    if (__builtin_expect(b->child_cache[slot].key != key, 0)) {
        uint32_t path = calltree_child(b->source->calltree, parent, region);
        if (path == CALLPATH_NONE)
            return CALLPATH_NONE;
        b->child_cache[slot].key = key;
        b->child_cache[slot].path = path;
    }
    return b->child_cache[slot].path;
}

static OTF2_CallbackCode open_region(struct stream_builder *b, uint64_t time, enum event_kind kind,
                                     uint32_t region)
{
    uint32_t path = child_path(b, region);
    if (path == CALLPATH_NONE || !stream_builder_append(b, time, kind, path) ||
        !array_push(&b->stack, ((struct region_frame){b->count - 1, path, region})))
        return stream_builder_out_of_memory(b);
    return OTF2_CALLBACK_SUCCESS;
}

/* True if the next call belongs to the same round of a polling loop as the previous calls with
 * tests left out: since the visits that stand for the tests there have only been such calls. */
static bool polls_go_on(const struct stream_builder *b)
{
    uint32_t calls = 0;
    if (b->polls.calls == 0)
        return false;
    for (uint32_t row = b->polls.behind; row < b->count; row++) {
        const uint8_t kind = b->kind[row];
        calls += kind == EVENT_ENTER;
        if (calls > b->polls.calls || (kind != EVENT_ENTER && kind != EVENT_LEAVE &&
                                       kind != EVENT_REQUEST_TEST && kind != EVENT_RMA_SYNC))
            return false;
    }
    return calls == b->polls.calls && b->kind[b->count - 1] == EVENT_LEAVE;
}

/* Makes room for three rows after the visits that stand for the tests of the round's first calls.
 * The rows of these calls move. */
static bool move_polls(struct stream_builder *b)
{
    const uint32_t row = b->polls.behind, moved = b->count - row;
    for (int i = 0; i < 3; i++)
        if (!stream_builder_append(b, b->time[b->count - 1], EVENT_OTHER, 0))
            return false;
    memmove(b->time + row + 3, b->time + row, moved * sizeof *b->time);
    memmove(b->kind + row + 3, b->kind + row, moved * sizeof *b->kind);
    memmove(b->arg + row + 3, b->arg + row, moved * sizeof *b->arg);
    for (uint32_t i = row + 3; i < b->count; i++)
        if (b->kind[i] == EVENT_LEAVE && b->arg[i] >= row)
            b->arg[i] += 3;
    for (size_t i = b->rma_syncs.count; i-- > 0 && b->rma_syncs.items[i].row >= row;)
        b->rma_syncs.items[i].row += 3;
    return true;
}

/* The time at which a visit that stands for tests begins. The first visit of a round begins where
 * the first test did if all tests were evenly spaced; the visits for further calls of the round
 * follow. If there are further calls, all begin at the same time, because there may be no time
 * between them. */
static uint64_t place_polls(struct stream_builder *b, uint64_t time, uint64_t polls,
                            uint64_t *ticks)
{
    const bool first = b->polls.behind == b->polls.first;
    const uint64_t delay = first ? 0 : b->time[b->polls.first] - b->polls.before;
    for (uint32_t row = b->polls.first; row < b->polls.behind; row++)
        b->time[row] -= delay;
    const uint64_t begin = first ? b->polls.before : b->time[b->polls.behind - 1];
    const uint64_t all = time > begin ? time - begin : 0;
    if (*ticks > all)
        *ticks = all;
    return first ? begin + (all - *ticks) / (polls + 1) : begin;
}

/* If failed tests were left out (src/measure/recorder/polls.h), adds a visit that stands for them
 * before the last round of tests. The time between the visits counts as computation. */
static bool note_polls(struct stream_builder *b, uint64_t time, uint32_t path,
                       const OTF2_AttributeList *attributes)
{
    const uint64_t polls = stream_builder_attribute(b, attributes, SILAS_ATTRIBUTE_POLLS, 0);
    uint64_t ticks = stream_builder_attribute(b, attributes, SILAS_ATTRIBUTE_POLLS_TIME, 0);
    if (polls == 0 || b->count == 0)
        return true;
    const bool goes_on = polls_go_on(b);
    if (!goes_on) {
        b->polls.calls = 0;
        b->polls.first = b->polls.behind = b->count;
        b->polls.before = b->time[b->count - 1];
    }
    if (!move_polls(b))
        return false;
    const uint32_t row = b->polls.behind;
    const uint64_t begin = place_polls(b, goes_on ? b->time[row + 3] : time, polls, &ticks);
    const uint8_t kinds[] = {EVENT_ENTER, EVENT_POLLS, EVENT_LEAVE};
    const uint32_t arguments[] = {path, (uint32_t)polls, row};
    for (uint32_t i = 0; i < 3; i++) {
        b->time[row + i] = begin + (i > 0 ? ticks : 0);
        b->kind[row + i] = kinds[i];
        b->arg[row + i] = arguments[i];
    }
    b->added_rows += 3;
    b->polls.behind += 3;
    b->polls.calls++;
    return true;
}

OTF2_CallbackCode load_enter(COMMON_ARGUMENTS, OTF2_RegionRef region)
{
    COMMON_UNUSED;
    uint32_t index = id_map_get(&b->source->ids->regions, region);
    if (index == INDEX_NONE)
        return stream_builder_fail(b, EVENT_ENTER, time,
                                   "the region is not defined in this archive");
    if (stream_builder_has_attributes(b, attributes)) {
        const uint32_t path = child_path(b, index);
        if (path == CALLPATH_NONE || !note_polls(b, time, path, attributes))
            return stream_builder_out_of_memory(b);
    }
    return open_region(b, time, EVENT_ENTER, index);
}

static uint32_t open_region_at(const struct stream_builder *b, size_t depth)
{
    return b->stack.items[depth].region;
}

static OTF2_CallbackCode close_top(struct stream_builder *b, uint64_t time)
{
    uint32_t enter = b->stack.items[b->stack.count - 1].enter;
    if (b->open_collective != INDEX_NONE && b->collectives.items[b->open_collective].begin > enter)
        stream_builder_drop_collective(b, EVENT_LEAVE, time);
    b->stack.count--;
    return CHECK_APPEND(b, time, EVENT_LEAVE, enter);
}

/* True for a Leave whose region was closed already, because an outer region was left first. */
static bool was_forced(struct stream_builder *b, uint32_t region)
{
    for (size_t i = b->forced.count; i-- > 0;)
        if (b->forced.items[i] == region) {
            b->forced.items[i] = b->forced.items[--b->forced.count];
            return true;
        }
    return false;
}

static OTF2_CallbackCode leave_out(struct stream_builder *b, enum event_kind kind, uint64_t time)
{
    stream_builder_irregular(b, IRREGULAR_LEAVE, kind, time);
    b->cut_off++;
    return OTF2_CALLBACK_SUCCESS;
}

/* Enters and leaves may not be nested (end of traces of EZTrace, manual regions). Leaving a region
 * also leaves the regions inside it. */
static OTF2_CallbackCode leave_outer(struct stream_builder *b, uint64_t time, uint32_t region)
{
    size_t depth = b->stack.count;
    while (depth > 0 && open_region_at(b, depth - 1) != region)
        depth--;
    if (depth == 0) {
        if (was_forced(b, region))
            return OTF2_CALLBACK_SUCCESS;
        return leave_out(b, EVENT_LEAVE, time);
    }
    OTF2_CallbackCode code = OTF2_CALLBACK_SUCCESS;
    while (b->stack.count > depth && code == OTF2_CALLBACK_SUCCESS) {
        b->forced_count++;
        if (!array_push(&b->forced, open_region_at(b, b->stack.count - 1)))
            return stream_builder_out_of_memory(b);
        code = close_top(b, time);
    }
    return code == OTF2_CALLBACK_SUCCESS ? close_top(b, time) : code;
}

/* Adds a row MATCHED if the region is a matched probe that has found a message. */
static bool note_matched(struct stream_builder *b, uint64_t time,
                         const OTF2_AttributeList *attributes)
{
    uint64_t probe = stream_builder_attribute(b, attributes, SILAS_ATTRIBUTE_PROBE, 0);
    if (probe == 0)
        return true;
    b->added_rows++;
    return stream_builder_begin(b, true, probe, b->count) &&
           stream_builder_append(b, time, EVENT_MATCHED, INDEX_NONE);
}

/* Adds a row POLLS if the visit stands for tests that were left out, as saved by SILAS. */
static bool note_saved_polls(struct stream_builder *b, uint64_t time,
                             const OTF2_AttributeList *attributes)
{
    const uint64_t polls = stream_builder_attribute(b, attributes, SILAS_ATTRIBUTE_POLLS, 0);
    if (polls == 0 || b->stack.count == 0 ||
        b->stack.items[b->stack.count - 1].enter != b->count - 1)
        return true;
    b->added_rows++;
    return stream_builder_append(b, time, EVENT_POLLS, (uint32_t)polls);
}

OTF2_CallbackCode load_leave(COMMON_ARGUMENTS, OTF2_RegionRef region)
{
    COMMON_UNUSED;
    uint32_t index = id_map_get(&b->source->ids->regions, region);
    if (stream_builder_has_attributes(b, attributes) &&
        (!note_matched(b, time, attributes) || !note_saved_polls(b, time, attributes)))
        return stream_builder_out_of_memory(b);
    if (index == INDEX_NONE)
        return stream_builder_fail(b, EVENT_LEAVE, time,
                                   "the region is not defined in this archive");
    if (b->stack.count == 0 || open_region_at(b, b->stack.count - 1) != index)
        return leave_outer(b, time, index);
    return close_top(b, time);
}

/* Archives call the region "PROGRAM" or "PROGRAM ARGUMENTS". */
static bool names_program(const struct region *region, const char *program)
{
    size_t length = strlen(program);
    return region->role == OTF2_REGION_ROLE_ARTIFICIAL &&
           (region->paradigm == OTF2_PARADIGM_MEASUREMENT_SYSTEM ||
            region->paradigm == OTF2_PARADIGM_USER) &&
           strncmp(region->canonical, program, length) == 0 &&
           (region->canonical[length] == '\0' || region->canonical[length] == ' ');
}

uint32_t load_program_region(const struct definitions *d, const char *program)
{
    uint32_t r = 0;
    while (r < d->region_count && !names_program(&d->regions[r], program))
        r++;
    return r < d->region_count ? r : INDEX_NONE;
}

OTF2_CallbackCode load_program_begin(COMMON_ARGUMENTS, OTF2_StringRef name, uint32_t count,
                                     const OTF2_StringRef *arguments)
{
    COMMON_UNUSED;
    (void)count;
    (void)arguments;
    uint32_t index = id_map_get(&b->source->ids->strings, name);
    if (index == INDEX_NONE)
        return stream_builder_fail(b, EVENT_PROGRAM_BEGIN, time,
                                   "the program's name is not defined");
    uint32_t region =
        load_program_region(b->source->definitions, b->source->ids->string_texts[index]);
    return open_region(b, time, EVENT_PROGRAM_BEGIN,
                       region == INDEX_NONE ? REGION_PROGRAM_BIT | index : region);
}

OTF2_CallbackCode load_program_end(COMMON_ARGUMENTS, int64_t exit_status)
{
    COMMON_UNUSED;
    (void)exit_status;
    if (b->stack.count == 0)
        return leave_out(b, EVENT_PROGRAM_END, time);
    while (b->stack.count > 1) { /* exit() does not leave the regions around it */
        uint32_t enter = b->stack.items[--b->stack.count].enter;
        if (!stream_builder_append(b, time, EVENT_LEAVE, enter))
            return stream_builder_out_of_memory(b);
    }
    return CHECK_APPEND(b, time, EVENT_PROGRAM_END, b->stack.items[--b->stack.count].enter);
}
enum status load_regions_close(struct stream_builder *b, uint32_t *closed)
{
    *closed = (uint32_t)b->stack.count + b->forced_count;
    if (b->open_collective != INDEX_NONE)
        stream_builder_drop_collective(b, EVENT_COLLECTIVE_BEGIN, b->time[b->count - 1]);
    while (b->stack.count) {
        uint32_t enter = b->stack.items[--b->stack.count].enter;
        bool program = b->kind[enter] == EVENT_PROGRAM_BEGIN;
        if (!stream_builder_append(b, b->time[b->count - 1],
                                   program ? EVENT_PROGRAM_END : EVENT_LEAVE, enter))
            return error_memory(b->error, "the events of the trace");
    }
    return STATUS_OK;
}

void load_regions_register(OTF2_EvtReaderCallbacks *on)
{
    OTF2_EvtReaderCallbacks_SetEnterCallback(on, load_enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(on, load_leave);
    OTF2_EvtReaderCallbacks_SetProgramBeginCallback(on, load_program_begin);
    OTF2_EvtReaderCallbacks_SetProgramEndCallback(on, load_program_end);
}
