/* Data of a time line: pieces of its rows (pieces.c), messages (messages.c), the domino path
 * (path.c); json.c writes them as JSON, write.c as a page. Times are ticks since the trace's first
 * event. */
#ifndef REPORT_TIMELINE_PRIVATE_H
#define REPORT_TIMELINE_PRIVATE_H

#include "report/timeline/timeline.h"

#include <stdio.h>

enum { TIMELINE_ACTIVITIES = 3 /* computation, MPI, waiting in MPI */, TIMELINE_SHARES = 255 };

enum { TIMELINE_WAITS_FOR_THREADS = WAIT_STATE_COUNT /* of its rank; not for another rank */ };

struct timeline_piece {
    int64_t begin, end;
    uint32_t rank;
    uint32_t thread; /* of the rank, from 1; 0: the rank itself */
    uint32_t callpath;
    uint32_t calls; /* calls that were entered since the beginning of the previous piece */
    uint32_t kept;  /* open calls, outermost first, that were open in the previous piece as well */
    bool waits;     /* the waiting part of a call */
    bool mixed; /* several short pieces were merged. The call path is the one with most computation
                   or, without any, with most time in MPI */
    uint8_t kind;                        /* of the wait, enum wait_state or the following: */
    uint8_t shares[TIMELINE_ACTIVITIES]; /* of a mixed piece, in 255ths; the rest of 255 is outside
                                            all regions */
    uint32_t other_rank;                 /* the rank that it waits for; INDEX_NONE: unknown */
};

/* A time at which a rank's pieces must not be merged. */
struct timeline_point {
    uint32_t rank;
    int64_t time;
};

struct timeline_row {
    const struct trace *trace;
    const struct stream *stream;
    uint32_t thread; /* as of its pieces; then the stream is one of trace->carried */
    const struct timeline_call *calls; /* calls that wait */
    size_t call_count;
    const struct timeline_point *points; /* of the rank, in order */
    size_t point_count;
    int64_t threshold; /* neighbouring pieces shorter than this (ticks) are merged; 0: none */
};

typedef void timeline_piece_sink(void *context, const struct timeline_piece *piece);

/* Passes the row's pieces to `sink` in order of time. Each is at least one tick long. Regions in
 * which a thread waits for others of its team are waits for no rank. Short pieces
 * are merged until the result is about as long as the threshold, or until a long piece follows.
 * Time outside all regions has no piece. */
void timeline_row_walk(const struct timeline_row *row, timeline_piece_sink *sink, void *context);

/* `sent`: the time at which the send was posted; `received`: at which the receive ended. */
struct timeline_message {
    int64_t sent, received;
    uint64_t bytes;
    uint32_t from, to; /* ranks */
    uint32_t index;    /* of the send among its rank's messages */
    uint32_t partner;  /* of the receive */
};

struct timeline_messages {
    struct timeline_message *items; /* on process 0, by rank and index of the sender; free it */
    size_t count;
    int64_t total;  /* number of messages in the trace; */
    int64_t stride; /* every stride-th of them is shown if both of its ranks have rows */
};

/* Collective. Gathers at most TIMELINE_MESSAGES messages. shown[rank]: the rank has a row. On
 * failure nothing is left to free. */
enum status timeline_messages_gather(const struct trace *trace, const bool *shown,
                                     struct timeline_messages *messages, struct error *error);

/* The times of one wait on the path. All members are int64_t, so that one maximum over the
 * processes gives them to all. The path leaves the other rank at `departure`, reaches this rank at
 * `until`, and leaves it at `from` for the wait with the next lower number. */
struct timeline_place {
    int64_t enter, until, leave; /* the call waits from `enter` to `until` */
    int64_t from;
    int64_t departure;
    int64_t callpath, other_callpath; /* CALLPATH_NONE: none */
    int64_t partner; /* index of the other rank's message that it waits for; -1: none */
};

/* Collective. places[path_count] is the same on all processes; the caller frees it. */
enum status timeline_path_place(const struct timeline_input *timeline,
                                struct timeline_place **places, struct error *error);

/* The data of a run, on process 0. */
struct timeline_data {
    const struct timeline_input *timeline;
    const struct timeline_place *places; /* [path_count] */
    const struct timeline_messages *messages;
    const int64_t *used;                 /* [call path]: not 0 if a piece or a wait uses it */
    const bool *shown;                   /* [rank]: it has a row */
    const struct timeline_piece *pieces; /* by rank, thread and time */
    size_t piece_count;
    int64_t threshold;
};

/* Writes one run as a JSON object. False when memory is out or writing fails (ferror). */
bool timeline_json_write(const struct timeline_data *data, FILE *stream);

#endif
