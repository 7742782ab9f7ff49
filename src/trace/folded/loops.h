/* Archives of folded loops: a trace in one small file. Iterations that repeat are stored once, and
 * the numbers that vary between them in columns. doc/reduction.md describes the format,
 * doc/methods.md, section 10, the method and its bound.
 *
 * An exact archive (quantum 0) reproduces the trace to the last bit. In a bounded archive time
 * stamps are rounded by at most a quantum; structure, messages and operations are exact.
 *
 * Any number of processes can write and read such a file; each handles its own ranks. The bytes do
 * not depend on the number of processes. */
#ifndef TRACE_FOLDED_LOOPS_H
#define TRACE_FOLDED_LOOPS_H

#include "trace/trace.h"

#define LOOPS_FILE_NAME "traces.loops"

struct loops_options {
    uint64_t quantum; /* ticks; 0: exact */
};

/* Sums over all processes. */
struct loops_outcome {
    int64_t events;    /* rows */
    int64_t bytes;     /* of the file */
    int64_t durations; /* intervals between rows that are not the same in all iterations, */
    int64_t entropy; /* and their empirical entropy in bits: a lower bound for all coders that treat
                        the durations at one position as independent */
    uint64_t furthest; /* largest rounding of a time stamp, ticks */
};

/* Collective. Writes a trace as `directory`/LOOPS_FILE_NAME. The trace must be as loaded, not
 * matched. The directory must not exist; it appears only when it is complete. */
enum status loops_write(const struct trace *trace, const char *directory,
                        const struct loops_options *options, struct loops_outcome *outcome,
                        struct error *error);

/* The file of folded loops that `path` names: `path` itself, or the only file ending in ".loops" in
 * that directory. The caller frees the result. NULL if there is none, or when memory is out. */
char *loops_find(const char *path);

/* Fills `trace`, whose arena and processes are set, from the file `path`. Each process reads the
 * ranks that it owns. Not collective: the caller makes the processes agree on the status. Errors
 * describe the damage. */
enum status loops_read(const char *path, struct trace *trace, struct error *error);

/* Reads the definitions only; the caller destroys their arena. */
enum status loops_read_definitions(const char *path, struct definitions **definitions,
                                   struct error *error);

#endif
