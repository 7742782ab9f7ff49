#include "config.h" /* pread */

#include "measure/reduce/reduce_private.h"

#include "reduce/rules/calls.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OUT_SEGMENT = 1 << 20 /* bytes */ };

static struct record_path out_path(const struct rank_stream *stream)
{
    return record_path_of_rank(stream->reduction->directory, stream->rank, "reduced");
}

static bool out_failed(struct rank_stream *stream)
{
    struct run_reduction *reduction = stream->reduction;
    if (!reduction->status)
        reduction->status = error_set(&reduction->error, STATUS_ENVIRONMENT, "cannot write %s: %s",
                                      out_path(stream).text, strerror(errno));
    return false;
}

bool rank_stream_open_output(struct rank_stream *stream)
{
    assert(!stream->out.file);
    static const char zeros[RECORD_HEADER_SIZE];
    struct folded_path program = {.parent = RECORD_NONE, .region = RECORD_NONE};
    stream->out = (struct out_file){.file = fopen(out_path(stream).text, "wbe")};
    if (!stream->out.file || fwrite(zeros, sizeof zeros, 1, stream->out.file) != 1)
        return out_failed(stream);
    return array_push(&stream->paths, program) || run_reduction_no_memory(stream->reduction);
}

/* Records do not cross the borders of segments. */
static void out_write(struct rank_stream *stream, const struct record_copy *copy)
{
    assert(copy->slots > 0 && copy->slots <= sizeof copy->slot / sizeof copy->slot[0]);
    static const struct record_slot none;
    const uint64_t slots = OUT_SEGMENT / sizeof none;
    struct out_file *out = &stream->out;
    if (out->in_segment + copy->slots > slots)
        for (; out->in_segment < slots; out->in_segment++)
            fwrite(&none, sizeof none, 1, out->file);
    if (out->in_segment == slots)
        out->in_segment = 0;
    struct record_slot own[sizeof copy->slot / sizeof copy->slot[0]];
    memcpy(own, copy->slot, sizeof own);
    own->first = copy->time;
    if (fwrite(own, sizeof none, copy->slots, out->file) != copy->slots)
        out_failed(stream);
    out->in_segment += copy->slots;
}

/* The call path of a region in the innermost visit. */
static uint32_t folded_path_of(struct rank_stream *stream, uint32_t region)
{
    uint32_t parent =
        stream->visits.count ? stream->visits.items[stream->visits.count - 1].path : 0;
    uint32_t *path =
        map_at(&stream->path_index, (uint64_t)parent << 32 | region, (uint32_t)stream->paths.count);
    struct folded_path added = {.parent = parent, .region = region};
    if (path && (*path < stream->paths.count || array_push(&stream->paths, added)))
        return *path;
    run_reduction_no_memory(stream->reduction);
    return 0;
}

static void count_metric(struct rank_stream *stream, uint32_t path, enum folded_metric metric,
                         int64_t value)
{
    stream->paths.items[path].values[metric] += value;
}

/* As patterns/volume.c counts: a receive where it completes, a nonblocking collective operation
 * where it begins. */
static void count_record(struct rank_stream *stream, uint32_t path, const struct record_copy *copy)
{
    const struct record_slot *slot = copy->slot;
    uint64_t first = slot[1].first, second = slot[1].second;
    switch (slot_kind(slot)) {
    case RECORD_SEND:
    case RECORD_ISEND:
        count_metric(stream, path, first ? FOLDED_COMMS_SEND : FOLDED_SYNCS_SEND, 1);
        count_metric(stream, path, FOLDED_BYTES_SENT, (int64_t)first);
        break;
    case RECORD_RECV:
    case RECORD_IRECV:
        count_metric(stream, path, first ? FOLDED_COMMS_RECV : FOLDED_SYNCS_RECV, 1);
        count_metric(stream, path, FOLDED_BYTES_RCVD, (int64_t)first);
        break;
    case RECORD_NBC_REQUEST:
        if (copy->part)
            copy->part->path = path;
        break;
    case RECORD_COLLECTIVE_END:
    case RECORD_NBC_COMPLETE:
        if (slot_kind(slot) == RECORD_NBC_COMPLETE && copy->part)
            path = copy->part->path;
        count_metric(stream, path,
                     first ? (second ? FOLDED_COMMS_CXCH : FOLDED_COMMS_CSRC)
                           : (second ? FOLDED_COMMS_CDST : FOLDED_SYNCS_COLL),
                     1);
        count_metric(stream, path, FOLDED_BYTES_COUT, (int64_t)first);
        count_metric(stream, path, FOLDED_BYTES_CIN, (int64_t)second);
        break;
    default:
        break;
    }
}

