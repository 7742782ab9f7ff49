/* A time line for Perfetto (https://ui.perfetto.dev, trace_processor): a sequence of packets, of
 * which those here describe tracks or are events on them (perfetto_packets.h).
 *
 *   rank         process, in the order of ranks; its pid is rank + 1, because 0 is the idle process
 *   location     thread of its rank
 *   visit        slice; names are written once for each location (interned), then numbers
 *   wait         slice in the call that waits, named after the kind of wait
 *   all waits    counter of the ranks that wait, at the top
 *   message      flow from the call that posts the send to the call that completes the receive
 *
 * Viewers take files of up to 2 GB. A time line that is longer gets several files, each with some
 * of the ranks over the whole time (struct rank_pieces).
 *
 * A flow leads from the earliest to the last event with its number. So it begins with the Enter of
 * the sending call and ends with the Leave of the receiving one, which a receiver may have entered
 * before the message was sent. */
#include "base/files.h"
#include "base/log.h"
#include "base/mpi/job_text.h"
#include "exchange/exports/format.h"
#include "exchange/exports/locations.h"
#include "exchange/exports/perfetto_packets.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct export_format export_perfetto;

/* X(identifier, name in the file), numbered from 1. */
#define CATEGORIES(X)     \
    X(PROGRAM, "program") \
    X(MPI, "mpi")         \
    X(WAIT, "wait")
#define ANNOTATIONS(X)                  \
    X(PARTNER, "partner")               \
    X(BYTES, "bytes")                   \
    X(TAG, "tag")                       \
    X(COMMUNICATOR, "communicator")     \
    X(MESSAGES, "messages")             \
    X(ROOT, "root")                     \
    X(BYTES_SENT, "bytes_sent")         \
    X(BYTES_RECEIVED, "bytes_received") \
    X(WAITS_FOR, "waits_for_rank")

#define NAME(identifier, name) name,
#define X(identifier, name)    CATEGORY_##identifier,
enum category { CATEGORY_NONE, CATEGORIES(X) CATEGORY_END };
#undef X
#define X(identifier, name) ANNOTATE_##identifier,
enum annotation { ANNOTATE_NOTHING, ANNOTATIONS(X) ANNOTATE_END };
#undef X
static const char *const categories[CATEGORY_END] = {NULL, CATEGORIES(NAME)};
static const char *const annotations[ANNOTATE_END] = {NULL, ANNOTATIONS(NAME)};
#undef NAME

struct perfetto_writer {
    const struct trace *trace;
    struct metric_waits waits;
    size_t next_wait;
    struct packet_numbers numbers;
    struct waiting_counter *counter; /* on process 0 */
    FILE *file;                      /* NULL: only the bytes are counted */
    uint32_t first_rank, last_rank;  /* that are written */
    int64_t *bytes;                  /* [rank]: NULL, or where they are counted */
    struct protobuf packets;
    bool *known; /* [region, then kind of wait]: the location has interned its name */
    /* Of the location that is written: */
    uint64_t track;
    uint32_t sequence;
    const struct metric_wait *wait; /* the slice of a wait is open */
};

/* Numbers of tracks, which are not 0. */
static uint64_t location_track(const struct perfetto_writer *writer, uint32_t location)
{
    return writer->numbers.tracks + location + 1;
}

static uint64_t process_track(const struct perfetto_writer *writer, uint32_t rank)
{
    return writer->numbers.tracks + (1ull << 32) + rank;
}

static uint32_t process_id(const struct perfetto_writer *writer, uint32_t rank)
{
    return writer->numbers.pids + rank + 1;
}

static size_t open_packet(struct perfetto_writer *writer, unsigned flags)
{
    return packet_open(&writer->packets, writer->sequence, flags);
}

static void write_process(struct perfetto_writer *writer, uint32_t rank)
{
    struct protobuf *packets = &writer->packets;
    char name[32];
    snprintf(name, sizeof name, "rank %u", rank);
    const size_t packet = open_packet(writer, CLEARED),
                 track = protobuf_open(packets, PACKET_TRACK);
    protobuf_varint(packets, TRACK_UUID, process_track(writer, rank));
    protobuf_varint(packets, TRACK_ORDER_RANK,
                    writer->numbers.first_order + (uint64_t)rank * writer->numbers.order_step);
    const size_t process = protobuf_open(packets, TRACK_PROCESS);
    protobuf_varint(packets, PROCESS_PID, process_id(writer, rank));
    packet_label(packets, PROCESS_NAME, name, &writer->numbers);
    protobuf_close(packets, process);
    protobuf_close(packets, track);
    protobuf_close(packets, packet);
}

