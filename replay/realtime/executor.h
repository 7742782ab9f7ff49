/* What a rank works with while it runs its program: requests, readings of the clock, and what it
 * notices about its core. */
#ifndef REPLAY_REALTIME_EXECUTOR_H
#define REPLAY_REALTIME_EXECUTOR_H

#include "base/clock.h"
#include "replay/costs/disturbances.h"
#include "replay/realtime/program.h"
#include "replay/realtime/stream_fill.h"
#include "replay/realtime/wildcards.h"
#include "replay/realtime/working_set.h"

#include <stdatomic.h>

/* What others can see of a rank while it runs, in memory that MPI lets the host share. MPI aligns
   it as malloc does, so what keeps ranks off each other's cache lines is distance. */
struct progress {
    _Atomic uint32_t op;         /* the one that is under way or computed up to */
    _Atomic uint64_t busy_until; /* ticks: computing at least so long */
    char apart[112];
};

/* What a run leaves out of a program (trial_part.h); all zero: nothing. */
struct skipped_part {
    size_t first_op, end_op;     /* operations: from the first one up to, but without, the end */
    size_t first_call, end_call; /* the same of the timed calls */
    uint64_t compute; /* ticks from the call before to the one behind, instead of what both have */
    uint64_t ticks;   /* by so much earlier comes all that is behind */
};

struct executor {
    const struct replay_program *program;
    struct skipped_part skip;
    struct clock clock;
    MPI_Request *slots;             /* [slot_count], MPI_REQUEST_NULL where none is open */
    MPI_Message *handles;           /* [handle_count] */
    MPI_Request *scratch;           /* [set_size], for calls that take an array */
    int *indices;                   /* [set_size], which of them are complete */
    MPI_Status *statuses;           /* [set_size], of calls that take an array */
    uint64_t *readings;             /* [2 * timed calls]: begin and end of each call */
    uint64_t first, last;           /* readings at the first and the last event */
    struct wildcard_log *wildcards; /* NULL: the program has none */
    MPI_Comm made;                  /* by the call just ended, MPI_COMM_NULL: nothing */
    struct progress *progress;
    struct windows *windows;
    bool naps;                       /* processes share cores: sleep instead of spinning */
    struct working_set *working_set; /* of computations with a reach */
    struct stream_fill *stream;      /* NULL: computations do not stream */
    uint64_t margin;                 /* ticks that a step through it may take */
    uint64_t gap;                    /* ticks between two readings from which the core was lost */
    uint64_t lost;                   /* ticks in such gaps */
    uint32_t disturbances;
    struct lost_time *losses; /* [LOSSES_MAX] the long ones, in readings */
    size_t loss_count;
    uint64_t long_loss;               /* ticks */
    uint64_t checked_at, checked_cpu; /* ticks, and ns of processor time that were used by then */
};

enum { LOSSES_MAX = 1 << 16 }; /* kept; behind that they are counted only */

/* Allocates and touches what a run needs. Fails with STATUS_ENVIRONMENT. */
enum status executor_open(struct executor *executor, const struct replay_program *program,
                          const struct clock *clock, bool naps, struct error *error);
void executor_close(struct executor *executor);

/* Before a run. */
void executor_restart(struct executor *executor);

/* Spins (or sleeps) until the clock shows `deadline`; returns the first reading that is not before.
 */
uint64_t executor_wait_until(struct executor *executor, uint64_t deadline);

/* The core was lost between two readings of the clock, which are more than `gap` apart: notes it.
 * What is lost while the common begin of the replay is waited for delays nobody. */
void executor_note_gap(struct executor *executor, uint64_t begin, uint64_t end);

/* A call was longer than `long_loss`: notes whether the core was lost in it. */
void executor_check_call(struct executor *executor, uint64_t begin, uint64_t end);

/* Sleeps for a moment. */
void executor_nap(void);

/* Changes the readings of the run: every computation gets its planned length, every call keeps the
 * length that it had. */
void executor_take_out_delays(struct executor *executor);

/* What the rank is doing: event, call path and the operation's arguments. Returns `text`. */
char *executor_describe(const struct trace *trace, const struct executor *executor, char *text,
                        size_t size);

#endif