/* Writes the open visits that were not written yet, because something in them stays. */
static void write_open_visits(struct rank_stream *stream)
{
    size_t i = stream->visits.count;
    while (i > 0 && !stream->visits.items[i - 1].written)
        i--;
    for (; i < stream->visits.count; i++) {
        out_write(stream, &stream->visits.items[i].enter);
        stream->visits.items[i].written = true;
    }
}

/* A visit within the innermost one has ended. */
static void add_to_parent(struct rank_stream *stream, int64_t length, bool written)
{
    if (stream->visits.count == 0) {
        if (!written)
            count_metric(stream, 0, FOLDED_TIME, -length);
        return;
    }
    struct open_visit *visit = &stream->visits.items[stream->visits.count - 1];
    visit->inner += length;
    visit->folded += written ? 0 : length;
}

/* The innermost visit ends. */
static void count_visit(struct rank_stream *stream, uint64_t end)
{
    struct open_visit visit = stream->visits.items[--stream->visits.count];
    int64_t length = (int64_t)(end - visit.enter.slot->first);
    if (visit.written) {
        count_metric(stream, visit.path, FOLDED_TIME, -visit.folded);
    } else {
        count_metric(stream, visit.path, FOLDED_VISITS, 1);
        count_metric(stream, visit.path, FOLDED_TIME, length - visit.inner);
    }
    add_to_parent(stream, length, visit.written);
}

static void leave_visit(struct rank_stream *stream, const struct record_copy *leave)
{
    const struct open_visit *visit = &stream->visits.items[stream->visits.count - 1];
    const struct region_view *region = rank_stream_region(stream, slot_id(visit->enter.slot));
    if (region && region->assumed && stream->assumed_visits > 0)
        stream->assumed_visits--;
    if (visit->written)
        out_write(stream, leave);
    count_visit(stream, leave->slot->first);
}

/* Whether everything stays at present, because its length matters or to separate tests. */
static bool all_stays(const struct rank_stream *stream)
{
    return stream->assumed_visits > 0 || stream->finalized || stream->separate ||
           stream->reduction->gives_up || stream->out.in_segment == 0;
}

static void emit_enter(struct rank_stream *stream, const struct record_copy *copy)
{
    struct open_visit visit = {.enter = *copy, .path = folded_path_of(stream, slot_id(copy->slot))};
    const struct region_view *region = rank_stream_region(stream, slot_id(copy->slot));
    stream->assumed_visits += region && region->assumed;
    bool stays = all_stays(stream);
    if (!array_push(&stream->visits, visit))
        run_reduction_no_memory(stream->reduction);
    else if (stays)
        write_open_visits(stream);
    stream->separate = false;
}

static void emit_record(struct rank_stream *stream, const struct record_copy *copy)
{
    enum record_kind kind = slot_kind(copy->slot);
    size_t at = stream->visits.count;
    if (kind == RECORD_ENTER) {
        emit_enter(stream, copy);
        return;
    }
    if (kind != RECORD_LEAVE) {
        write_open_visits(stream);
        out_write(stream, copy);
        return;
    }
    while (at > 0 && slot_id(stream->visits.items[at - 1].enter.slot) != slot_id(copy->slot))
        at--;
    if (at == 0)
        return; /* a leave without an enter, which the archive's writer also drops */
    while (stream->visits.count >= at) {
        struct record_copy leave = *copy; /* of a region that was left open */
        leave.slot->second = stream->visits.items[stream->visits.count - 1].enter.slot->second;
        leave.slot->second += RECORD_LEAVE - RECORD_ENTER;
        leave_visit(stream, stream->visits.count == at ? copy : &leave);
    }
}

/* 1: stays, 0: folds, -1: not decided yet. Records without message or operation stay with their
 * call; datatypes stay with the record after them. */
static int record_fate(const struct rank_stream *stream, const struct record_copy *copy)
{
    copy += slot_kind(copy->slot) == RECORD_TYPES;
    return copy->end    ? message_end_fate(stream->reduction, copy->end)
           : copy->part ? member_part_fate(copy->part)
                        : 1;
}

static bool is_bracket(const struct record_copy *copy)
{
    enum record_kind kind = slot_kind(copy->slot);
    return kind == RECORD_ENTER || kind == RECORD_LEAVE;
}

