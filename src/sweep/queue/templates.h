/* Queues other than Slurm, by the commands of section [launcher]. */
#ifndef SWEEP_QUEUE_TEMPLATES_H
#define SWEEP_QUEUE_TEMPLATES_H

#include "base/array.h"
#include "sweep/folder.h"
#include "sweep/queue/shape.h"

/* Fails with STATUS_INPUT if a template of [launcher] has an unknown name in braces. */
enum status templates_check(const struct queue_launcher *launcher, struct error *error);

/* Replaces the names in the template of key `what` in [launcher]. `part`: words of a shell for the
 * number of the part. The caller frees `*line`. */
enum status templates_expand(const char *what, const char *template,
                             const struct sweep_folder *folder, const struct shape *shape,
                             const char *part, char **line, struct error *error);

/* Submits the script for one part. `*id`: the text between < and > in the first line that the
 * command prints, or otherwise the last word of that line; the caller frees it. Fails with
 * STATUS_ENVIRONMENT and the message of the queue. */
enum status templates_submit(const struct sweep_folder *folder,
                             const struct queue_launcher *launcher, const struct shape *shape,
                             size_t part, char **id, struct error *error);

/* As slurm_ask and slurm_cancel. The first word of each line of the answer is the id of a job that
 * is waiting or running. */
enum status templates_ask(const struct sweep_folder *folder, const struct queue_launcher *launcher,
                          const char *const *ids, size_t count, struct bytes *answer,
                          char **failure, struct error *error);
enum status templates_cancel(const struct sweep_folder *folder,
                             const struct queue_launcher *launcher, const char *const *ids,
                             size_t count, struct error *error);

#endif
