/* Processes of one host that a program has forked, without MPI. They share memory: barriers,
 * reductions, broadcasts and transfers. All functions are collective, unless stated otherwise. The
 * functions of processes.h, exchange.h and mail.h use them; other code does not.
 *
 * A process that waits in one of them continues to send its mail. Process 0 is the one
 * that was started. If another process crashes, process 0 reports that and ends with exit code 3,
 * and the others end, too. */
#ifndef BASE_MPI_LOCAL_H
#define BASE_MPI_LOCAL_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAIL_FROM_ANY = -1 };

/* Tests of a process that waits, with MPI (processes_pause) or without, before it sleeps. */
enum {
    WAIT_SPINS = 20000, /* the largest number that follow one another at once, if it has a core */
    WAIT_YIELDS = 50,   /* that yield the core, if processes share cores */
};

/* Mail that is being sent (mail.h). All zero: none. It stays where it is until mail_is_sent. */
struct mail_sending {
    bool active;
    int to, tag;
    const char *data;
    size_t size;
    uintptr_t request; /* of MPI */
    size_t done;       /* the rest is for local.c */
    bool framed;
    struct mail_sending *next;
};

struct local_job;

/* Forks size - 1 processes, so that `size` > 1 processes return from this function: `*rank` is the
 * number of each. The caller must have no threads. `naps`: processes share cores, so they do not
 * spin while they wait. Fails with STATUS_ENVIRONMENT; then there is only the caller. */
enum status local_job_start(int size, bool naps, struct local_job **job, int *rank,
                            struct error *error);

/* The end of a job. Process 0 waits for the others and frees the job. The others do not return:
 * they exit with `exit_code`. */
void local_job_end(struct local_job *job, int exit_code);

void local_barrier(struct local_job *job);

enum local_reduction { LOCAL_MAX, LOCAL_MIN, LOCAL_SUM };
void local_reduce(struct local_job *job, int64_t *values, size_t count,
                  enum local_reduction reduction);
void local_broadcast(struct local_job *job, void *data, size_t size, int root);
/* Each process has its own bytes of `all`, from first[rank] to first[rank + 1], and gets those of
 * the others. */
void local_share(struct local_job *job, char *all, const size_t *first);

/* Bytes that go to or come from another process. */
struct local_part {
    int process;
    char *data;
    size_t size;
};

/* Sends and receives parts: at most one to each process and one from each, of sizes that both
 * sides know. */
void local_transfer(struct local_job *job, struct local_part *to, size_t to_count,
                    struct local_part *from, size_t from_count);

/* For mail.c, not collective. Mail to a process is sent in the order of the calls. */
void local_mail_start(struct local_job *job, struct mail_sending *sending);
void local_mail_advance(struct local_job *job);
/* The size of the mail with this tag that is next from `from` (-1: from any process); `room` bytes
 * of `buffer` must be enough. -1: none is there. */
int64_t local_mail_take(struct local_job *job, int from, int tag, void *buffer, size_t room);
/* A pause between two tests; `*tests` counts those of one wait, from 0. */
void local_pause(struct local_job *job, unsigned *tests);

#endif
