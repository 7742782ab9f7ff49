/* An engine predicts when the events of a (transformed) trace would happen. Its output is an
 * ordinary trace: a view of the input with new time columns. Engines do not know each other;
 * engine_list.c names them all, and engine_template.c is where to start a new one. */
#ifndef REPLAY_ENGINE_H
#define REPLAY_ENGINE_H

#include "base/ini.h"
#include "replay/costs/disturbances.h"
#include "trace/trace.h"

struct model;

#define ENGINE_POLL_GAP_S 20e-6 /* the poll gap if nobody names one ([replay] poll_gap) */

/* What an engine gets beside the trace. */
struct engine_setup {
    const void *options; /* the engine's own, as read from the configuration; NULL: defaults */
    double poll_gap_s; /* Tests closer than this are one polling loop (doc/methods.md, section 1) */
    const void *original; /* for a changed trace: the engine's state for the original, from which it
                             may take over what it has measured about the program; else NULL */
};

/* What a run reports, the same on all processes except `own`. */
struct engine_run {
    double time_s;           /* T of this run */
    double lost_s;           /* time lost by preemption, sum of all ranks, as far as detected */
    uint32_t disturbances;   /* gaps in which a rank lost its core */
    struct disturbances own; /* of this process's rank */
    uint64_t wildcards;      /* receives that took the first message, and those among them */
    uint64_t reordered;      /* that got another message than in the recording */
};

/* What the engine found before the runs, the same on all processes. */
struct engine_facts {
    bool trustworthy;   /* a free core per rank */
    const char *reason; /* why it is not, NULL if it is */
    bool correctable; /* other programs on the cores disturb its runs; the correction can take that
                         out, and a run can fill `undisturbed` for it */
    bool free_wildcards;  /* receives from any source or with any tag take the first message */
    char *approximations; /* what is not reenacted for real, one line each; "" if all is */
    double timer_ns;      /* cost of reading the clock */
    bool fits;            /* calls were made as long as in the recording, by */
    double fitted;        /* this part of the ranks' time, without regard to the sign */
};

struct engine {
    const char *name, *description;
    bool any_processes; /* runs on any number of processes, not on one per rank */
    bool computes; /* the outcome is computed from the recording, not measured: it is the same in
                      every run, and may be that of another machine */

    /* The engine's part of a configuration: its own keys in section [replay], and the section and
     * keys that belong to it alone (NULL: none). Their values are read into options that have
     * `options_size` bytes and begin as `default_options`. Strings in them belong to the ini. */
    const struct ini_key *replay_keys;
    const char *section;
    const struct ini_key *section_keys;
    size_t options_size;
    const void *default_options;
    /* Fails with file, line and what was expected if the values do not fit together. NULL: they
     * always do. */
    enum status (*check_options)(const struct ini *ini, const void *options, struct error *error);

    /* Collective. Compiles the trace (matched, checked) into what a run needs: buffers,
     * communicators. The trace must outlive the state. */
    enum status (*prepare)(const struct trace *trace, const struct engine_setup *setup,
                           void **state, struct engine_facts *facts, struct error *error);
    /* Collective. One run; fills the time columns of `view`, a view of the prepared trace. May be
     * called any number of times, also alternating with runs of another prepared state.
     * `undisturbed` may be NULL; for a `correctable` state it may be another view, which gets each
     * call as long as in `view`, but each computation as long as in the prepared trace, so the
     * ranks' times do not agree (correction/correction.h). `view` may be NULL for an engine that
     * `computes`: only T is wanted. */
    enum status (*run)(void *state, struct trace *view, struct trace *undisturbed,
                       struct engine_run *run, struct error *error);
    void (*release)(void *state);

    /* The equations of a prepared state, which answer questions about single waits (model/model.h).
     * NULL: the engine has none. */
    struct model *(*equations)(void *state);
};

/* NULL-terminated; replay/engine_list.c. */
extern const struct engine *const engine_list[];

/* NULL if no engine has that name. */
const struct engine *engine_find(const char *name);

#endif
