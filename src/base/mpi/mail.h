/* Messages between the processes of a tool in which neither side waits: each process can continue
 * its work while its mail is sent, and test whether there is mail for it. Works by MPI, and without
 * it for forked processes (local.h). Mail with a tag is only taken with that tag. From one process
 * to another, mail arrives in the order of mail_start; a step that uses a tag ends on the sender
 * before it sends with another tag. Not collective. */
#ifndef BASE_MPI_MAIL_H
#define BASE_MPI_MAIL_H

#include "base/mpi/local.h" /* struct mail_sending */
#include "base/mpi/processes.h"

/* Begins to send `size` bytes, at most INT_MAX, to another process. They must not change until
 * mail_is_sent. `sending` must not be active. */
void mail_start(const struct processes *processes, struct mail_sending *sending, int to, int tag,
                const void *data, size_t size);

/* True if the bytes may change: they have been sent, or nothing was. */
bool mail_is_sent(const struct processes *processes, struct mail_sending *sending);

/* Waits for that. Does not take mail, so two processes must not do this at a time for much mail to
 * each other. */
void mail_finish(const struct processes *processes, struct mail_sending *sending);

/* Takes the next mail with this tag from process `from`, or MAIL_FROM_ANY, into `buffer`, which has
 * `room` bytes; that must be enough. Returns its size, or -1 if there is none. */
int64_t mail_take(const struct processes *processes, int from, int tag, void *buffer, size_t room);

/* Waits for mail and takes it. */
size_t mail_wait(const struct processes *processes, int from, int tag, void *buffer, size_t room);

#endif
