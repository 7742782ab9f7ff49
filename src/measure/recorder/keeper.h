/* The messages between a traced program and its keeper. silas-trace starts one keeper process per
 * rank before it becomes the program. The keeper sleeps until the program has ended, in whatever
 * way, and then converts the rank's records to its part of the archive. The last keeper of all
 * ranks completes the archive.
 *
 * The program that silas-trace becomes may be a script. The MPI program is then a descendant of it,
 * which inherits one end of a socket pair. Where that was closed on the way (Python's subprocess
 * closes all files), it connects to an address of the keeper's instead. */
#ifndef MEASURE_KEEPER_H
#define MEASURE_KEEPER_H

#include <assert.h>
#include <stdint.h>

enum keeper_word {
    /* from the program */
    KEEPER_RANK = 1, /* MPI is initialised; the message has the rank */
    KEEPER_NOTHING,  /* nothing is recorded; the program has printed why */
    KEEPER_END,      /* the program ends normally, the records are complete */
    KEEPER_ROOT_END, /* the process that silas-trace became ends and was not recorded itself */
    /* from the keeper */
    KEEPER_DONE,   /* the rank's part is written */
    KEEPER_NONE,   /* no process has initialised MPI under the tracer */
    KEEPER_FAILED, /* the rank's part or the archive could not be written */
};

struct keeper_message {
    uint32_t word, rank, size, reserved;
};
static_assert(sizeof(struct keeper_message) == 16, "the receiver takes other sizes for an end");

enum { KEEPER_DEFAULT_BUFFER = 32 << 20 }; /* bytes of a segment */

/* Environment of the traced process. */
#define KEEPER_ENV_DIRECTORY "SILAS_TRACE_DIRECTORY" /* absolute; set: the process is traced */
#define KEEPER_ENV_SOCKET    "SILAS_TRACE_KEEPER"    /* KEEPER_SOCKET_FORMAT */
#define KEEPER_ENV_BUFFER    "SILAS_TRACE_BUFFER"    /* bytes of a segment */
#define KEEPER_ENV_FILTER    "SILAS_TRACE_FILTER"    /* absolute path */
#define KEEPER_ENV_OVERWRITE "SILAS_TRACE_OVERWRITE" /* set: an archive may be replaced */
#define KEEPER_ENV_OPENMP    "SILAS_TRACE_OPENMP"    /* set: OpenMP's constructs are regions */
#define KEEPER_ENV_TEAMS     "SILAS_TRACE_TEAMS"     /* costs of teams: SILAS::TEAM_COSTS */
#define KEEPER_ENV_THREADS   "SILAS_TRACE_THREADS"   /* usual team: SILAS::OMP_THREADS */
#define KEEPER_ENV_PTHREAD   "SILAS_TRACE_PTHREAD"   /* set: POSIX threads are recorded */
#define KEEPER_ENV_PYTHON    "SILAS_TRACE_PYTHON"    /* set: Python's functions are regions */
#define KEEPER_ENV_REDUCE    "SILAS_TRACE_REDUCE"    /* set: the keeper reduces the records */
#define KEEPER_ENV_SCALASCA  "SILAS_TRACE_SCALASCA"  /* set: the archive is for Scalasca 2.6 */
#define KEEPER_ENV_EVERY     "SILAS_TRACE_EVERY"     /* set: polling loops are recorded whole */
#define KEEPER_ENV_SITES     "SILAS_TRACE_SITES"     /* regions for call sites: always, never */
#define KEEPER_ENV_COMMAND   "SILAS_TRACE_COMMAND"   /* silas-trace and its options, a line each */
#define KEEPER_ENV_WORLD     "SILAS_TRACE_WORLD"     /* first rank of a spawned world (worlds.h) */

/* File descriptor, device and inode of the inherited socket; the abstract address of the keeper's
 * other one; the process that silas-trace became. */
#define KEEPER_SOCKET_SCAN   "%d:%llu:%llu:%31[^:]:%d"
#define KEEPER_SOCKET_FORMAT "%d:%llu:%llu:%s:%d"

#endif
