/* Where the ranks of a trace run and what carries their messages, as far as hypotheses change it.
 * Only an engine that computes can follow all of it: the machine a replay runs on is what it is,
 * but ranks can exchange their places there. */
#ifndef TRACE_ENVIRONMENT_H
#define TRACE_ENVIRONMENT_H

#include "trace/trace.h"

/* X(identifier, name in configuration files): how a collective operation is carried out. */
#define ALGORITHMS(X)                                \
    X(AUTOMATIC, "automatic") /* as MPICH chooses */ \
    X(LINEAR, "linear")                              \
    X(BINOMIAL, "binomial")                          \
    X(RECURSIVE_DOUBLING, "recursive_doubling")      \
    X(RING, "ring")                                  \
    X(PAIRWISE, "pairwise")                          \
    X(BRUCK, "bruck")                                \
    X(SCATTER_GATHER, "scatter_gather")

enum algorithm {
#define X(identifier, name) ALGORITHM_##identifier,
    ALGORITHMS(X)
#undef X
        ALGORITHM_COUNT
};

extern const char *const algorithm_names[ALGORITHM_COUNT + 1]; /* NULL-terminated */

/* Owned by the arena of the trace that it was made for. */
struct environment {
    double latency, bandwidth, overhead; /* times those of the machine it was recorded on */
    bool ideal;                          /* communication takes no time at all */
    bool has_eager_limit;
    uint64_t eager_limit; /* the largest message that does not wait for its receive */
    uint8_t algorithms[COLLECTIVE_OP_COUNT]; /* enum algorithm */
    uint32_t *node;  /* [rank]: ranks with equal numbers share a node; NULL: as recorded */
    uint32_t *place; /* [rank]: whose place (process, core, node) in the recording it has now, each
                        rank's once; NULL: its own */
};

/* The environment of a trace that hypotheses change, to be changed: made, as recorded, if it has
 * none; copied if it is another trace's. NULL and an error when memory is out. */
struct environment *environment_change(struct trace *trace, struct error *error);

/* That of a replay of `trace`, seen as a recording of its own: of what hypotheses say about the
 * machine, a replay follows only where its ranks are. `place` stays the trace's. */
struct environment environment_of_replay(const struct trace *trace);

/* The name of the host on which a rank of the trace runs: that of its place. */
const char *environment_host(const struct trace *trace, uint32_t rank);

/* hosts[rank]: numbers from 0 on, in order of the ranks; equal for ranks whose places were on one
 * host when the trace was recorded. False when memory is out. */
bool environment_number_hosts(const struct trace *trace, uint32_t *hosts);

#endif