/* 1: a record of the call stays, 0: no record does, -1: not decided yet. */
static int call_fate(const struct rank_stream *stream, const struct stream_entry *entry)
{
    int stays = entry->stays || all_stays(stream);
    for (size_t i = 0; i < entry->copies.count; i++) {
        int own = record_fate(stream, &entry->copies.items[i]);
        if (own < 0)
            return -1;
        if (own > 0 && !is_bracket(&entry->copies.items[i]))
            stays = 1;
    }
    return stays;
}

static void emit_call(struct rank_stream *stream, const struct stream_entry *entry, bool stays)
{
    uint32_t path = folded_path_of(stream, entry->region);
    int64_t length = entry->leave - entry->enter;
    if (stays)
        write_open_visits(stream);
    for (size_t i = 0; i < entry->copies.count; i++) {
        const struct record_copy *copy = &entry->copies.items[i];
        if (stays && record_fate(stream, copy) == 1)
            out_write(stream, copy);
        else
            count_record(stream, path, copy);
    }
    if (!stays) {
        count_metric(stream, path, FOLDED_VISITS, 1);
        count_metric(stream, path, FOLDED_TIME, length);
    }
    add_to_parent(stream, length, stays);
    enum mpi_class class = (enum mpi_class)entry->class;
    if (stays)
        stream->separate = class_polls(class);
    stream->finalized |= class == MPI_CLASS_FINALIZE;
}

static void release_entry(struct rank_stream *stream, struct stream_entry *entry)
{
    assert(entry == stream->first);
    for (size_t i = 0; i < entry->copies.count; i++) {
        if (entry->copies.items[i].end)
            message_end_release(stream->reduction, entry->copies.items[i].end);
        if (entry->copies.items[i].part)
            member_part_release(stream->reduction, entry->copies.items[i].part);
    }
    stream->first = entry->next;
    if (stream->last == entry)
        stream->last = NULL;
    if (stream->evaluated == entry)
        stream->evaluated = NULL;
    stream->entries--;
    free(entry->copies.items);
    free(entry);
}

bool rank_stream_emit(struct rank_stream *stream)
{
    bool progress = false;
    while (stream->first && stream->first->evaluated && !stream->reduction->status) {
        struct stream_entry *entry = stream->first;
        int stays = 0;
        if (entry->class == MPI_CLASS_NONE)
            emit_record(stream, &entry->copies.items[0]);
        else if ((stays = call_fate(stream, entry)) < 0)
            break;
        else
            emit_call(stream, entry, stays);
        release_entry(stream, entry);
        progress = true;
    }
    return progress;
}

void rank_stream_keep_first(struct rank_stream *stream)
{
    struct stream_entry *entry = stream->first;
    for (size_t i = 0; entry && i < entry->copies.count; i++) {
        struct record_copy *copy = &entry->copies.items[i];
        if (record_fate(stream, copy) >= 0)
            continue;
        if (copy->end)
            copy->end->keep = true;
        else if (copy->part)
            copy->part->operation->keep = true;
    }
}

static bool write_folded_profile(struct rank_stream *stream)
{
    struct folded_header header = {stream->events + 2, stream->paths.count}; /* and the program */
    const struct record_path path =
        record_path_of_rank(stream->reduction->directory, stream->rank, "folded");
    FILE *file = fopen(path.text, "wbe");
    if (!file)
        return out_failed(stream);
    fwrite(&header, sizeof header, 1, file);
    fwrite(stream->paths.items, sizeof stream->paths.items[0], stream->paths.count, file);
    return !(ferror(file) | fclose(file)) || out_failed(stream);
}

/* Copies the header again, because its last moment is newer; it gives the clock's rate. */
bool rank_stream_close_output(struct rank_stream *stream)
{
    FILE *file = stream->out.file;
    struct record_header header;
    if (!segment_reader_header(&stream->segments, &header))
        return out_failed(stream);
    header.segment_size = OUT_SEGMENT;
    bool written = fseek(file, 0, SEEK_SET) == 0 && fwrite(&header, sizeof header, 1, file) == 1;
    written = !(ferror(file) | fclose(file)) && written;
    stream->out.file = NULL;
    while (stream->visits.count > 0) /* regions that were not left */
        count_visit(stream, (uint64_t)stream->now);
    return written ? write_folded_profile(stream) : out_failed(stream);
}
