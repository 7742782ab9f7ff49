/* Ctrl-C and its like: remove what is half-written and end at once, also out of the middle of an
 * MPI call. */
#ifndef BASE_INTERRUPT_H
#define BASE_INTERRUPT_H

/* From now on SIGINT, SIGTERM and SIGHUP end the process with exit code 128 + signal (SIGINT: 130),
 * after removing the directory set below; a process that speaks (base/log.h) says so. */
void interrupt_install(void);

/* The directory to remove when the process is interrupted or exits; NULL: none. The name is copied.
 * Every process that may write into it sets it: whoever is last removes what the others could not.
 */
void interrupt_remove(const char *directory);

/* Removes it now: for whoever ends the job by MPI_Abort, after which no handler runs. */
void interrupt_clean_up(void);

#endif
