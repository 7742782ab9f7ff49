/* POSIX threads: their creation, their parts and the waits for their end, as Score-P records them.
 */
#ifndef MEASURE_POSIX_THREADS_H
#define MEASURE_POSIX_THREADS_H

/* Ends the calling thread's regions, and its part if pthread_create was recorded. It still has its
 * recorder. */
void posix_thread_ends(void);

#endif
