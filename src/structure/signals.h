/* Signals: the number of ranks that are in a state, such as computation, over time (doc/methods.md,
 * section 9). */
#ifndef STRUCTURE_SIGNALS_H
#define STRUCTURE_SIGNALS_H

#include "structure/sampling.h"
#include "trace/load/counters.h"

/* X(identifier, name): states of a rank. */
#define SIGNALS(X)                      \
    X(POINT_TO_POINT, "point-to-point") \
    X(COLLECTIVE, "collective")         \
    X(COMPUTATION, "computation")       \
    X(FLUSHING, "flushing")

enum signal_state {
#define X(identifier, name) SIGNAL_##identifier,
    SIGNALS(X)
#undef X
        SIGNAL_CALL, /* inside one MPI call or region, or one call path */
    SIGNAL_COUNTER,  /* the value of a counter of the archive */
    SIGNAL_OWN       /* of a plug-in */
};

/* Before the name of a counter. */
#define SIGNAL_COUNTER_PREFIX "counter:"

struct signal_choice {
    enum signal_state kind;
    const char *name;  /* as the user gave it; NULL: that of the kind */
    const char *where; /* of SIGNAL_CALL: a region, or a call path with '/', matched at its end; of
                          SIGNAL_COUNTER: its name */
    const struct counter *counter; /* of SIGNAL_COUNTER: set before it is sampled */
    const struct signal_kind *own; /* of SIGNAL_OWN */
    const char *comm; /* only calls with records on this communicator (name or index); NULL: all */
    char text[256];   /* holds `where` */
};

/* Reads "NAME", "NAME@COMMUNICATOR" or "counter:NAME". A name that is not the name of a kind, or of
 * a signal of a plug-in, is a region or a call path. NULL is point-to-point. `name` must outlive
 * the choice. */
void signal_choose(const char *name, struct signal_choice *choice);
bool signal_is_counter(const char *name); /* NULL is not one */
const char *signal_name(const struct signal_choice *choice);

/* Whether the trace has the region that the choice names (the last one of a call path), and the
 * communicator. */
bool signal_has_region(const struct trace *trace, const struct signal_choice *choice);
bool signal_has_communicator(const struct trace *trace, const struct signal_choice *choice);

/* Collective: values[count], the mean number of ranks in the state, or the
 * mean of the sum of what the ranks contribute, during each of `count` equal
 * parts of the time from begin up to end (ticks, begin < end). The same on any number of processes.
 * Fails if out of memory. */
enum status signal_sample(const struct trace *trace, const struct signal_choice *choice,
                          uint64_t begin, uint64_t end, float *values, size_t count,
                          struct error *error);

#endif
