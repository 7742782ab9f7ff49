/* What the records of communication say: one table for all who read them. A record is about a
 * message, a collective operation or something one-sided; it posts it, completes it, or asks
 * whether it is complete; and a tracer writes it before or after it calls MPI. */
#ifndef TRACE_CALLS_RECORDS_H
#define TRACE_CALLS_RECORDS_H

#include "trace/trace.h"

enum record_subject {
    RECORD_OF_NOTHING, /* the event is no record of communication, or of an unknown request */
    RECORD_OF_MESSAGE,
    RECORD_OF_COLLECTIVE,
    RECORD_OF_RMA_OP,
    RECORD_OF_RMA_SYNC,
};

enum record_property {
    RECORD_POSTS = 1 << 0,     /* from here on others can see it */
    RECORD_COMPLETES = 1 << 1, /* the rank is done with it */
    RECORD_REQUEST = 1 << 2,   /* of a request: what posts it and what completes it are two records,
                                  often of two calls */
    RECORD_BEFORE = 1 << 3,    /* written before MPI is called */
    RECORD_AFTER = 1 << 4,     /* written when MPI has returned */
};

/* X(event, subject, properties); the subject of what has REQUEST_ in its name depends on the
 * argument. */
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

/* 0 for events that are no records of communication. */
static inline unsigned record_properties(enum event_kind kind)
{
    static const uint8_t properties[EVENT_KIND_COUNT] = {
#define X(event, subject, properties) [EVENT_##event] = properties,
        RECORDS(X)
#undef X
    };
    return properties[kind];
}

/* A record completes a request that an earlier one has posted. */
static inline bool record_completes_request(enum event_kind kind)
{
    const unsigned both = RECORD_COMPLETES | RECORD_REQUEST;
    return (record_properties(kind) & both) == both;
}

struct record {
    enum record_subject subject;
    uint32_t index; /* in the stream's table of its subject; INDEX_NONE: of nothing */
};

/* What a record of this kind and argument is about. A matched probe whose message was never
 * received, and a test of a request that is not known, are about nothing. */
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

/* The same of the record in a row. */
static inline struct record record_at(const struct stream *stream, uint32_t row)
{
    return record_of((enum event_kind)stream->kind[row], stream->arg[row]);
}

#endif
