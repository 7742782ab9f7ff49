/* What carries the messages of a trace, as far as hypotheses change it. Only an engine that
 * computes can follow them: the machine a replay runs on is what it is. */
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
    uint32_t *node; /* [rank]: ranks with equal numbers share a node; NULL: as recorded */
};

/* The environment of a trace that hypotheses change, to be changed: made, as recorded, if it has
 * none; copied if it is another trace's. NULL and an error when memory is out. */
struct environment *environment_change(struct trace *trace, struct error *error);

#endif
