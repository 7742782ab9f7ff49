/* Where the ranks of a trace run and over which network they communicate, as changed by hypotheses.
 * Only an engine that computes can apply all of it. A replay runs on a real machine; there
 * hypotheses can only exchange the places of ranks. */
#ifndef TRACE_ENVIRONMENT_H
#define TRACE_ENVIRONMENT_H

#include "trace/trace.h"

/* X(identifier, name in configuration files): the algorithm of a collective operation. */
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

/* Bandwidth that messages share, in bytes per second (replay/model/link_network.h); 0: no limit, or
 * as on the recording's machine. */
struct network_links {
    int64_t number;  /* of links of a node in each direction */
    double out, in;  /* of one link */
    double memory;   /* of a node, for messages within it */
    double switched; /* of the switch */
    int whole;       /* a message takes a link for itself (replay/model/link_queue.h), and one of */
    int64_t buses;   /* these; 0: any number */
};

/* Owned by the arena of the trace that it was made for. */
struct environment {
    double latency, bandwidth, overhead;    /* factors; 1: as on the recording's machine */
    bool has_latency_s, has_bandwidth_rate; /* the factors are for these values instead */
    double latency_s, bandwidth_rate;       /* seconds, bytes per second: between nodes or, if all
                                               ranks run on one node, within it */
    struct network_links links;
    bool ideal; /* communication takes no time at all */
    bool has_eager_limit;
    uint64_t eager_limit; /* the largest message that does not wait for its receive */
    uint8_t algorithms[COLLECTIVE_OP_COUNT]; /* enum algorithm */
    uint32_t *node;  /* [rank]: ranks with equal numbers are on one node; NULL: as recorded */
    uint32_t *place; /* [rank]: the rank whose place in the recording (process, core, node) it
                        takes, a permutation; NULL: each has its own place */
};

/* Takes over the values of `change` that are not 0. */
void network_links_change(struct network_links *links, const struct network_links *change);

/* Gives the trace a copy of its environment for a hypothesis to change; at first it is as recorded.
 * NULL and an error when memory is out. */
struct environment *environment_change(struct trace *trace, struct error *error);

/* The environment in which a replay of `trace` runs: as recorded, but with the places of `trace`.
 * `place` is the trace's array, not a copy. */
struct environment environment_of_replay(const struct trace *trace);

/* The name of the host on which a rank of the trace runs. */
const char *environment_host(const struct trace *trace, uint32_t rank);

/* Numbers the hosts from 0 in order of the ranks that run on them: sets hosts[rank]. Ranks whose
 * places were on one host in the recording get equal numbers. False when memory is out. */
bool environment_number_hosts(const struct trace *trace, uint32_t *hosts);

#endif