/* A location's track, and the names that are always needed. The main thread of a process is the one
 * whose tid is the pid; the process has begun its sequence. */
static void write_location(struct perfetto_writer *writer, const struct stream *stream,
                           uint32_t thread)
{
    const struct trace *trace = writer->trace;
    const char *name = trace->definitions->locations[stream->location].name;
    struct protobuf *packets = &writer->packets;
    const bool is_main = stream->rank != INDEX_NONE && thread == 0;
    const size_t packet = open_packet(writer, is_main ? 0 : CLEARED);
    const size_t track = protobuf_open(packets, PACKET_TRACK);
    protobuf_varint(packets, TRACK_UUID, writer->track);
    if (stream->rank == INDEX_NONE) {
        packet_text(packets, TRACK_NAME, name);
    } else {
        protobuf_varint(packets, TRACK_PARENT, process_track(writer, stream->rank));
        protobuf_varint(packets, TRACK_ORDER_RANK, thread);
        const size_t about = protobuf_open(packets, TRACK_THREAD);
        protobuf_varint(packets, THREAD_PID, process_id(writer, stream->rank));
        protobuf_varint(packets, THREAD_TID,
                        is_main ? process_id(writer, stream->rank)
                                : writer->numbers.tids + stream->location + 1);
        packet_text(packets, THREAD_NAME, name);
        protobuf_close(packets, about);
    }
    protobuf_close(packets, track);
    const size_t interned = protobuf_open(packets, PACKET_INTERNED);
    for (unsigned i = 1; i < CATEGORY_END; i++)
        packet_intern(packets, INTERNED_CATEGORY, i, categories[i]);
    for (unsigned i = 1; i < ANNOTATE_END; i++)
        packet_intern(packets, INTERNED_ANNOTATION, i, annotations[i]);
    protobuf_close(packets, interned);
    protobuf_close(packets, packet);
}

static void annotate(struct protobuf *packets, enum annotation name, uint64_t value)
{
    const size_t annotation = protobuf_open(packets, EVENT_ANNOTATION);
    protobuf_varint(packets, ANNOTATION_NAME_IID, name);
    protobuf_varint(packets, ANNOTATION_NUMBER, value);
    protobuf_close(packets, annotation);
}

static void annotate_comm(const struct perfetto_writer *writer, struct protobuf *packets,
                          uint32_t comm)
{
    const size_t annotation = protobuf_open(packets, EVENT_ANNOTATION);
    protobuf_varint(packets, ANNOTATION_NAME_IID, ANNOTATE_COMMUNICATOR);
    packet_text(packets, ANNOTATION_TEXT, comm_name(writer->trace->definitions, comm));
    protobuf_close(packets, annotation);
}

/* The number of a message's flow: the process id of the sender, and the message's index there. */
static uint64_t flow_number(const struct perfetto_writer *writer, uint32_t sender, uint32_t message)
{
    return (uint64_t)process_id(writer, sender) << 32 | message;
}

/* True if the row is about a message: its posting, or that of a receive, or a completed receive. */
static bool is_about_message(uint8_t kind)
{
    return kind == EVENT_SEND || kind == EVENT_ISEND || kind == EVENT_RECV ||
           kind == EVENT_IRECV_REQUEST || kind == EVENT_IRECV;
}

/* The flows of the messages that the visit sends (`sends`), or else has received. */
static void put_flows(struct perfetto_writer *writer, const struct stream *stream, uint32_t enter,
                      bool sends)
{
    struct protobuf *packets = &writer->packets;
    const uint32_t end = export_records_end(stream, enter);
    for (uint32_t row = enter + 1; row < end; row++) {
        const uint8_t kind = stream->kind[row];
        if (!is_about_message(kind) || kind == EVENT_IRECV_REQUEST ||
            sends != (kind == EVENT_SEND || kind == EVENT_ISEND))
            continue;
        const uint32_t index = stream->arg[row];
        const struct message *message = &stream->messages[index];
        if (!message_takes_part(message))
            continue;
        if (sends)
            protobuf_fixed64(packets, EVENT_FLOW, flow_number(writer, stream->rank, index));
        else
            protobuf_fixed64(packets, EVENT_LAST_OF_FLOW,
                             flow_number(writer, message->partner_rank, message->partner));
    }
}

