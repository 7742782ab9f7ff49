/* Computation that shares the bandwidth of a memory domain (doc/methods.md, section 14).
 *
 * The call paths of a trace belong to classes of computation. A piece is an interval of a rank's
 * computation, without communication, whose call paths all belong to one class. A piece of a rank
 * is also the time in which its threads run such computation in a parallel region. In the same way,
 * calls that read or write a file share the bandwidth of storage. */
#ifndef REPLAY_COSTS_PIECES_H
#define REPLAY_COSTS_PIECES_H

#include "base/array.h"
#include "trace/trace.h"

/* Which computation shares bandwidth, and which ranks share it. */
struct sharing {
    const uint16_t *class_of; /* [call path]: class + 1; 0: it needs no bandwidth. Constructs of
                                 OpenMP have the class of the computation in them */
    const uint16_t *thread_class_of; /* [call path]: likewise of what a thread computes there; 0:
                                        nothing, or it waits. NULL: ranks have no threads */
    uint32_t path_count;             /* of these arrays; further call paths need no bandwidth */
    const double *shares;    /* [class]: the part of a domain's bandwidth that one thread needs in
                                order not to be slowed down, 0 to 1 */
    const uint32_t *domains; /* [rank]: its memory domain, from 0 on */
    uint32_t domain_count;
    bool files; /* the pieces are calls that access a file, and the domain is the storage */
};

/* A piece begins with the event `first` and ends with the event `last` > `first`. */
struct piece {
    uint32_t first, last; /* rows */
    uint32_t class;
};

struct pieces {
    ARRAY(struct piece) list;
};

/* Whether the call path is an MPI call that reads or writes a file on one rank alone. */
bool callpath_accesses_file(const struct trace *trace, uint32_t path);

/* Appends the pieces of a stream, in order; pieces without length are left out. The same stream
 * always has the same pieces. The caller frees `list.items`. False if out of memory. */
bool pieces_find(const struct trace *trace, const struct stream *stream,
                 const struct sharing *sharing, struct pieces *pieces);

/* Sets threads[piece] of `count` pieces of the rank trace->streams[s]: the mean number of the
 * rank's threads that compute in the class during the piece. Without records of forks it is 1.
 * False if out of memory. */
bool pieces_find_threads(const struct trace *trace, uint32_t s, const struct sharing *sharing,
                         const struct piece *pieces, size_t count, double *threads);

#endif
