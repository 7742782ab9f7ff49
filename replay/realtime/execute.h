/* Running a program against the clock. */
#ifndef REPLAY_REALTIME_EXECUTE_H
#define REPLAY_REALTIME_EXECUTE_H

#include "base/clock.h"
#include "replay/engine.h"
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

struct executor {
    const struct replay_program *program;
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

/* Runs the whole program; `start` is the moment in ticks at which the trace begins. */
void executor_run(struct executor *executor, uint64_t start);

/* Changes the readings of the run: every computation gets its planned length, every call keeps the
 * length that it had. */
void executor_take_out_delays(struct executor *executor);

/* Completes requests that the program leaves open (the clock does not run any more). */
void executor_drain(struct executor *executor);

/* --- between execute.c and operations.c ------------------------------------------------------- */

/* Spins (or sleeps) until the clock shows `deadline`; returns the first reading that is not before.
 */
uint64_t executor_wait_until(struct executor *executor, uint64_t deadline);

/* Performs one operation to its end. */
void operate(struct executor *executor, const struct op *op);

/* operate_collectives.c */
void operate_collective(const struct collective_call *c);
void operate_icollective(const struct collective_call *c, MPI_Request *r);

/* operate_communicators.c: leaves what it has made in executor->made. */
void operate_creation(struct executor *executor, const struct comm_call *c);

/* operate_windows.c */
void operate_window(struct executor *executor, const struct op *op);

/* Sleeps for a moment. */
void operate_nap(void);

/* Waits for requests; where processes share cores by tests with naps between. */
void operate_wait(struct executor *executor, int count, MPI_Request *requests,
                  MPI_Status *statuses);

/* What an MPI call on several requests has returned; the statuses tell which of them failed. MPI
 * itself hands all other errors to the handlers of realtime_errors.c. */
void operate_check(int code, int count, const MPI_Status *statuses);

/* realtime_errors.c: says in which call of the replay MPI has failed, and ends the job. Returns
 * where the error does no harm. */
void replay_fail(int code);

/* realtime_errors.c: before a job ends by force: gives what this rank and those that fail with it
 * have printed time to arrive, and removes temporary files. Any thread. */
void replay_clean_up(void);

#endif
