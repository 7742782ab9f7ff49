/* A rank that runs its program: requests, clock readings, and losses of its core. */
#ifndef REPLAY_REALTIME_EXECUTOR_H
#define REPLAY_REALTIME_EXECUTOR_H

#include "base/clock.h"
#include "replay/costs/disturbances.h"
#include "replay/realtime/fill.h"
#include "replay/realtime/program.h"
#include "replay/realtime/wildcards.h"

#include <stdatomic.h>

/* The progress of a running rank, in memory that MPI shares between the processes of the host. MPI
 * aligns it only as malloc does, so padding keeps ranks on different cache lines. */
struct progress {
    _Atomic uint32_t op; /* the current operation, or the one after the current computation */
    _Atomic uint64_t busy_until; /* ticks: the rank computes at least until then */
    char padding[112];
};

/* What a run leaves out of a program (trial_part.h); all zero: nothing. */
struct skipped_part {
    size_t first_op, end_op;     /* the operations from the first up to, but without, the end */
    size_t first_call, end_call; /* the same for timed calls */
    uint64_t compute; /* ticks between the calls around the part, instead of their recorded
                         computation */
    uint64_t ticks;   /* the length of the part, by which all that follows is shifted */
};

struct executor {
    const struct replay_program *program;
    struct skipped_part skip;
    struct clock clock;
    MPI_Request *early;             /* [program->early.count], before and during a run */
    MPI_Request *slots;             /* [slot_count], MPI_REQUEST_NULL where none is open */
    MPI_Message *handles;           /* [handle_count] */
    MPI_Request *scratch;           /* [set_size], for calls that take an array */
    int *indices;                   /* [set_size], the completed requests */
    MPI_Status *statuses;           /* [set_size], of calls that take an array */
    uint64_t *readings;             /* [2 * timed calls]: begin and end of each call */
    uint64_t first, last;           /* readings at the first and the last event */
    struct wildcard_log *wildcards; /* NULL: the program has no wildcards */
    MPI_Comm made;                  /* the communicator made by the last call, or MPI_COMM_NULL */
    struct progress *progress;
    struct windows *windows;
    bool naps;                       /* processes share cores: sleep instead of spinning */
    struct working_set *working_set; /* for computations with a reach */
    struct stream_fill *stream;      /* NULL: computations do not stream */
    uint64_t margin;                 /* upper limit of ticks for one step through it */
    uint64_t gap;  /* ticks: if two readings are further apart, the core was lost */
    uint64_t lost; /* ticks in such gaps */
    uint32_t disturbances;
    uint64_t pace_ticks, pace_steps; /* of working_set_calculate, without such gaps */
    struct lost_time *losses;        /* [LOSSES_MAX] the long losses, as readings */
    size_t loss_count;
    uint64_t long_loss;               /* ticks */
    uint64_t checked_at, checked_cpu; /* ticks, and the processor time in ns used until then */
    /* A thread starts `follow_ticks` after the end of the timed call `follow_call` of the thread
     * that made it, `follows`, whose next operation is `follow_op`. NULL: it starts at its
     * start_offset. */
    const struct executor *follows;
    size_t follow_call;
    uint32_t follow_op;
    uint64_t follow_ticks;
};

enum { LOSSES_MAX = 1 << 16 }; /* kept; further losses are only counted */

/* The trace with only the i-th of the ranks that this process replays. */
static inline struct trace trace_of_rank(const struct trace *trace, uint32_t i)
{
    struct trace one = *trace;
    one.first_rank += i;
    one.streams += i;
    one.owned_count = 1;
    return one;
}

/* Allocates and touches the memory of a run. Fails with STATUS_ENVIRONMENT; nothing is left
 * to close then. */
enum status executor_open(struct executor *executor, const struct replay_program *program,
                          const struct clock *clock, bool naps, struct error *error);
void executor_close(struct executor *executor);

/* Before a run. */
void executor_restart(struct executor *executor);

/* Spins (or sleeps) until the clock shows `deadline`. Returns the first reading at or after it. */
uint64_t executor_wait_until(struct executor *executor, uint64_t deadline);

/* Notes that the core was lost between two clock readings that are more than `gap` apart. Losses
 * before the first event delay no rank and are ignored. */
void executor_note_gap(struct executor *executor, uint64_t begin, uint64_t end);

/* A call was longer than `long_loss`: notes whether the core was lost in it. */
void executor_check_call(struct executor *executor, uint64_t begin, uint64_t end);

/* Sleeps for a moment. */
void executor_nap(void);

/* Changes the readings of the run: every computation gets its planned length, every call keeps its
 * measured length. */
void executor_take_out_delays(struct executor *executor);

/* Describes the rank's current operation: its arguments, event and call path. Returns `text`. */
char *executor_describe(const struct trace *trace, const struct executor *executor, char *text,
                        size_t size);

/* True if the rank is in a blocking send of the standard mode. */
bool executor_is_sending(const struct executor *executor);

/* Converts the engine's clock to the trace's ticks: linear, so that hosts' clocks agree. */
struct timeline {
    uint64_t start;       /* ticks of the engine's clock at the trace's first time stamp */
    double ticks_scale;   /* ticks of the trace per tick of the engine's clock */
    uint64_t trace_begin; /* ticks of the trace at `start` */
};

/* A reading of the engine's clock as ticks of the predicted trace. */
uint64_t timeline_moment(const struct timeline *timeline, uint64_t reading);

/* Fills the times of `view` after its program has run; `recorded` is the same stream of the
 * prepared trace. The rows at which calls begin and end get their readings; rows between them are
 * interpolated. */
void timeline_write(const struct executor *executor, const struct timeline *timeline,
                    const struct stream *recorded, struct stream *view);

/* Before a run: posts the ends of program->early. */
void program_post_early(struct executor *executor);

/* Runs the whole program; `start` is the moment in ticks at which the trace begins. */
void program_run(struct executor *executor, uint64_t start);

/* Completes requests that the program leaves open and those of program_post_early, after the clock
 * has stopped. */
void program_drain(struct executor *executor);

#endif
