/* The jobs of a sweep's parts, in the file DIR/jobs. Each line is appended and flushed to the disk
 * before anything else is done:
 *
 *   queue slurm
 *   submitting 1-4 1700000000          seconds since 1970
 *   job 3 1234_3 1700000001            part 3 is element 3 of array 1234
 *   cancelled 3 1700000100
 *
 * Parts are counted from 1 in files and messages, and from 0 in memory. */
#ifndef SWEEP_QUEUE_JOBS_H
#define SWEEP_QUEUE_JOBS_H

#include "base/array.h"
#include "sweep/folder.h"
#include "sweep/queue/launcher.h"

#include <sys/types.h>

struct queue_job {
    char *id; /* as the queue writes it, shorter than QUEUE_ID_SIZE; NULL: the part has no job */
    int64_t since; /* time of its submission */
    bool cancelled;
    bool unsure; /* the submission was interrupted, so the queue may have the job or not */
};

struct jobs {
    enum queue_kind kind;
    struct queue_job *items; /* [part] */
    size_t count;
    struct folder_path path;
    int file;   /* locked; -1: it was only read */
    off_t size; /* of the complete lines; 0: nothing has been submitted */
};

enum jobs_use { JOBS_READ, JOBS_CHANGE };

/* Reads the file; without a file there are no jobs. JOBS_CHANGE locks it until jobs_close. Fails
 * with STATUS_INPUT if it is damaged, or locked by another command; then there is nothing to close.
 */
enum status jobs_open(const struct sweep_folder *folder, enum jobs_use use, struct jobs *jobs,
                      struct error *error);
void jobs_close(struct jobs *jobs);

static inline bool jobs_exist(const struct jobs *jobs)
{
    return jobs->size > 0;
}

/* Each of these appends to the file, flushes it, and changes `jobs`. jobs_begin comes first, once.
 */
enum status jobs_begin(struct jobs *jobs, enum queue_kind kind, struct error *error);
enum status jobs_submitting(struct jobs *jobs, const size_t *parts, size_t count,
                            struct error *error);
/* `ids`: one for each part. */
enum status jobs_submitted(struct jobs *jobs, const size_t *parts, size_t count,
                           const char *const *ids, struct error *error);
enum status jobs_cancelled(struct jobs *jobs, const size_t *parts, size_t count,
                           struct error *error);

/* Appends "1-5,8": the numbers of parts in ascending order, minus `offset`. False when out of
 * memory. */
bool jobs_put_ranges(struct bytes *text, const size_t *parts, size_t count, size_t offset);

#endif
