/* The state of a prepared replay, and its runs (run.c), for realtime.c and for trial replays. */
#ifndef REPLAY_REALTIME_REALTIME_PRIVATE_H
#define REPLAY_REALTIME_REALTIME_PRIVATE_H

#include "replay/realtime/compiler.h"
#include "replay/realtime/moved.h"
#include "replay/engine.h"
#include "replay/realtime/options.h"
#include "replay/realtime/tuned.h"
#include "replay/realtime/watchdog.h"

#include <pthread.h>

/* One of the further ranks of this process: a thread of the traced program. */
struct rank_thread {
    const struct realtime *state;
    uint32_t number; /* among this process's ranks, from 1 */
    struct trace trace;
    struct replay_program program;
    struct executor executor;
    pthread_t thread;
    bool runs;
    _Atomic uint64_t *start; /* 0: not chosen yet, UINT64_MAX: never */
};

struct realtime {
    const struct trace *trace;   /* this process runs its ranks of it */
    struct trace first;          /* the same with the first of these ranks only */
    struct rank_thread *threads; /* [thread_count]: the further ranks (threads.c) */
    uint32_t thread_count;
    _Atomic uint64_t start;
    struct moved *moved; /* NULL: this process runs the rank that it owns */
    struct realtime_options options;
    double poll_gap_s;
    bool keeps_noise; /* its replays are not corrected (replay/correction/correction.h) */
    bool drifted;     /* the user has been warned of the clock's drift */
    struct clock clock;
    struct placement placement;
    MPI_Errhandler handler;
    struct communicators communicators;
    struct arena *calls_arena;
    struct datatypes datatypes;
    struct rebuilt_types rebuilt;
    struct buffers buffers;
    struct wildcards wildcards; /* all zero: receives name their message as recorded */
    struct replay_program program;
    struct wildcard_log wildcard_log;
    struct windows windows;
    struct executor executor;
    struct watchdog *watchdog;
    struct working_set working_set;
    struct stream_fill stream;
    struct tuning tuning;
    void *attached; /* for MPI_Buffer_attach */
    uint64_t attached_size;
};

/* Collective. Runs the program once; `timeline` converts the readings in state->executor. */
enum status realtime_run_once(struct realtime *state, struct timeline *timeline,
                              struct error *error);

/* Long losses of the core in the last run, in times of the trace. */
void realtime_note_losses(struct realtime *state, const struct timeline *timeline,
                          struct disturbances *own);

/* Fails if threads cannot replay this process's ranks: MPI must allow calls by several threads at
 * once, and the options must not move ranks, stream through memory, or free wildcards. Not
 * collective. */
enum status threads_check(const struct trace *trace, const struct realtime_options *options,
                          struct error *error);

/* Prepares the threads of all ranks of this process but the first; false if out of memory. */
bool threads_open(struct realtime *state);
void threads_close(struct realtime *state);

/* Sets when the threads start, after all programs have been compiled. */
void threads_link(struct realtime *state, double ticks_scale);

/* To be called before and after a run of the first rank: the other ranks wait for their start, and
 * run. */
enum status threads_begin_run(struct realtime *state, struct error *error);
void threads_start(struct realtime *state, uint64_t start); /* 0: they end at once */
void threads_end_run(struct realtime *state);

/* engine->run */
enum status realtime_run(void *opaque, struct trace *view, struct trace *undisturbed,
                         struct engine_run *run, struct error *error);

#endif
