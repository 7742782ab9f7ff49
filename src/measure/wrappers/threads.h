/* The tracer's tables of handles, which several threads use at once where the program has
 * MPI_THREAD_MULTIPLE; all others are spared the locks. */
#ifndef MEASURE_THREADS_H
#define MEASURE_THREADS_H

#include <pthread.h>
#include <stdbool.h>

/* Set before MPI_Init_thread returns, when there is one thread. */
extern bool threads_at_once __attribute__((visibility("hidden")));

static inline void threads_lock(pthread_mutex_t *mutex)
{
    if (threads_at_once)
        pthread_mutex_lock(mutex);
}

static inline void threads_unlock(pthread_mutex_t *mutex)
{
    if (threads_at_once)
        pthread_mutex_unlock(mutex);
}

#endif
