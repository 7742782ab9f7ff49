/* Finds the communication of a trace that folds (doc/methods.md, section 10): the messages and
 * collective operations without which all times of all ranks stay the same under every declared
 * assumption. */
#ifndef REDUCTION_FOLDING_H
#define REDUCTION_FOLDING_H

#include "base/arena.h"
#include "replay/model/compile.h"

/* The assumptions about a trace. */
struct folding_input {
    struct part_assumed changed; /* `messages` and `collectives` that may be changed never fold */
    int64_t least_wait; /* ticks: waits at least as long may be left out; INT64_MAX: none */
    const struct environment *environment; /* the other environment that is assumed; NULL: none */
    const struct machine *machine;         /* when messages arrive; NULL: fitted to the recording */
    double poll_gap_s;
    bool terms; /* describe differences by terms (reduce/rules/moments.h), as the tracer does; else
                   by pairs, up to FOLDING_PAIRS_MOST ranks */
};

enum { FOLDING_PAIRS_MOST = 1024 };

struct folding {
    bool **messages;    /* [owned stream][message]: folds, and so does its other end */
    bool **collectives; /* [owned stream][collective]: folds on all members */
    bool **calls; /* [owned stream][row]: ENTERs of MPI calls that stay although they have no record
                     of their own, and of all calls whose cost depends on the environment */
    bool *removes;          /* [owned stream]: an assumption may remove some of its calls */
    struct machine machine; /* that was used */
    const struct trace *trace;
    struct arena *arena; /* owns the flags */
};

/* Collective. The trace must be matched. The outcome does not depend on the number of processes.
 * Fails if the ranks wait for each other forever in the model. On failure nothing is left to free;
 * otherwise free the folding with folding_clear. */
enum status folding_find(const struct trace *trace, const struct folding_input *input,
                         struct folding *folding, struct error *error);
void folding_clear(struct folding *folding);

#endif
