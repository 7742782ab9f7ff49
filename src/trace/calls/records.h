/* The table of communication records. A record posts, completes or tests its subject: a message, a
 * collective operation or a one-sided operation. A tracer writes it before or after it calls MPI.
 */
#ifndef TRACE_CALLS_RECORDS_H
#define TRACE_CALLS_RECORDS_H

#include "trace/trace.h"

enum record_subject {
    RECORD_OF_NOTHING, /* the event does not record communication, or its request is unknown */
    RECORD_OF_MESSAGE,
    RECORD_OF_COLLECTIVE,
    RECORD_OF_RMA_OP,
    RECORD_OF_RMA_SYNC,
};

enum record_property {
    RECORD_POSTS = 1 << 0,     /* visible to other ranks from this record on */
    RECORD_COMPLETES = 1 << 1, /* complete for this rank */
    RECORD_REQUEST = 1 << 2,   /* of a request: different records post and complete the subject */
    RECORD_BEFORE = 1 << 3,    /* written before MPI is called */
    RECORD_AFTER = 1 << 4,     /* written after MPI has returned */
};

/* X(event, subject, properties); the subject of REQUEST_... events depends on the argument. */
#define RECORDS(X)                                                                \
    X(SEND, MESSAGE, RECORD_POSTS | RECORD_COMPLETES | RECORD_BEFORE)             \
    X(RECV, MESSAGE, RECORD_POSTS | RECORD_COMPLETES | RECORD_AFTER)              \
    X(ISEND, MESSAGE, RECORD_POSTS | RECORD_REQUEST | RECORD_BEFORE)              \
    X(ISEND_COMPLETE, MESSAGE, RECORD_COMPLETES | RECORD_REQUEST | RECORD_AFTER)  \
    X(IRECV_REQUEST, MESSAGE, RECORD_POSTS | RECORD_REQUEST | RECORD_AFTER)       \
    X(IRECV, MESSAGE, RECORD_COMPLETES | RECORD_REQUEST | RECORD_AFTER)           \
    X(MATCHED, MESSAGE, RECORD_AFTER)                                             \
    X(REQUEST_TEST, NOTHING, RECORD_REQUEST | RECORD_AFTER)                       \
    X(REQUEST_CANCELLED, NOTHING, RECORD_REQUEST | RECORD_AFTER)                  \
    X(COLLECTIVE_BEGIN, COLLECTIVE, RECORD_POSTS | RECORD_BEFORE)                 \
    X(COLLECTIVE_END, COLLECTIVE, RECORD_COMPLETES | RECORD_AFTER)                \
    X(NBC_REQUEST, COLLECTIVE, RECORD_POSTS | RECORD_REQUEST | RECORD_AFTER)      \
    X(NBC_COMPLETE, COLLECTIVE, RECORD_COMPLETES | RECORD_REQUEST | RECORD_AFTER) \
    X(RMA_OP, RMA_OP, RECORD_BEFORE)                                              \
    X(RMA_SYNC, RMA_SYNC, RECORD_AFTER)

/* 0 for events that do not record communication. */
static inline unsigned record_properties(enum event_kind kind)
{
    static const uint8_t properties[EVENT_KIND_COUNT] = {
#define X(event, subject, properties) [EVENT_##event] = properties,
        RECORDS(X)
#undef X
    };
    return properties[kind];
}

/* True for records that complete a request of an earlier record. */
static inline bool record_completes_request(enum event_kind kind)
{
    const unsigned both = RECORD_COMPLETES | RECORD_REQUEST;
    return (record_properties(kind) & both) == both;
}

struct record {
    enum record_subject subject;
    uint32_t index; /* in the stream's table of the subject; INDEX_NONE if there is none */
};

/* The subject of a record of this kind with this argument. A matched probe whose message was never
 * received and a test of an unknown request have none. */
static inline struct record record_of(enum event_kind kind, uint32_t index)
{
    static const uint8_t subjects[EVENT_KIND_COUNT] = {
#define X(event, subject, properties) [EVENT_##event] = RECORD_OF_##subject,
        RECORDS(X)
#undef X
    };
    const struct record nothing = {RECORD_OF_NOTHING, INDEX_NONE};
    if (kind == EVENT_REQUEST_TEST || kind == EVENT_REQUEST_CANCELLED) {
        if (index == INDEX_NONE)
            return nothing;
        return index & COLLECTIVE_BIT
                   ? (struct record){RECORD_OF_COLLECTIVE, index & ~COLLECTIVE_BIT}
                   : (struct record){RECORD_OF_MESSAGE, index};
    }
    if (subjects[kind] == RECORD_OF_NOTHING || index == INDEX_NONE)
        return nothing;
    return (struct record){(enum record_subject)subjects[kind], index};
}

/* The subject of the record in a row. */
static inline struct record record_at(const struct stream *stream, uint32_t row)
{
    return record_of((enum event_kind)stream->kind[row], stream->arg[row]);
}

/* The tables of a stream whose items contain rows. */
struct record_tables {
    struct message *messages;
    struct collective *collectives;
    struct rma_sync *rma_syncs;
};

/* Sets the row of a record in the message or other item that it posts or completes. */
static inline void record_set_row(const struct record_tables *tables, enum event_kind kind,
                                  uint32_t arg, uint32_t row)
{
    const struct record record = record_of(kind, arg);
    const unsigned properties = record_properties(kind);
    if (record.subject == RECORD_OF_RMA_SYNC) {
        tables->rma_syncs[record.index].row = row;
    } else if (record.subject == RECORD_OF_MESSAGE) {
        struct message *message = &tables->messages[record.index];
        if (properties & RECORD_POSTS)
            message->post = row;
        if (properties & RECORD_COMPLETES || kind == EVENT_REQUEST_CANCELLED)
            message->completion = row;
    } else if (record.subject == RECORD_OF_COLLECTIVE) {
        if (properties & RECORD_POSTS)
            tables->collectives[record.index].begin = row;
        if (properties & RECORD_COMPLETES)
            tables->collectives[record.index].end = row;
    }
}

/* Renumbers a table: sets the arguments of all rows about messages, or about collective operations,
 * to index[old number]. */
static inline void records_renumber(const struct stream *stream, enum record_subject subject,
                                    const uint32_t *index)
{
    for (uint32_t row = 0; row < stream->count; row++) {
        struct record record = record_at(stream, row);
        if (record.subject != subject)
            continue;
        assert(index[record.index] != INDEX_NONE);
        uint32_t flag = stream->arg[row] ^ record.index; /* COLLECTIVE_BIT of requests */
        stream->arg[row] = index[record.index] | flag;
    }
}

#endif
