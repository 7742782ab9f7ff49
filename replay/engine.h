/* An engine predicts when the events of a (transformed) trace would happen. Its output is an
 * ordinary trace: a view of the input with new time columns. */
#ifndef REPLAY_ENGINE_H
#define REPLAY_ENGINE_H

#include "trace/trace.h"

struct call_limits;

struct engine_options {
    bool oversubscribe;    /* more ranks than cores is wanted: sleep instead of spinning */
    double timeout_s;      /* watchdog: no progress for so long ends the replay with each rank's
                              operation */
    double poll_gap_s;     /* Tests closer than this are one polling loop (METHODS 1) */
    bool free_wildcards;   /* receives from any source or with any tag take what comes first, not
                              what they have got in the recording */
    uint64_t buffer_limit; /* bytes for message buffers per rank at most, 0: no limit */
    bool stream;           /* computation streams through memory instead of spinning, */
    uint64_t stream_rate;  /* at so many bytes a second of each rank, 0: as fast as memory goes */
    bool untuned;          /* do not find out about the program: caches stay as they are */
    bool keep_noise;       /* losses of the core stay in the result (noise.h) */
    const void *tuned_by;  /* the engine's state for the original of a changed trace: what it found
                              out about the program is taken over; NULL: it is found out anew */

    bool absolute;       /* model: costs by the machine's parameters, not as recorded */
    bool parametric;     /* model: keep how the outcome depends on the latency (parametric.h) */
    const char *machine; /* model: path of a machine file, NULL: parameters from the recording */
    const struct call_limits
        *limits; /* model: of disturbed calls (noise.h); NULL: there are none */
};

/* From one moment to another, ticks. */
struct lost_time {
    uint64_t begin, end;
};

/* What the calls of one rank take longer on this machine than they did in the recording, by group
 * of calls (replay/costs/call_groups.h): means, ticks. A call of a path beyond them: nothing. */
struct call_excess {
    const int64_t *other, *waiting; /* of calls that wait for nobody; that wait for another rank */
    uint32_t path_count;
};

/* What a run says about itself, the same on all processes but for `losses` and `excess`. */
struct engine_run {
    double time_s;                  /* T of this run */
    double lost_s;                  /* time lost by preemption, all ranks, as far as detected */
    uint32_t disturbances;          /* gaps in which a rank lost its core */
    const struct lost_time *losses; /* when this process's rank had lost its core for long; in the
                                       view's time; valid until the next run */
    size_t loss_count;
    struct call_excess excess; /* of this process's rank; valid as long as the engine's state */
    uint64_t wildcards;        /* receives that took what came first, and those among them */
    uint64_t reordered;        /* that have got another message than in the recording */
};

/* What the engine found out before the runs, the same on all processes. */
struct engine_facts {
    bool trustworthy;     /* a free core per rank */
    const char *reason;   /* why not, NULL if it is */
    char *approximations; /* what is not reenacted for real, a line each; "" if all is */
    double timer_ns;      /* cost of reading the clock */
};

struct engine {
    const char *name, *description;
    bool any_processes; /* runs on any number of processes, not on one a rank */
    bool exact;         /* every run has the same outcome: one is enough */
    bool disturbed;     /* it measures: what else goes on on the cores lengthens a run */

    /* Collective. Compiles the trace (matched, checked) into what a run needs: buffers,
     * communicators. The trace must outlive the state. */
    enum status (*prepare)(const struct trace *trace, const struct engine_options *options,
                           void **state, struct engine_facts *facts, struct error *error);
    /* Collective. One run; fills the time columns of `view`, a view of the prepared trace. May be
     * called any number of times, also alternating with runs of another prepared state.
     * `undisturbed` is NULL, or another view: it gets each call as long as in `view`, but each
     * computation as long as in the prepared trace, so ranks do not agree (noise.h). Engines that
     * are not `disturbed` ignore it. */
    enum status (*run)(void *state, struct trace *view, struct trace *undisturbed,
                       struct engine_run *run, struct error *error);
    void (*release)(void *state);
};

/* NULL-terminated; replay/engine_list.c. */
extern const struct engine *const engine_list[];

/* NULL if there is none of that name. */
const struct engine *engine_find(const char *name);

#endif
