/* The state and the clock that all parts of the recorder share. */
#ifndef MEASURE_MEASUREMENT_STATE_H
#define MEASURE_MEASUREMENT_STATE_H

#include "base/clock.h"
#include "measure/recorder/record_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Access to a hidden variable does not go through the global offset table. */
#define RECORD_HIDDEN __attribute__((visibility("hidden")))

/* For functions that run for each message: calling them would cost as much as executing them, and
 * the compiler would not inline them into hundreds of wrappers by itself. */
#define HOT_INLINE    __attribute__((always_inline)) static inline

enum measurement_state {
    MEASUREMENT_NONE,    /* not traced, or recording has stopped */
    MEASUREMENT_STAGING, /* the rank is unknown until MPI_Init returns: records stay in memory */
    MEASUREMENT_FILES,   /* records go into files */
};
extern enum measurement_state measurement_state RECORD_HIDDEN;

/* Whether wrappers record. */
extern bool recorder_on RECORD_HIDDEN;

/* MPI_Pcontrol has switched recording off. */
extern bool measurement_paused RECORD_HIDDEN;

/* As set by silas-trace in the environment; constant once the library is loaded. */
enum call_sites { SITES_UNLESS_FUNCTIONS, SITES_ALWAYS, SITES_NEVER };

struct measurement_settings {
    const char *directory; /* absolute; NULL: not under silas-trace */
    size_t segment_size;   /* of the master thread, bytes */
    bool every_test;       /* failed tests and probes of polling loops are not folded */
    enum call_sites sites; /* whether each place in the program that calls MPI has a region */
    bool reduces;          /* records are reduced while the program runs */
    bool compatible;       /* the archive is for Scalasca 2.6 (silas-trace --compatible) */
    bool pthreads;         /* POSIX threads are recorded */
    const char *filter;    /* absolute path of the file, or NULL */
    int keeper;            /* socket to the process that writes the archive, -1 if there is none */
    const char *command; /* silas-trace and its options, a line each, or NULL: starts programs that
                            the program spawns */
    uint32_t world;      /* rank of the archive that is rank 0 of this MPI_COMM_WORLD */
};
extern struct measurement_settings measurement_settings RECORD_HIDDEN;

/* Several threads of the program may call MPI. Set before measurement_begin. */
extern bool measurement_threads RECORD_HIDDEN;

/* This process's rank in the archive, which is its rank in MPI_COMM_WORLD unless MPI_Comm_spawn has
 * started it; RECORD_NONE before measurement_begin. */
extern uint32_t measurement_rank RECORD_HIDDEN;

/* Ends recording. The first call prints the reason, unless `format` is NULL. */
void measurement_decline(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same after a failure: the archive will be incomplete. */
void measurement_give_up(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The archive will be incomplete. The program runs to its end, but a successful process then ends
 * with an exit status of silas-trace (measurement.c). */
extern bool measurement_failed RECORD_HIDDEN;

/* Calls measurement_give_up with the message for a failed allocation. */
void measurement_out_of_memory(void);

/* The clock of this process's records. Its rate is the ticks of two moments divided by the time
 * between them on CLOCK_MONOTONIC. */
extern struct clock tracer_clock RECORD_HIDDEN;

/* Chooses the clock; once, when the library is loaded. */
void tracer_clock_open(void);

/* The moment when the clock was chosen. MPI_Init runs between it and the first moment in an event
 * file. That is long enough to measure the clock's rate to about 1e-6 even if the process ends
 * early. */
extern struct record_moment tracer_clock_opened RECORD_HIDDEN;

struct record_moment tracer_clock_moment(void);

/* Ticks; without a system call. */
static inline uint64_t record_now(void)
{
    return clock_now(&tracer_clock);
}

#endif
