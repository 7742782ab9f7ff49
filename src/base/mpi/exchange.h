/* An exchange of records between the processes of a tool: any process may send to any others, and
 * no process knows before who sends to it.
 *
 *     struct exchange exchange = exchange_open(processes, sizeof(struct part), "matching");
 *     for (...)
 *         exchange_put(&exchange, process, &part);
 *     struct received parts;
 *     enum status status = exchange_run(&exchange, &parts, error);
 *
 * If a process is out of memory while it puts records, exchange_run fails on all processes. Time
 * and memory depend on which processes send to each other, not on the square of their number. Any
 * amount of data is allowed. */
#ifndef BASE_MPI_EXCHANGE_H
#define BASE_MPI_EXCHANGE_H

#include "base/array.h"
#include "base/mpi/processes.h"

struct exchange {
    const struct processes *processes;
    const char *purpose; /* what needs the memory, for the error message; not copied */
    size_t record_size;
    struct bytes *buffers; /* [process], the records to send; NULL if out of memory */
    struct bytes spare;    /* used instead of all buffers then */
    bool out_of_memory;
};

struct received {
    void *items; /* by sender, and in the order in which the sender put them; the caller frees it */
    size_t count; /* records */
};

/* An empty exchange for records of `record_size` > 0 bytes, the same on all processes. Close it
 * with exchange_run or exchange_close. */
struct exchange exchange_open(const struct processes *processes, size_t record_size,
                              const char *purpose);

/* Adds a record for `process`, which may be this one. */
void exchange_put(struct exchange *exchange, int process, const void *record);

/* The bytes to send to `process`, for records of different sizes (record_size 1). Append with
 * bytes_put and pass its result to exchange_check. */
struct bytes *exchange_buffer(struct exchange *exchange, int process);

/* Notes that this process is out of memory unless `succeeded`; also for the caller's own memory. */
void exchange_check(struct exchange *exchange, bool succeeded);

/* Collective. Sends and receives all records, and closes the exchange in any case. If a process is
 * out of memory, all fail with the same error and receive nothing. */
enum status exchange_run(struct exchange *exchange, struct received *received, struct error *error);

/* Frees the exchange without sending anything; it may be closed already. */
void exchange_close(struct exchange *exchange);

/* Collective. Sends the `size` bytes at `data` of all processes to process 0, which gets them as
 * one block in the order of the processes (the caller frees it) and, in `sizes` (may be NULL), the
 * number from each process. The other processes get NULL and 0. */
enum status exchange_gather(const struct processes *processes, const void *data, size_t size,
                            char **received, size_t *received_size, size_t *sizes,
                            struct error *error);

#endif
