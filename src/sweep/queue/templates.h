/* Queues other than Slurm, by the commands of the section [launcher]. */
#ifndef SWEEP_QUEUE_TEMPLATES_H
#define SWEEP_QUEUE_TEMPLATES_H

#include "base/array.h"
#include "sweep/folder.h"
#include "sweep/queue/shape.h"

/* Fails with STATUS_INPUT if a template of [launcher] has a name in braces that is not known. */
enum status templates_check(const struct launcher *launcher, struct error *error);

/* Replaces the names in a template that belongs to a job: `what` is the key of [launcher]. The
 * caller frees `*line`. `part`: words that stand for the part's number. */
enum status templates_expand(const char *what, const char *template,
                             const struct sweep_folder *folder, const struct shape *shape,
                             const char *part, char **line, struct error *error);

/* Submits the script for one part. The caller frees `*id`, which is what the command prints between
 * < and > in its first line, or else the last word of that line. Fails with STATUS_ENVIRONMENT and
 * the queue's own words. */
enum status templates_submit(const struct sweep_folder *folder, const struct launcher *launcher,
                             const struct shape *shape, size_t part, char **id,
                             struct error *error);

/* As slurm_ask and slurm_cancel. The answer has the id of a job that is waiting or running as the
 * first word of a line. */
enum status templates_ask(const struct sweep_folder *folder, const struct launcher *launcher,
                          const char *const *ids, size_t count, struct bytes *answer,
                          char **failure, struct error *error);
enum status templates_cancel(const struct sweep_folder *folder, const struct launcher *launcher,
                             const char *const *ids, size_t count, struct error *error);

#endif
