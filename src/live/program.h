/* The equations of a trace as a page has them: they are evaluated in the browser while the user
 * changes the program (doc/report-html.md). pack.c packs them, and unpack.c unpacks them. change.c
 * changes the program, computation.c gives the times of its computation, and evaluate.c evaluates
 * the equations. With module.c and the functions of the model that they need, these four are
 * compiled to WebAssembly. The results are those of silas-model to the tick.
 *
 * Only computation and the network change, so the steps stay as they are. The moments of this
 * arithmetic are predicted times themselves, and the times of steps are relative to their call:
 *
 * - STEP_FREE: t <- t + the computation before a call. It consists of segments, each with a call
 *   path.
 * - LIVE_LOOP: after a polling loop, the segments between its rounds. They take none of the rank's
 *   time in addition to the loop, but changes of computation count them.
 * - STEP_POST, ...: the arrival is at t + the time from the call's begin + that of the transfer.
 * - STEP_WAIT, ...: t <- max(t, arrival + lag).
 * - STEP_END: t <- t + cost.
 *
 * Larger changes of computation would change the steps: other tests would form a polling loop, or
 * threads of a parallel region would meet otherwise. So a rank has bounds for sums of consecutive
 * segments, within which the steps are right, and what parallel regions compute is not changed.
 *
 * The last slots, two for each rank, get the moments between which POP's efficiencies count the
 * rank (live_focus_slot).
 *
 * The packed form is numbers as LEB128 (report/packing.h; signed ones as z << 1 ^ z >> 63), after
 * `struct live_head` as it is in memory:
 *
 *   parent + 1 and enum live_path of each call path;
 *   blocks, one from each process that has packed:
 *     numbers of ranks, steps, segments, lists of terms, terms
 *     per list the number of its terms, and each term
 *     per rank the numbers of its steps and segments, and of its bounds << 1, | 1 if it has teams
 *     the sizes of the columns (enum live_column), and the columns: each has all ranks, one after
 *     the other, which compresses better than columns per rank */
#ifndef LIVE_PROGRAM_H
#define LIVE_PROGRAM_H

#include "equations/equations.h"
#include "replay/model/call_term.h"

/* All members have the same size and place on all machines with pages. */
struct live_head {
    struct loggps distances[DISTANCE_COUNT]; /* where it was recorded */
    double ticks_per_second;
    /* the network of the changed program (struct environment) */
    double latency, bandwidth, overhead, latency_s, bandwidth_rate; /* the last two: < 0: none */
    uint64_t eager_limit;                                           /* UINT64_MAX: as recorded */
    uint32_t ideal; /* 1: communication takes no time */
    uint32_t far;   /* 1: ranks run on several nodes */
    uint32_t version, ranks, slots, instances, paths;
    uint32_t unused;
};

enum { LIVE_VERSION = 5 };

/* In the place of a step's code. */
enum { LIVE_LOOP = STEP_SKIPPED };

/* Of a call path. */
enum live_path {
    LIVE_COMMUNICATES = 1, /* in MPI, or waits for threads: its time is never changed */
    LIVE_WAITS = 4,        /* ... for threads: that counts as computation of the run */
    LIVE_IN_TEAM = 2,      /* threads of parallel regions compute in it */
    LIVE_IN_MPI = 8,       /* an MPI call, or within one */
    LIVE_IN_THREADS = 16,  /* threads other than those of ranks compute in it */
    LIVE_PATH_FLAGS = 32   /* all are below */
};

/* What the sum of some segments must keep to. */
enum live_bound {
    LIVE_AT_MOST,  /* ticks: tests or probes are a polling loop */
    LIVE_AT_LEAST, /* ticks: they are not */
    LIVE_AFTER,    /* ticks less than recorded: a thread begins after its last parallel region;
                      holds after each change of computation */
    LIVE_BOUNDS
};

enum live_column {
    LIVE_CODES,   /* enum step_code; STEP_FREE and LIVE_LOOP: + the number of its segments << 4 */
    LIVE_SLOTS,   /* of steps with slots and instances: the difference from the last one of the
                     code on the rank. STEP_END: its call path + 1 */
    LIVE_TIMES,   /* signed: lag; of posts and ends the base of struct step_cost; of LIVE_LOOP the
                     time of its calls */
    LIVE_LISTS,   /* of posts and ends: 1 + list of terms; 0: none */
    LIVE_PATHS,   /* of segments: call path + 1 */
    LIVE_LENGTHS, /* the rank's begin, then the length of each segment */
    LIVE_LIMITS,  /* per bound: its end, as the difference from the last one's; the number of its
                     segments * LIVE_BOUNDS + enum live_bound; ticks */
    LIVE_COLUMNS
};

