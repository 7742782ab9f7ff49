/* The state and the clock that all parts of the recorder share. */
#ifndef MEASURE_MEASUREMENT_STATE_H
#define MEASURE_MEASUREMENT_STATE_H

#include "base/clock.h"
#include "measure/recorder/record_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_HIDDEN __attribute__((visibility("hidden"))) /* of variables: spares the GOT */

/* Of functions that are part of each message's record: a call would cost as much as they do. The
 * compiler alone would not inline them, because there are so many wrappers. */
#define HOT_INLINE    __attribute__((always_inline)) static inline

enum measurement_state {
    MEASUREMENT_NONE,    /* not traced, or given up */
    MEASUREMENT_STAGING, /* the rank is unknown until MPI_Init returns: records stay in memory */
    MEASUREMENT_FILES,   /* records go into files */
};
extern enum measurement_state measurement_state RECORD_HIDDEN;

/* Whether wrappers record. */
extern bool recorder_on RECORD_HIDDEN;

/* MPI_Pcontrol has switched recording off. */
extern bool measurement_paused RECORD_HIDDEN;

/* As set by silas-trace in the environment; constant once the library is loaded. */
struct measurement_settings {
    const char *directory; /* absolute; NULL: not under silas-trace */
    size_t segment_size;   /* of the master thread, bytes */
    bool every_test;       /* failed tests and probes of polling loops are not folded */
    bool reduces;          /* records are reduced while the program runs */
    bool no_handles;       /* making and freeing handles is not recorded as collective */
    const char *filter;    /* absolute path of the file, or NULL */
    int keeper;            /* socket to the process that writes the archive, -1 if there is none */
};
extern struct measurement_settings measurement_settings RECORD_HIDDEN;

/* Several of the program's threads may call MPI, in turns or at once. Set before measurement_begin.
 */
extern bool measurement_threads RECORD_HIDDEN;

/* In MPI_COMM_WORLD; RECORD_NONE until it is known. */
extern uint32_t measurement_rank RECORD_HIDDEN;

/* Ends recording. The first call prints the reason, unless `format` is NULL. */
void measurement_decline(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same after a failure: of what should be in the archive, something will be missing. */
void measurement_give_up(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Something will be missing in the archive. The process then ends with an exit status that says so
 * (measurement.c), although the program runs to its end. */
extern bool measurement_failed RECORD_HIDDEN;

/* The same for lack of memory. */
void measurement_out_of_memory(void);

/* The clock of this process's records. Its rate is the ticks of two moments divided by the time
 * between them on CLOCK_MONOTONIC. */
extern struct clock tracer_clock RECORD_HIDDEN;

/* Chooses the clock; once, when the library is loaded. */
void tracer_clock_open(void);

/* The moment when the clock was chosen. MPI_Init lies between it and the first moment in an event
 * file, so the rate is known to about 1e-6 even if the process ends early. */
extern struct record_moment tracer_clock_opened RECORD_HIDDEN;

struct record_moment tracer_clock_moment(void);

/* Ticks; without a system call. */
static inline uint64_t record_now(void)
{
    return clock_now(&tracer_clock);
}

#endif
