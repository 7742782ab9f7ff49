/* Reads what a thread did: its times up to moments that follow each other. */
#ifndef EFFICIENCY_THREAD_READER_H
#define EFFICIENCY_THREAD_READER_H

#include "results/efficiency/measurement.h"

/* Ticks up to a moment. */
struct thread_times {
    uint64_t computed; /* outside MPI */
    uint64_t useful;   /* 0 if only the ranks' master threads are recorded */
    uint64_t serial;   /* computed outside of teams */
};

struct thread_reader {
    const struct pop_measurement *m;
    const struct stream *stream;
    const uint8_t *kinds; /* [call path + 1]: what the thread does there */
    size_t next_team;     /* the first one that has not ended */
    uint32_t s;           /* its rank is trace->streams[s] */
    int64_t workers;      /* of a master thread, if there are teams; otherwise 0 */
    bool master;
    uint32_t row, path, depth; /* depth: of a worker's open regions */
    uint64_t since;
    struct thread_times times;
};

/* Reads on to a moment that is not before the last one. Now `row` is the first row from then on. */
void thread_reader_pass(struct thread_reader *reader, uint64_t moment);

/* Calls a function for each thread of the owned ranks whose rank has events. The thread's times are
 * those of the run, also in predicted runs. False if out of memory. */
typedef void thread_function(struct pop_measurement *m, struct thread_reader *reader, void *data);
bool each_thread(struct pop_measurement *m, thread_function *function, void *data);

#endif