static void annotate_messages(const struct perfetto_writer *writer, struct protobuf *packets,
                              const struct stream *stream, uint32_t enter, uint32_t end)
{
    const struct message *last = NULL;
    uint64_t count = 0, bytes = 0;
    for (uint32_t row = enter + 1; row < end; row++)
        if (is_about_message(stream->kind[row])) {
            last = &stream->messages[stream->arg[row]];
            bytes += last->bytes;
            count++;
        }
    if (count == 0)
        return;
    if (count > 1) {
        annotate(packets, ANNOTATE_MESSAGES, count);
    } else {
        if (last->partner_rank != INDEX_NONE)
            annotate(packets, ANNOTATE_PARTNER, last->partner_rank);
        annotate(packets, ANNOTATE_TAG, last->tag);
        annotate_comm(writer, packets, last->comm);
    }
    annotate(packets, ANNOTATE_BYTES, bytes);
}

static void annotate_collective(const struct perfetto_writer *writer, struct protobuf *packets,
                                const struct stream *stream, uint32_t row)
{
    const struct collective *collective = &stream->collectives[stream->arg[row]];
    const struct definitions *definitions = writer->trace->definitions;
    annotate_comm(writer, packets, collective->comm);
    if (collective->root < ROOT_THIS_GROUP)
        annotate(packets, ANNOTATE_ROOT,
                 comm_world_rank(definitions, collective->comm, stream->rank, collective->root));
    annotate(packets, ANNOTATE_BYTES_SENT, collective->sent);
    annotate(packets, ANNOTATE_BYTES_RECEIVED, collective->received);
}

static void annotate_call(const struct perfetto_writer *writer, struct protobuf *packets,
                          const struct stream *stream, uint32_t enter)
{
    const uint32_t end = export_records_end(stream, enter);
    annotate_messages(writer, packets, stream, enter, end);
    for (uint32_t row = enter + 1; row < end; row++)
        if (stream->kind[row] == EVENT_COLLECTIVE_BEGIN || stream->kind[row] == EVENT_NBC_REQUEST) {
            annotate_collective(writer, packets, stream, row);
            break;
        }
}

/* A packet with an event that is still open; close_event ends both. */
struct open_event {
    size_t packet, event;
};

/* `name`: of a slice that begins. The packet interns it if the location has not interned it yet. */
static struct open_event open_event(struct perfetto_writer *writer, uint64_t time, unsigned type,
                                    uint32_t iid, const char *name)
{
    struct protobuf *packets = &writer->packets;
    struct open_event open = {.packet = open_packet(writer, NEEDS_STATE)};
    protobuf_varint(packets, PACKET_TIMESTAMP, export_time(writer->trace, time));
    if (name && !writer->known[iid]) {
        const size_t interned = protobuf_open(packets, PACKET_INTERNED);
        packet_intern(packets, INTERNED_NAME, iid + 1ull, name);
        protobuf_close(packets, interned);
        writer->known[iid] = true;
    }
    open.event = protobuf_open(packets, PACKET_EVENT);
    protobuf_varint(packets, EVENT_TYPE, type);
    protobuf_varint(packets, EVENT_TRACK, writer->track);
    if (name)
        protobuf_varint(packets, EVENT_NAME_IID, iid + 1ull);
    return open;
}

static void close_event(struct perfetto_writer *writer, struct open_event open)
{
    protobuf_close(&writer->packets, open.event);
    protobuf_close(&writer->packets, open.packet);
}

/* The wait's slice begins with the call. It is closed by end_wait before any later event. */
static void begin_wait(struct perfetto_writer *writer, const struct stream *stream,
                       const struct metric_wait *wait)
{
    assert(!writer->wait);
    struct protobuf *packets = &writer->packets;
    const uint32_t iid = writer->trace->definitions->region_count + (uint32_t)wait->metric;
    const struct open_event open = open_event(writer, stream->time[wait->enter_row], SLICE_BEGIN,
                                              iid, metric_infos[wait->metric].title);
    protobuf_varint(packets, EVENT_CATEGORY_IID, CATEGORY_WAIT);
    annotate(packets, ANNOTATE_WAITS_FOR, wait->culprit);
    close_event(writer, open);
    writer->wait = wait;
}

static void end_wait(struct perfetto_writer *writer, const struct stream *stream, uint64_t before)
{
    assert(writer->wait);
    const uint64_t end = stream->time[writer->wait->enter_row] + (uint64_t)writer->wait->ticks;
    close_event(writer, open_event(writer, end < before ? end : before, SLICE_END, 0, NULL));
    writer->wait = NULL;
}

