/* Mail: the records that the processes of a tool send each other in one exchange.
 *
 *     struct mail mail = mail_open(processes, sizeof(struct part), "matching");
 *     for (...)
 *         mail_put(&mail, process, &part);
 *     struct delivery parts;
 *     enum status status = mail_exchange(&mail, &parts, error);
 *
 * The mail notes if memory is out while it is written; mail_exchange then fails on all processes.
 * Time and memory of an exchange depend on who sends to whom, not on the square of the number of
 * processes. Any amount of data is allowed. */
#ifndef BASE_MPI_MAIL_H
#define BASE_MPI_MAIL_H

#include "base/array.h"
#include "base/mpi/processes.h"

struct mail {
    const struct processes *processes;
    const char *purpose; /* what needs the memory, for the error message; not copied */
    size_t record_size;
    struct bytes *boxes; /* [process], NULL when memory is out */
    struct bytes spare;  /* takes the place of all boxes then */
    bool out_of_memory;
};

/* Records that have arrived. */
struct delivery {
    void *items; /* by sender, and in the order in which the sender put them; the caller frees it */
    size_t count; /* records */
};

/* An empty mail for records of `record_size` > 0 bytes, the same on all processes. Close it with
 * mail_exchange or mail_close. */
struct mail mail_open(const struct processes *processes, size_t record_size, const char *purpose);

/* Adds a record for `process`, which may be this one. */
void mail_put(struct mail *mail, int process, const void *record);

/* The bytes for `process`, for records of different sizes (record_size 1). Append with bytes_put
 * and pass its result to mail_check. */
struct bytes *mail_box(struct mail *mail, int process);

/* Notes that memory is out unless `succeeded`; the memory may also be the caller's own. */
void mail_check(struct mail *mail, bool succeeded);

/* Collective. Delivers all mail, and closes it in any case. If memory is out on a process, all fail
 * with the same error and an empty delivery. */
enum status mail_exchange(struct mail *mail, struct delivery *delivery, struct error *error);

/* Frees the mail without sending it; it may be closed already. */
void mail_close(struct mail *mail);

/* Collective. Sends the `size` bytes at `data` of all processes to process 0, which gets them as
 * one block in the order of the processes (the caller frees it) and, in `sizes` (may be NULL), the
 * number from each process. The other processes get NULL and 0. */
enum status mail_gather(const struct processes *processes, const void *data, size_t size,
                        char **received, size_t *received_size, size_t *sizes, struct error *error);

#endif
