/* Mail: records that the processes of a tool send each other, all of them at once.
 *
 *     struct mail mail = mail_open(processes, sizeof(struct part), "matching");
 *     for (...)
 *         mail_put(&mail, process, &part);
 *     struct delivery parts;
 *     enum status status = mail_exchange(&mail, &parts, error);
 *
 * Lack of memory needs no attention while mail is written: it is noted in the mail, and
 * mail_exchange makes all processes fail together. Time and memory of an exchange depend on who
 * sends to whom, not on the square of the number of processes. Any amount of data is allowed. */
#ifndef BASE_MPI_MAIL_H
#define BASE_MPI_MAIL_H

#include "base/bytes.h"
#include "base/mpi/processes.h"

struct mail {
    const struct processes *processes;
    const char *purpose; /* what the memory was for, in the error message; not copied */
    size_t record_size;
    struct bytes *boxes; /* [process], NULL when memory is out */
    struct bytes spare;  /* stands for any box then */
    bool out_of_memory;
};

/* Records that have arrived. */
struct delivery {
    void *items;  /* in the order of the senders, of each in the order it has put them; free it */
    size_t count; /* records */
};

/* An empty mail for records of `record_size` > 0 bytes, which must be the same on all processes.
 * Ends with mail_exchange or mail_close. */
struct mail mail_open(const struct processes *processes, size_t record_size, const char *purpose);

/* Adds a record for `process`, which may be the own one. */
void mail_put(struct mail *mail, int process, const void *record);

/* The bytes for `process`, to be written with bytes_put: for records of different sizes
 * (record_size 1). Whoever appends tells mail_check whether it succeeded. */
struct bytes *mail_box(struct mail *mail, int process);

/* Notes that memory is out unless `succeeded`: also for what the caller needed beside the mail. */
void mail_check(struct mail *mail, bool succeeded);

/* Collective. Delivers all mail, and closes it in any case. If some process lacks memory, all fail
 * with the same error, and the delivery is empty. */
enum status mail_exchange(struct mail *mail, struct delivery *delivery, struct error *error);

/* Frees the mail unsent; it may have been closed before. */
void mail_close(struct mail *mail);

/* Collective: mail from all processes to process 0. `data` are `size` bytes of this process;
 * process 0 gets those of all as one block, in the order of the processes (free it), and in `sizes`
 * (may be NULL) how many come from each process; the others get NULL and 0. */
enum status mail_gather(const struct processes *processes, const void *data, size_t size,
                        char **received, size_t *received_size, size_t *sizes, struct error *error);

#endif
