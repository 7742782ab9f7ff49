/* Interruption by Ctrl-C and other signals: incomplete output is removed and the process ends at
 * once, even within an MPI call. */
#ifndef BASE_INTERRUPT_H
#define BASE_INTERRUPT_H

#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP remove the directory set below and end the process with
 * exit code 128 + signal (SIGINT: 130). A process that speaks (base/log.h) prints a message, unless
 * it has printed an error: then its launcher may end it before it exits. */
void interrupt_install(void);

/* What such a signal does, also while it is held or being handled. Safe in signal handlers. Does
 * not return. */
void interrupt_end(int signal) __attribute__((noreturn));

/* Changes the message, "interrupted, nothing is written", to "interrupted, " and `what`. */
void interrupt_say(const char *what);

/* The directory to remove when the process is interrupted or exits; NULL: none. The name is copied.
 * Every process that may write into it sets it; the last one removes what the others could not. */
void interrupt_remove(const char *directory);
/* Whether there is such a directory. */
bool interrupt_removes(void);

/* Signals that arrive between these two calls end the process at the second call. For steps that
 * must not be interrupted: a directory is made and set above; an output is renamed. Nothing between
 * them may block. They do not nest. */
void interrupt_hold(void);
void interrupt_release(void);

/* Removes it now. Call it before MPI_Abort, after which no handler runs. */
void interrupt_clean_up(void);

#endif
