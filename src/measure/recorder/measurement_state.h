/* The state that all parts of the recorder share. */
#ifndef MEASURE_MEASUREMENT_STATE_H
#define MEASURE_MEASUREMENT_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_HIDDEN __attribute__((visibility("hidden"))) /* of variables: spares the GOT */

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
    const char *filter;    /* absolute path of the file, or NULL */
    int keeper;            /* socket to the process that writes the archive, -1 if there is none */
};
extern struct measurement_settings measurement_settings RECORD_HIDDEN;

/* In MPI_COMM_WORLD; RECORD_NONE (record_format.h) until it is known. */
extern uint32_t measurement_rank RECORD_HIDDEN;

/* Ends recording. The first call prints the reason, unless `format` is NULL. */
void measurement_give_up(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