static inline bool live_has_cost(uint8_t code)
{
    return code == STEP_POST || code == STEP_POST_SCAN || code == STEP_ARRIVE || code == STEP_END;
}

static inline bool live_waits(uint8_t code)
{
    return code == STEP_WAIT || code == STEP_AWAIT;
}

/* The slot with the start (or, if `end`, the end) of POP's run on a rank. */
static inline uint32_t live_focus_slot(const struct live_head *head, uint32_t rank, bool end)
{
    assert(rank < head->ranks && head->slots >= 2 * (uint64_t)head->ranks);
    return head->slots - 2 * head->ranks + 2 * rank + end;
}

struct live_program;

/* NULL: damaged, or out of memory. The data are not needed afterwards. */
struct live_program *live_open(const unsigned char *data, size_t size);
void live_close(struct live_program *program); /* NULL is allowed */
const struct live_head *live_head_of(const struct live_program *program);

/* Changes of the program, applied in the order of the calls. Those that return a bool return false
 * if a rank would run longer than its clock can count; then start again. */
void live_restart(struct live_program *program);
/* Multiplies the computation of the chosen call paths, and of all that is called from them. */
bool live_scale(struct live_program *program, const bool *chosen, double factor);
/* Divides all computation of a rank. */
bool live_speed(struct live_program *program, uint32_t rank, double speed);
/* Balances the outermost calls of the chosen call paths, as [balance] does; `by_instance`: its mode
 * = instance. Also false if they do not compute, or if memory is out. */
bool live_balance(struct live_program *program, const bool *chosen, bool by_instance);
/* Sets the network: factors, and values in seconds and bytes per second (< 0: none), relative to
 * that of the packed trace. */
void live_network(struct live_program *program, double latency, double bandwidth, double latency_s,
                  double bandwidth_rate);

/* The reasons for which live_time computes no T. */
enum live_problem {
    LIVE_STUCK = -1,    /* ranks wait for each other forever */
    LIVE_REGROUPS = -2, /* other tests or probes would form a polling loop */
    LIVE_TEAMS = -3,    /* the work of threads in parallel regions, or a balance with others */
    LIVE_DELAYS = -4,   /* parallel regions would follow each other before all threads are free */
};

/* Evaluates the equations. T in ticks, or enum live_problem. */
int64_t live_time(struct live_program *program);

/* After LIVE_REGROUPS: the call path of the computation between the tests, + 1. */
uint32_t live_problem_path(const struct live_program *program);

/* From now on, evaluations draw a picture of the first `ticks` ticks: `lanes` rows, for about
 * equally many ranks each, and `columns` columns: [lane * columns + column]. NULL: out of memory.
 * The picture belongs to the program until the next call of this function. */
const struct live_shares *live_picture(struct live_program *program, uint32_t lanes,
                                       uint32_t columns, double ticks);

/* Parts of a column's time, summed over the ranks of the lane. The rest is computation. */
struct live_shares {
    float in_calls; /* in MPI calls, without the waiting */
    float waiting;  /* until the last message or member that the call needs has arrived */
    float absent;   /* before a rank's first event, and after its last one */
};

/* After live_time: when the rank's last event is, in ticks. */
int64_t live_end_of(const struct live_program *program, uint32_t rank);

/* Of POP's run (results/efficiency/measure.h), in ticks. */
struct live_factors {
    double mean, longest; /* computation of the ranks */
    double time;          /* T, from MPI_Init to MPI_Finalize */
};

/* After live_time. */
struct live_factors live_factors_of(const struct live_program *program);

/* Evaluates the equations with calls that cost nothing: T of POP's run on an ideal network, in
 * ticks, or enum live_problem. Afterwards only live_time has a meaning. */
int64_t live_ideal(struct live_program *program);

/* After live_time: the ticks that all ranks spend in each call path itself. [path]; belongs to the
 * program. A call of a region within an MPI call counts as part of that call. */
const int64_t *live_spent(struct live_program *program);

#endif
