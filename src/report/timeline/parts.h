/* The parts of a time line: its rows, piece by piece (pieces.c), the messages (messages.c), the
 * domino path (path.c); all as JSON (json.c), and as a page (write.c). Times are ticks from the
 * trace's first event on. */
#ifndef REPORT_TIMELINE_PARTS_H
#define REPORT_TIMELINE_PARTS_H

#include "report/timeline/timeline.h"

#include <stdio.h>

enum { TIMELINE_ACTIVITIES = 3 /* computation, MPI, waiting in MPI */, TIMELINE_SHARES = 255 };

struct timeline_piece {
    int64_t begin, end;
    uint32_t rank;
    uint32_t callpath;
    uint32_t calls; /* entered since the begin of the piece before */
    uint32_t kept;  /* open calls, outermost first, that the piece before is in as well */
    bool waits;     /* the waiting part of a call */
    bool mixed;     /* several short ones merged. The call path has most of the computation; of MPI,
                       if there is no computation */
    uint8_t kind;   /* of the wait, enum sync_kind */
    uint8_t shares[TIMELINE_ACTIVITIES]; /* of a mixed piece, in 255ths; less than 255 together: the
                                            rest is outside of all regions */
    uint32_t other_rank;                 /* for which it waits; INDEX_NONE: not known */
};

/* A time at which a rank's piece must not be merged. */
struct timeline_point {
    uint32_t rank;
    int64_t time;
};

struct timeline_row {
    const struct trace *trace;
    const struct stream *stream;
    const struct timeline_call *calls; /* calls that wait */
    size_t call_count;
    const struct timeline_point *points; /* of the rank, in order */
    size_t point_count;
    int64_t threshold; /* neighbouring pieces shorter than this, in ticks, are merged; 0: none */
};

typedef void timeline_piece_sink(void *context, const struct timeline_piece *piece);

/* Passes the pieces to `sink` in order of time, which are at least one tick long. Short pieces are
 * merged until they are about as long as the threshold, or until a long one comes. Time outside all
 * regions is left out. */
void timeline_row_walk(const struct timeline_row *row, timeline_piece_sink *sink, void *context);

/* `sent`: when it was posted; `received`: when its receive ended. */
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
    int64_t total;  /* messages of the trace, */
    int64_t stride; /* every stride-th of them is shown if both its ranks have rows */
};

/* Collective. Gathers TIMELINE_MESSAGES at most; shown[rank] says which ranks have rows. */
enum status timeline_messages_gather(const struct trace *trace, const bool *shown,
                                     struct timeline_messages *messages, struct error *error);

/* One wait. All members are int64_t, so that a
 * maximum over the processes shares them with all. The path comes from the other rank, at
 * `departure`, to this rank, at `until`; at `from` it goes on to the wait with the next lower
 * number. */
struct timeline_place {
    int64_t enter, until, leave; /* the call waits from `enter` to `until` */
    int64_t from;
    int64_t departure;
    int64_t callpath, other_callpath; /* CALLPATH_NONE: none */
    int64_t partner; /* the message of the other rank that it waits for, -1: no message */
};

/* Collective. places[path_count], the same on all processes; free it. */
enum status timeline_path_place(const struct timeline_input *timeline,
                                struct timeline_place **places, struct error *error);

/* Everything that is written of a run, at process 0. */
struct timeline_data {
    const struct timeline_input *timeline;
    const struct timeline_place *places; /* [path_count] */
    const struct timeline_messages *messages;
    const int64_t *used;                 /* [call path]: not 0 if it is used by a piece or a wait */
    const bool *shown;                   /* [rank]: it has a row */
    const struct timeline_piece *pieces; /* by rank and time */
    size_t piece_count;
    int64_t threshold;
};

/* One run as a JSON object. False when memory is out or writing to the stream fails (ferror). */
bool timeline_json_write(const struct timeline_data *data, FILE *stream);

/* Made at build time from timeline.html and the files that it names. */
extern const char timeline_page_head[], timeline_page_tail[]; /* the data go between them */

#endif