static void write_enter(struct perfetto_writer *writer, const struct stream *stream, uint32_t row)
{
    const struct trace *trace = writer->trace;
    struct protobuf *packets = &writer->packets;
    const uint32_t region = trace->calltree.paths.items[stream->arg[row]].region;
    const struct region *about = &trace->definitions->regions[region];
    const struct open_event open =
        open_event(writer, stream->time[row], SLICE_BEGIN, region, about->name);
    protobuf_varint(packets, EVENT_CATEGORY_IID,
                    about->mpi_call != MPI_CALL_NONE ? CATEGORY_MPI : CATEGORY_PROGRAM);
    annotate_call(writer, packets, stream, row);
    put_flows(writer, stream, row, true);
    close_event(writer, open);
}

static void write_leave(struct perfetto_writer *writer, const struct stream *stream, uint32_t row)
{
    const struct open_event open = open_event(writer, stream->time[row], SLICE_END, 0, NULL);
    put_flows(writer, stream, stream->arg[row], false);
    close_event(writer, open);
}

static bool write_stream(void *data, const struct stream *stream, uint32_t thread)
{
    struct perfetto_writer *writer = data;
    const bool is_rank = stream->rank != INDEX_NONE && thread == 0;
    const uint32_t rank = stream->rank != INDEX_NONE ? stream->rank : 0;
    if (rank < writer->first_rank || rank > writer->last_rank)
        return true;
    writer->track = location_track(writer, stream->location);
    writer->sequence = location_sequence(&writer->numbers, stream->location);
    memset(writer->known, 0, writer->trace->definitions->region_count + METRIC_COUNT);
    if (is_rank)
        write_process(writer, stream->rank);
    write_location(writer, stream, thread);
    for (uint32_t row = 0; row < stream->count; row++) {
        if (!event_opens(stream->kind[row]) && !event_closes(stream->kind[row]))
            continue;
        if (writer->wait)
            end_wait(writer, stream, stream->time[row]);
        if (event_closes(stream->kind[row])) {
            write_leave(writer, stream, row);
        } else {
            const struct metric_wait *wait =
                is_rank ? export_wait(&writer->waits, &writer->next_wait, stream->rank, row) : NULL;
            write_enter(writer, stream, row);
            if (wait)
                begin_wait(writer, stream, wait);
        }
        if (!protobuf_flush(&writer->packets, writer->file) ||
            (writer->file && ferror(writer->file)))
            return false;
    }
    const bool written = protobuf_flush(&writer->packets, writer->file);
    if (writer->bytes)
        writer->bytes[rank] += (int64_t)writer->packets.flushed;
    writer->packets.flushed = 0;
    return written;
}

enum { TRACES = 2 };

/* Collective. Finds waits and the counter of waiting ranks. The ranks of two traces alternate: rank
 * 0 of the first, rank 0 of the second, rank 1 of the first, ... */
static enum status prepare(struct perfetto_writer *writer, struct error *error)
{
    const struct trace *trace = writer->trace;
    writer->known = calloc(trace->definitions->region_count + METRIC_COUNT, 1);
    enum status status =
        processes_agree_memory(trace->processes, writer->known, "the time line", error);
    if (status == STATUS_OK)
        status = export_waits(trace, &writer->waits, error);
    if (status == STATUS_OK)
        status =
            waiting_counter_find(trace, &writer->waits, &writer->numbers, &writer->counter, error);
    return status;
}

static struct packet_numbers numbers_of(const struct trace *const *traces, uint32_t count,
                                        uint32_t nth, const char *label)
{
    struct packet_numbers numbers = {.label = count > 1 ? label : NULL,
                                     .first_order = nth,
                                     .order_step = count,
                                     .tracks = (uint64_t)nth << 36};
    for (uint32_t i = 0; i < count; i++) {
        numbers.tids += traces[i]->rank_count;
        if (i < nth) {
            numbers.pids += traces[i]->rank_count;
            numbers.tids += traces[i]->definitions->location_count;
            numbers.sequences += traces[i]->definitions->location_count + 1;
        }
    }
    return numbers;
}

/* Writes this process's part of some ranks of a trace. */
static void write_part(struct perfetto_writer *writer, uint32_t first, uint32_t last, FILE *file)
{
    writer->file = file;
    writer->first_rank = first;
    writer->last_rank = last;
    writer->next_wait = 0;
    if (writer->counter) {
        packet_begin(&writer->packets, &writer->numbers, writer->trace);
        waiting_counter_write(writer->counter, &writer->packets, file);
    }
    export_streams(writer->trace, write_stream, writer);
}

