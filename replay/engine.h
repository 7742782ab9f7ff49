/* An engine predicts when the events of a (transformed) trace would happen. Its output is an
 * ordinary trace: a view of the input with new time columns. Engines are independent of each other;
 * engine_list.c lists them, and a new one begins as a copy of engine_template.c. */
#ifndef REPLAY_ENGINE_H
#define REPLAY_ENGINE_H

#include "base/ini.h"
#include "replay/costs/disturbances.h"
#include "trace/trace.h"

struct model;

/* What an engine gets in addition to the trace. */
struct engine_setup {
    const void *options; /* of the engine, as read from the configuration; NULL: defaults */
    double poll_gap_s;   /* Tests closer than this are one polling loop (doc/methods.md, section 1);
                            0: CALL_POLL_GAP_S */
    const void *original; /* for a changed trace: the engine's state for the unchanged one, whose
                             measurements of the program it may use; else NULL */
};

/* What a run reports, the same on all processes except `own`. */
struct engine_run {
    double time_s;         /* T of this run */
    double lost_s;         /* detected time in which ranks had lost their cores, sum of all ranks */
    uint32_t disturbances; /* number of such losses */
    double pace_s; /* of a fixed piece of arithmetic in the computations of this run, on the slowest
                      rank; 0: not measured */
    struct disturbances own; /* of this process's rank */
    uint64_t wildcards;      /* number of receives that took the first message, and of those */
    uint64_t reordered;      /* among them that got another message than in the recording */
};

/* What the engine found before the runs. The same on all processes. */
struct engine_facts {
    bool trustworthy;     /* each rank has a core */
    const char *reason;   /* why it is not trustworthy; NULL if it is */
    bool correctable;     /* a run can fill `undisturbed`, so the correction can remove disturbances
                             by other programs on the cores */
    bool free_wildcards;  /* receives from any source or with any tag take the first message */
    char *approximations; /* one line for each kind of call that is not reenacted exactly; "" if all
                             are; the caller frees it */
    bool fits;            /* times were added to calls, so that they cost as much as recorded */
    double fitted;        /* sum of their absolute values, as a part of the ranks' time */
    /* The difference of calls between trial replays and recording, as a part of the ranks' time,
     * without the added times and with them: */
    double error_unfitted, error_fitted;
};

struct engine {
    const char *name, *description;
    bool any_processes; /* it runs on any number of processes, not on one per rank */
    bool computes; /* it computes the outcome and does not measure: every run has the same outcome,
                      which may be that of another machine */

    /* The engine's part of a configuration: its keys in section [replay], and a section that only
     * this engine has (NULL: none). Their values are read into options that have `options_size`
     * bytes and are copies of `default_options` before. Strings in them belong to the ini. */
    const struct ini_key *replay_keys;
    const char *section;
    const struct ini_key *section_keys;
    size_t options_size;
    const void *default_options;
    /* Fails with file, line and the expected values if the values contradict each other. NULL: they
     * cannot. */
    enum status (*check_options)(const struct ini *ini, const void *options, struct error *error);

    /* Collective. Prepares runs of the trace, which is matched and checked: compiles it, makes
     * buffers and communicators. The trace must outlive the state. On failure nothing is left to
     * free. */
    enum status (*prepare)(const struct trace *trace, const struct engine_setup *setup,
                           void **state, struct engine_facts *facts, struct error *error);
    /* Collective. One run; fills the time columns of `view`, a view of the prepared trace. May be
     * called any number of times, also alternating with runs of another prepared state.
     * `undisturbed` may be NULL. For a `correctable` state it may be another view, in which each
     * call gets its length in `view`, but each computation its length in the prepared trace; the
     * times of different ranks do not agree then (correction/correction.h). For an engine that
     * `computes`, `view` may be NULL, if only T is needed. */
    enum status (*run)(void *state, struct trace *view, struct trace *undisturbed,
                       struct engine_run *run, struct error *error);
    void (*release)(void *state);

    /* The model of a prepared state, for questions about single waits (model/model.h). NULL: the
     * engine has none. */
    struct model *(*equations)(void *state);
};

/* NULL-terminated; replay/engine_list.c. */
extern const struct engine *const engine_list[];

/* NULL if no engine has that name. */
const struct engine *engine_find(const char *name);

#endif
