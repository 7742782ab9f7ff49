/* Rewrites the events of a rank: with new times, in another order, or with rows removed and added.
 */
#ifndef TRANSFORM_REWRITE_H
#define TRANSFORM_REWRITE_H

#include "base/array.h"
#include "trace/trace.h"
#include "transform/callpath_marks.h"
#include "transform/even.h"
#include "transform/pace.h"

struct team;
struct teams;
struct team_program; /* threads/team_program.h */

/* Writes the new time of every row of the stream into `times`, ascending. */
typedef enum status times_writer(void *data, const struct stream *stream, uint64_t *times,
                                 struct error *error);

/* Changes the times of a rank's stream to those that `write` writes. In parallel regions, whose
 * threads are recorded, only the lengths of work are taken from `write`: when waits for other
 * threads end, and how long the region takes, follows from its lanes (threads/team_program.h).
 * Other times (flushes, locations outside of teams) between two rows move in proportion; those
 * outside are shifted. The trace must own its time columns and flush times, as the copy by
 * hypotheses_apply does. */
enum status rewrite_stream(struct trace *trace, struct stream *stream, times_writer *write,
                           void *data, struct error *error);

/* Likewise, but `write` also writes the times of the rank's other threads, each as if it ran
 * alone. */
enum status rewrite_threads(struct trace *trace, struct stream *stream, times_writer *write,
                            void *data, struct error *error);

/* Changes the teams of a rank: other threads, schedules or locks. The function fills the ends of
 * the rows of a team, whose program has the recorded steps and the begins of its lanes, and sets
 * `*changed`; or it leaves the team as it is. Rows of a lane whose number of steps it sets to 0 are
 * removed. False if out of memory. */
typedef bool team_changer(void *data, const struct trace *trace, const struct teams *teams,
                          const struct team *team, struct team_program *program, bool *changed);

enum status rewrite_teams(struct trace *trace, struct stream *stream, team_changer *change,
                          void *data, struct error *error);

/* The new duration of computation: C ticks of recorded computation since the start of the rank take
 * round(factor C), plus `length` for every `period` of it (0: none), the first after 1 - `phase`
 * periods. The sum is rounded, so that rounding errors do not add up. */
struct pace {
    struct exact_factor factor;
    long double period, length, phase; /* of noise, ticks; the phase is a share of the period */
    const struct callpath_marks *marks;
    enum callpath_mark wanted; /* the computation that is changed: marks_computes; 0: all */
    const struct ini_section *section;
    const char *key; /* named in the error if a rank would run too long; may be NULL */
};

/* Changes the duration of the computation of a rank and its threads. Fails if the times would not
 * fit into 63 bits. */
enum status rewrite_pace(struct trace *trace, struct stream *stream, const struct pace *pace,
                         struct error *error);

/* Gives a stream copies of the tables that hypotheses change or a matching writes to: messages,
 * collective operations and one-sided synchronisations. False if out of memory. */
bool stream_copy_tables(struct stream *stream, struct arena *arena);

/* Changes the order of the rows of a stream: row i becomes the former row order[i], at times[i],
 * which ascend. The nesting of regions must be kept. Messages and collective operations are
 * numbered again, in the order of their posting; one-sided operations must keep theirs. Flushes and
 * carried locations keep their times. The trace must be a copy that hypotheses_apply made. False if
 * out of memory; the stream is unchanged then. */
bool rewrite_order(struct trace *trace, struct stream *stream, const uint32_t *order,
                   const uint64_t *times);

/* Writes the rows of a stream from the first to the last: each is copied or skipped, and new ones
 * can be added between them. References to rows (in Leaves, messages, collective operations,
 * one-sided synchronisations) are renumbered. */
struct row_writer {
    struct trace *trace;
    struct stream *stream;    /* as it was, until the writer is closed */
    struct message *messages; /* copies of the stream's tables, which may be changed */
    struct collective *collectives;
    struct rma_sync *rma_syncs;
    const bool *cut_messages, *cut_collectives; /* as given to row_writer_open */
    uint64_t *old_times;                        /* [row of the stream]: its new time */
    ARRAY(uint64_t) time;
    ARRAY(uint8_t) kind;
    ARRAY(uint32_t) arg;
    ARRAY(uint32_t) open; /* rows of the open regions */
    uint32_t next;        /* the row of the stream to copy or skip next */
    bool out_of_memory;   /* further calls have no effect */
};

/* The stream must be one of `trace`, which must be a copy that hypotheses_apply made. The messages
 * and collective operations marked in `cut_messages` [message] and `cut_collectives` [collective]
 * (NULL: none; both must last until the writer is closed) are removed from their tables; no row
 * that is written may refer to them. */
void row_writer_open(struct row_writer *writer, struct trace *trace, struct stream *stream,
                     const bool *cut_messages, const bool *cut_collectives);

/* Copies or skips the next row of the stream; its time must not be before that of the last row. */
void row_writer_copy(struct row_writer *writer, uint64_t time);
void row_writer_skip(struct row_writer *writer, uint64_t time);

/* Adds a row. `arg` is the argument of the event kind (trace.h), with indices into the stream's
 * tables. It is ignored for a LEAVE, which leaves the innermost region. */
void row_writer_add(struct row_writer *writer, uint64_t time, enum event_kind kind, uint32_t arg);

/* Adds a separate MPI call below the innermost call path: ENTER, one record of the given kind, and
 * LEAVE. The call path must exist (trace_mpi_path). */
void row_writer_add_call(struct row_writer *writer, enum mpi_call call, uint64_t enter,
                         uint64_t time, enum event_kind kind, uint32_t arg, uint64_t leave);

/* The innermost call path after the last row written; CALLPATH_NONE outside all regions. */
uint32_t row_writer_path(const struct row_writer *writer);

/* Moves the new rows into the stream and frees the writer's memory. All rows of the stream must
 * have been copied or skipped. False if the writer was out of memory at any time; the stream is
 * unchanged then. */
bool row_writer_close(struct row_writer *writer);

#endif
