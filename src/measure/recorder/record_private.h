/* Between the files of the recorder: state of the measurement that wrappers have no use for. */
#ifndef MEASURE_RECORD_PRIVATE_H
#define MEASURE_RECORD_PRIVATE_H

#include "measure/recorder/record.h"

/* What this process does with events. */
enum measurement_state {
    MEASUREMENT_NONE,    /* not traced, or given up */
    MEASUREMENT_STAGING, /* before MPI_Init has ended: the rank is not known; memory of its own */
    MEASUREMENT_FILES,   /* into files */
};
extern enum measurement_state measurement_state RECORD_HIDDEN;

/* As set by silas-trace in the environment; constant once the library is loaded. */
struct measurement_settings {
    const char *directory; /* absolute; NULL: not under silas-trace */
    size_t segment_size;   /* of a rank's master thread, bytes */
    const char *filter;    /* absolute path of the file, or NULL */
    int keeper;            /* socket to the process that writes the archive, -1 if none */
};
extern struct measurement_settings measurement_settings RECORD_HIDDEN;
extern uint32_t measurement_rank RECORD_HIDDEN;

/* MPI_Pcontrol has switched recording off. */
extern bool measurement_paused RECORD_HIDDEN;

/* Gives up: nothing is recorded from now on. Says why, unless `format` is NULL. */
void measurement_give_up(const char *format, ...)
    __attribute__((format(printf, 1, 2))) RECORD_HIDDEN;

/* This thread's recorder even where wrappers get none: before MPI_Init, after MPI_Finalize, while
 * MPI_Pcontrol has switched recording off. NULL only if nothing is recorded at all. */
static inline struct recorder *recorder_any(void)
{
    struct recorder *recorder = recorder_own;
    return __builtin_expect(recorder != NULL, 1) ? recorder : recorder_make();
}

/* Moves the calling thread's staged records into its file. Called when measurement_state has become
 * MEASUREMENT_FILES. False if that fails (which has been said). */
bool recorder_open_own(void) RECORD_HIDDEN;
/* The same for all threads that still stage, when the process ends. */
void recorder_open_all(void) RECORD_HIDDEN;

/* Notes in all events files what time it is. For the cold ways, so that the clock's rate is known
 * also when the process does not live to its end. */
void recorder_note_time(void) RECORD_HIDDEN;

/* After fork, in the child: its events are nobody's. */
void recorder_abandon(void) RECORD_HIDDEN;

/* The clock: chosen once. */
void record_clock_open(void) RECORD_HIDDEN;
struct record_moment record_clock_moment(void) RECORD_HIDDEN;

/* Appends a definition to the rank's file, or keeps it until the file is opened. `payload` is made
 * with the definition_put functions. */
struct definition {
    unsigned char *data;
    size_t size, capacity;
    bool failed; /* memory was out */
};
void definition_begin(struct definition *definition, enum definition_type type) RECORD_HIDDEN;
void definition_put_u32(struct definition *definition, uint32_t value) RECORD_HIDDEN;
void definition_put_u64(struct definition *definition, uint64_t value) RECORD_HIDDEN;
void definition_put_text(struct definition *definition, const char *text) RECORD_HIDDEN;
void definition_put_bytes(struct definition *definition, const void *data,
                          size_t size) RECORD_HIDDEN;
/* Writes it and frees the memory. */
void definition_end(struct definition *definition) RECORD_HIDDEN;

/* Opens the file and writes what is waiting. False if that fails (which has been said). */
bool definitions_open(const char *path) RECORD_HIDDEN;

/* A function of the program: its address as linked, in an object file (of DEFINITION_OBJECT). Ids
 * are those of define_region. */
uint32_t define_function(uint32_t object, uint64_t address) RECORD_HIDDEN;

#endif