/* Files of at most 2 GB: each has consecutive ranks, and the counters. */
struct rank_pieces {
    uint32_t count;
    uint32_t *first; /* [count]: ranks, and one more: the number of ranks */
};

/* An event with its share of the names needs fewer bytes, so most exports need not be measured. */
enum { EVENT_BYTES = 100 };
static const uint64_t LARGEST_FILE = 2000000000;

/* Collective. Whether one file might be larger than `largest`. */
static bool may_be_larger(const struct perfetto_writer *writers, uint32_t count, uint64_t largest)
{
    int64_t rows = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct trace *trace = writers[i].trace;
        for (uint32_t s = 0; s < trace->owned_count; s++)
            rows += trace->streams[s].count;
        for (uint32_t c = 0; c < trace->carried_count; c++)
            rows += trace->carried[c].count;
    }
    processes_sum(writers[0].trace->processes, &rows, 1);
    return (uint64_t)rows > largest / EVENT_BYTES;
}

/* Collective. Counts the bytes of each rank and, in the last place, of the counters. */
static void measure_ranks(struct perfetto_writer *writers, uint32_t count, uint32_t ranks,
                          int64_t *bytes)
{
    for (uint32_t i = 0; i < count; i++) {
        struct perfetto_writer *writer = &writers[i];
        if (writer->counter) {
            waiting_counter_write(writer->counter, &writer->packets, NULL);
            bytes[ranks] += (int64_t)writer->packets.flushed;
            writer->packets.flushed = 0;
        }
        struct waiting_counter *const counter = writer->counter;
        writer->counter = NULL;
        writer->bytes = bytes;
        write_part(writer, 0, UINT32_MAX, NULL);
        writer->bytes = NULL;
        writer->counter = counter;
    }
    processes_sum(writers[0].trace->processes, bytes, ranks + 1);
}

static void divide_ranks(const int64_t *bytes, uint32_t ranks, uint64_t largest,
                         struct rank_pieces *pieces)
{
    const uint64_t counters = (uint64_t)bytes[ranks];
    uint64_t used = counters;
    pieces->count = 0;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        const bool begins = rank == 0 || used + (uint64_t)bytes[rank] > largest;
        used = (begins ? counters : used) + (uint64_t)bytes[rank];
        if (begins)
            pieces->first[pieces->count++] = rank;
    }
    pieces->first[pieces->count] = ranks;
}

/* "app.perfetto": "app-2.perfetto". NULL if out of memory; to be freed. */
static char *piece_path(const char *path, uint32_t piece, uint32_t pieces)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.'), *end = dot && dot > name ? dot : name + strlen(name);
    char *text;
    if (pieces == 1)
        return strdup(path);
    return asprintf(&text, "%.*s-%u%s", (int)(end - path), path, piece + 1, end) < 0 ? NULL : text;
}

static double in_megabytes(uint64_t bytes)
{
    return (double)bytes / 1e6;
}

/* Warns if the time line is divided into several files, and names the files that are too large all
 * the same. `bytes`: as measure_ranks counts them. */
static void warn_of_pieces(const struct rank_pieces *pieces, const int64_t *bytes, uint32_t ranks,
                           uint64_t largest, const char *path)
{
    uint64_t all = 0;
    for (uint32_t rank = 0; rank <= ranks; rank++)
        all += (uint64_t)bytes[rank];
    if (pieces->count > 1)
        log_warning(
            "%s would have %.1f MB, more than %.1f MB: it is divided by ranks into %u files", path,
            in_megabytes(all), in_megabytes(largest), pieces->count);
    for (uint32_t piece = 0; piece < pieces->count; piece++) {
        const uint32_t rank = pieces->first[piece];
        const uint64_t size = (uint64_t)(bytes[rank] + bytes[ranks]);
        if (size <= largest)
            continue;
        char *name = piece_path(path, piece, pieces->count);
        log_warning(
            "%s has %.1f MB, more than %.1f MB, although it has only rank %u: a rank is not "
            "divided. Record a shorter part of the run (doc/part-of-a-run.md)",
            name ? name : path, in_megabytes(size), in_megabytes(largest), rank);
        free(name);
    }
}

/* Collective. Devices, pipes and the standard output get one stream of any length. */
static bool is_one_stream(const struct processes *processes, const char *path)
{
    int64_t one = processes->rank == 0 && (strcmp(path, "-") == 0 || files_is_special(path));
    processes_max(processes, &one, 1);
    return one != 0;
}

