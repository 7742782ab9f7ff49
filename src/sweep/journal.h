/* The journal of a part: the figures of its complete rounds, so that a job that was killed or
 * requeued goes on at the round it was in. Pairs belong to one round, so rounds of several jobs can
 * be combined. */
#ifndef SWEEP_JOURNAL_H
#define SWEEP_JOURNAL_H

#include "base/array.h"
#include "base/mpi/processes.h"

/* One replay. */
struct journal_entry {
    int64_t round;   /* counted over all jobs of the part */
    const char *run; /* name of the run; "-": the unchanged trace */
    double time_s, objective;
};

struct journal {
    ARRAY(struct journal_entry)
    entries;        /* of complete rounds; each begins with the unchanged trace */
    int64_t rounds; /* number of the next one */
    struct arena *arena;
    const char *path;
};

/* Collective. Process 0 reads the journal `path` and the others in its folder ("*.journal"), in
 * which former jobs may have noted rounds of the same runs; there need be none. A round that was
 * cut off, because the job was killed while it was written, is left out, and removed from `path`.
 * The entries are the same on all processes. Clear the journal in any case. NULL as path: there is
 * none. */
enum status journal_open(const char *path, const struct processes *processes,
                         struct journal *journal, struct error *error);
void journal_clear(struct journal *journal);

/* On process 0: appends a complete round and flushes it to the disk. Does nothing without a path.
 */
enum status journal_append(struct journal *journal, const struct journal_entry *entries,
                           size_t count, struct error *error);

#endif
