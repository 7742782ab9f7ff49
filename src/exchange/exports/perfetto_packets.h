/* Packets of Perfetto's trace format: the numbers of their fields, as in Perfetto's
 * trace_packet.proto, track_descriptor.proto, process_descriptor.proto, thread_descriptor.proto,
 * counter_descriptor.proto, track_event.proto, debug_annotation.proto and interned_data.proto
 * (github.com/google/perfetto, protos/perfetto/trace). tests/exchange/exports/perfetto.proto has
 * those that are used. */
#ifndef EXPORTS_PERFETTO_PACKETS_H
#define EXPORTS_PERFETTO_PACKETS_H

#include "exchange/exports/protobuf.h"
#include "patterns/search.h"
#include "trace/trace.h"

/* Field numbers, by message. */
enum { TRACE_PACKET = 1 };
enum {
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_TRACK = 60
};
enum {
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_THREAD = 4,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    TRACK_ORDER_RANK = 12,
    TRACK_PROCESS_ORDERING = 19
};
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum {
    EVENT_CATEGORY_IID = 3,
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK = 11,
    EVENT_COUNTER_VALUE = 30,
    EVENT_FLOW = 47,
    EVENT_LAST_OF_FLOW = 48
};
enum { COUNTER_UNIT = 3 };
enum { INTERNED_CATEGORY = 1, INTERNED_NAME = 2, INTERNED_ANNOTATION = 3 };
enum { STRING_IID = 1, STRING_TEXT = 2 }; /* of all interned strings */
enum { ANNOTATION_NAME_IID = 1, ANNOTATION_NUMBER = 3, ANNOTATION_TEXT = 6 };

/* Values. */
enum { CLEARED = 1, NEEDS_STATE = 2 };                /* of PACKET_FLAGS */
enum { SLICE_BEGIN = 1, SLICE_END = 2, COUNTER = 4 }; /* of EVENT_TYPE */
enum { ORDER_EXPLICIT = 1 };                          /* of TRACK_PROCESS_ORDERING */
enum { UNIT_COUNT_OF = 2 };                           /* of COUNTER_UNIT */

/* A packet of a sequence; the caller closes it (protobuf_close). `flags`: CLEARED for the first
 * packet of a sequence, NEEDS_STATE for those that use interned names, else 0. */
size_t packet_open(struct protobuf *packets, uint32_t sequence, unsigned flags);

/* A text that need not be UTF-8 (export_name). */
void packet_text(struct protobuf *packets, unsigned field, const char *text);

/* An entry of INTERNED_...: from now on `iid` stands for the text in the packet's sequence. */
void packet_intern(struct protobuf *packets, unsigned field, uint64_t iid, const char *text);

/* Where the numbers of a trace begin, so that several traces are in one file. Sequences, tracks,
 * processes and threads are numbered from 1 on. */
struct packet_numbers {
    const char *label;                /* of the trace; NULL: it is the only one */
    uint32_t first_order, order_step; /* places of the ranks' processes */
    uint32_t pids, tids, sequences;   /* used before; those of threads come after all pids */
    uint64_t tracks;
};

/* Each location has a sequence. One more sequence has the packets about all ranks. */
static inline uint32_t location_sequence(const struct packet_numbers *numbers, uint32_t location)
{
    return numbers->sequences + location + 1;
}

static inline uint32_t common_sequence(const struct packet_numbers *numbers,
                                       const struct trace *trace)
{
    return numbers->sequences + trace->definitions->location_count + 1;
}

/* The name of a process or counter followed by the trace's label, for `field`: "rank 3, before". */
void packet_label(struct protobuf *packets, unsigned field, const char *name,
                  const struct packet_numbers *numbers);

/* Begins the common sequence: processes are shown in the order of their ranks. */
void packet_begin(struct protobuf *packets, const struct packet_numbers *numbers,
                  const struct trace *trace);

/* How many ranks wait at each time, as a counter at the top. */
struct waiting_counter;

/* Collective. Makes the counter on process 0; NULL on the others. Free it by
 * waiting_counter_destroy. */
enum status waiting_counter_find(const struct trace *trace, const struct metric_waits *waits,
                                 const struct packet_numbers *numbers,
                                 struct waiting_counter **counter, struct error *error);
void waiting_counter_destroy(struct waiting_counter *counter); /* NULL is allowed */

/* Writes its track and its values. False when memory is out or writing fails. */
bool waiting_counter_write(const struct waiting_counter *counter, struct protobuf *packets,
                           FILE *stream);

#endif