/* Collective. The caller frees pieces->first. */
static enum status find_rank_pieces(struct perfetto_writer *writers, uint32_t count,
                                    const struct export_options *options,
                                    struct rank_pieces *pieces, struct error *error)
{
    const struct processes *processes = writers[0].trace->processes;
    const uint64_t largest = options->largest > 0 ? options->largest : LARGEST_FILE;
    uint32_t ranks = 0;
    for (uint32_t i = 0; i < count; i++)
        ranks = writers[i].trace->rank_count > ranks ? writers[i].trace->rank_count : ranks;
    pieces->first = calloc(ranks + (size_t)2, sizeof *pieces->first);
    int64_t *bytes = calloc(ranks + (size_t)1, sizeof *bytes);
    const enum status status =
        processes_agree_memory(processes, pieces->first && bytes, "the time line", error);
    if (status == STATUS_OK) {
        pieces->count = 1;
        pieces->first[1] = ranks;
        if (ranks > 0 && !is_one_stream(processes, options->path) &&
            may_be_larger(writers, count, largest)) {
            measure_ranks(writers, count, ranks, bytes);
            divide_ranks(bytes, ranks, largest, pieces);
            if (processes->rank == 0)
                warn_of_pieces(pieces, bytes, ranks, largest, options->path);
        }
    }
    free(bytes);
    return status;
}

/* Collective. */
static enum status write_piece(struct perfetto_writer *writers, uint32_t count, uint32_t first,
                               uint32_t last, const char *path, struct error *error)
{
    const struct processes *processes = writers[0].trace->processes;
    struct job_text *text;
    bool out_of_memory = false;
    enum status status = processes_agree_memory(processes, path != NULL, "the time line", error);
    if (status == STATUS_OK)
        status = job_text_open(processes, path, &text, error);
    if (status != STATUS_OK)
        return status;
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            job_text_next(text);
        write_part(&writers[i], first, last, job_text_stream(text));
        out_of_memory |= writers[i].packets.out_of_memory;
    }
    return job_text_close(text, out_of_memory ? error_memory(error, "the time line") : STATUS_OK,
                          error);
}

/* Collective. Writes all files, or leaves none. */
static enum status write_rank_pieces(struct perfetto_writer *writers, uint32_t count,
                                     const struct rank_pieces *pieces, const char *path,
                                     struct error *error)
{
    const bool first_process = writers[0].trace->processes->rank == 0;
    enum status status = STATUS_OK;
    uint32_t piece = 0;
    for (; piece < pieces->count && status == STATUS_OK; piece++) {
        const uint32_t first = pieces->first[piece], next = pieces->first[piece + 1];
        char *name = piece_path(path, piece, pieces->count);
        status = write_piece(writers, count, first, next > 0 ? next - 1 : 0, name, error);
        if (status == STATUS_OK && pieces->count > 1 && first_process)
            log_note("%s: ranks %u to %u", name, first, next - 1);
        free(name);
    }
    for (uint32_t written = 0; status != STATUS_OK && first_process && written + 1 < piece;
         written++) {
        char *name = piece_path(path, written, pieces->count);
        if (name)
            unlink(name);
        free(name);
    }
    return status;
}

static enum status write_perfetto(const struct trace *trace, const struct export_options *options,
                                  struct error *error)
{
    assert(trace->matched && (!options->beside || options->beside->matched));
    const struct trace *const traces[TRACES] = {trace, options->beside};
    const uint32_t count = options->beside ? 2 : 1;
    struct perfetto_writer writers[TRACES] = {{.trace = trace}, {.trace = options->beside}};
    struct rank_pieces pieces = {.first = NULL};
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
        writers[i].numbers = numbers_of(traces, count, i, options->labels[i]);
        status = prepare(&writers[i], error);
    }
    if (status == STATUS_OK)
        status = find_rank_pieces(writers, count, options, &pieces, error);
    if (status == STATUS_OK)
        status = write_rank_pieces(writers, count, &pieces, options->path, error);
    free(pieces.first);
    for (uint32_t i = 0; i < count; i++) {
        waiting_counter_destroy(writers[i].counter);
        protobuf_clear(&writers[i].packets);
        free(writers[i].known);
        free(writers[i].waits.all.items);
    }
    return status;
}

const struct export_format export_perfetto = {
    .name = "perfetto",
    .description = "a time line for ui.perfetto.dev",
    .binary = true,
    .compares = true,
    .write = write_perfetto,
};
