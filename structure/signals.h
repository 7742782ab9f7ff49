/* Signals: what the ranks do over time, as numbers of ranks (doc/methods.md, section 9). */
#ifndef STRUCTURE_SIGNALS_H
#define STRUCTURE_SIGNALS_H

#include "trace/trace.h"

/* X(identifier, name): what a rank can do. */
#define SIGNALS(X)                      \
    X(POINT_TO_POINT, "point-to-point") \
    X(COLLECTIVE, "collective")         \
    X(COMPUTATION, "computation")       \
    X(FLUSHING, "flushing")

enum signal_kind {
#define X(identifier, name) SIGNAL_##identifier,
    SIGNALS(X)
#undef X
        SIGNAL_CALL /* inside one MPI call or region, which has a name */
};

struct signal_choice {
    enum signal_kind kind;
    const char *region; /* of SIGNAL_CALL */
};

/* Finds a kind by its name; any other name is that of a region. NULL is point-to-point. */
struct signal_choice signal_choose(const char *name);
const char *signal_name(const struct signal_choice *choice);

/* Collective: values[count], the mean number of ranks that do this during each of `count` equal
 * parts of the time from begin up to end (ticks, begin < end). The same on any number of processes.
 * Fails if memory is out. */
enum status signal_sample(const struct trace *trace, const struct signal_choice *choice,
                          uint64_t begin, uint64_t end, float *values, size_t count,
                          struct error *error);

#endif
