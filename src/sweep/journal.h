/* The journal of a part: the figures of its complete rounds. A job that was killed or requeued
 * continues with the round that it was in. Savings are found within one round, so rounds of several
 * jobs can be combined. */
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
    int64_t rounds; /* number of the next round */
    struct arena *arena;
    const char *path;
};

/* Collective. Process 0 reads the journal `path` and the other journals in its folder
 * ("*.journal"), in which earlier jobs may have noted rounds of the same runs. None of these files
 * need exist. A round that is incomplete, because the job was killed while it wrote it, is ignored,
 * and removed from `path`. The entries are the same on all processes. The caller clears the
 * journal; after a failure there is nothing to clear. `path` NULL: there is no journal. */
enum status journal_open(const char *path, const struct processes *processes,
                         struct journal *journal, struct error *error);
void journal_clear(struct journal *journal);

/* The number of complete rounds in the journal `path`, for information: 0 if it cannot be read. */
size_t journal_count_rounds(const char *path);

/* On process 0: appends a complete round and flushes it to the disk. Without a path only the rounds
 * are counted. */
enum status journal_append(struct journal *journal, const struct journal_entry *entries,
                           size_t count, struct error *error);

#endif
