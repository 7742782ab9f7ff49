/* Folded loops: a trace in one small file, in which repeated iterations are stored once and what
 * varies in them beside it. doc/reduction.md describes the format, doc/methods.md, section 10, the
 * method and its bound.
 *
 * Exact: the trace that is read is the one that was written, to the last bit. Bounded: time stamps
 * are rounded, none by more than a quantum; structure, messages and operations are exact.
 *
 * Any number of processes can write and read such a file: each does its own ranks. The bytes do not
 * depend on the number of processes. */
#ifndef LOOPS_LOOPS_H
#define LOOPS_LOOPS_H

#include "trace/trace.h"

#define LOOPS_FILE_NAME "traces.loops"

struct loops_options {
    uint64_t quantum; /* ticks; 0: exact */
};

/* Sums over all processes. */
struct loops_outcome {
    int64_t events;    /* rows */
    int64_t bytes;     /* of the file */
    int64_t durations; /* between rows that are not alike in all iterations, */
    int64_t entropy;   /* and their empirical entropy in bits: no coder that takes the durations at
                          one   position as independent can do with less */
    uint64_t furthest; /* ticks between a time stamp and its rounded one, at most */
};

/* Collective. Writes a trace that is as loaded (not matched) as `directory`/LOOPS_FILE_NAME. The
 * directory must not exist; it appears complete or not at all. */
enum status loops_write(const struct trace *trace, const char *directory,
                        const struct loops_options *options, struct loops_outcome *outcome,
                        struct error *error);

/* The file that `path` names, if it is a file of folded loops or a directory with exactly one file
 * ending in ".loops": a new string, which the caller frees. NULL otherwise, or when memory is out.
 */
char *loops_find(const char *path);

/* Fills `trace`, whose arena and processes are set, from the file `path`; each process reads the
 * ranks that it owns. Not collective: the caller makes the processes agree. Errors say what is
 * damaged. */
enum status loops_read(const char *path, struct trace *trace, struct error *error);

/* Reads the definitions only; the caller destroys their arena. */
enum status loops_read_definitions(const char *path, struct definitions **definitions,
                                   struct error *error);

#endif
