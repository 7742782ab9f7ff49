/* The state of a prepared replay, and its runs (run.c): for realtime.c and for trial replays. */
#ifndef REPLAY_REALTIME_REALTIME_PRIVATE_H
#define REPLAY_REALTIME_REALTIME_PRIVATE_H

#include "replay/realtime/compiler.h"
#include "replay/realtime/moved.h"
#include "replay/engine.h"
#include "replay/realtime/options.h"
#include "replay/realtime/tuned.h"
#include "replay/realtime/watchdog.h"

struct realtime {
    const struct trace *trace; /* this process runs its rank of it */
    struct moved *moved;       /* NULL: this process runs the rank that it owns */
    struct realtime_options options;
    double poll_gap_s;
    bool keeps_noise; /* its replays are not corrected (replay/correction/correction.h) */
    bool drifted;     /* the warning about the clock's drift has been given */
    struct clock clock;
    struct placement placement;
    MPI_Errhandler handler;
    struct communicators communicators;
    struct arena *calls_arena;
    struct datatypes datatypes;
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

/* engine->run */
enum status realtime_run(void *opaque, struct trace *view, struct trace *undisturbed,
                         struct engine_run *run, struct error *error);

#endif
