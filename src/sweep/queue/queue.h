/* Sweeps on batch systems. A job does one part of the sweep: `LAUNCHER silas-sweep work --part N
 * DIR`, where the launcher starts a process per rank. Everything is done by command lines: sbatch,
 * squeue, scancel and scontrol of Slurm, or the templates of the section [launcher]. Accounting is
 * not needed. The results of the runs show what a job has done; if results are missing, the queue
 * is asked whether it still has the job. So every process may be killed, and no run is repeated.
 *
 * Files in the folder of the sweep, in addition to those of sweep/folder.h:
 *   sweep.sbatch, sweep.sh   the script of all jobs (Slurm; other queues)
 *   jobs                     the jobs of the parts (jobs.h)
 *   queue-state              the last answer of the queue, and its time (state.h)
 *   slurm-*.out              the output of the jobs, which start in the folder
 *
 * Read the files in this order: launcher.h (the sections of the configuration), shape.h (the
 * resources of a part), script.h, jobs.h, state.h, queue.c. Only slurm.h and templates.h know the
 * commands of a queue. */
#ifndef SWEEP_QUEUE_QUEUE_H
#define SWEEP_QUEUE_QUEUE_H

#include "sweep/folder.h"
#include "sweep/queue/launcher.h"
#include "trace/trace.h"

#include <stdio.h>

/* True if the sweep is for a queue: its folder has a script. Then status, cancel and resume are
 * those of this file. */
bool queue_used(const struct sweep_folder *folder);

/* Fails with STATUS_INPUT if [launcher] or [slurm] cannot be read, or lacks something that the
 * queue needs. Call it before the folder is made. */
enum status queue_check(const struct sweep_plan *sweep, enum queue_kind kind, struct error *error);

/* Splits the open runs by the longest time limit, writes the script, and prints it on `stream`.
 * Nothing is submitted. If only the best runs are to be replayed, the model must have been asked
 * before (sweep/work.h). `options`: further options of silas-sweep for the jobs, NULL-terminated.
 */
enum status queue_script(struct sweep_folder *folder, enum queue_kind kind,
                         const char *const *options, FILE *stream, struct error *error);

/* Writes the script, submits all parts with open runs, and prints their jobs on `stream`. Fails
 * with STATUS_INPUT if the sweep has been submitted already, and with STATUS_ENVIRONMENT and the
 * queue's own message if the queue refuses a job. Jobs that were submitted before that are
 * recorded, and queue_resume submits the others. `*submitted`: true if the queue has taken a job.
 */
enum status queue_submit(struct sweep_folder *folder, enum queue_kind kind,
                         const char *const *options, FILE *stream, bool *submitted,
                         struct error *error);

/* Reads the results again, and prints a line for each part: its runs, its job, and the state of the
 * job in the queue, which may be as old as [launcher] interval (30 s). */
enum status queue_status(struct sweep_folder *folder, FILE *stream, struct error *error);

/* Cancels the jobs of all parts with open runs. */
enum status queue_cancel(struct sweep_folder *folder, FILE *stream, struct error *error);

/* Submits parts with open runs that have no job, or whose job is no longer in the queue. With
 * Slurm, jobs that were submitted by hand are found. Parts and script stay as they are. The queue
 * is asked again, which may take [launcher] interval (30 s). */
enum status queue_resume(struct sweep_folder *folder, FILE *stream, struct error *error);

/* Returns when no run is open, or no job is left that could do an open run. Asks the queue every 30
 * s at first, and less often, down to every 5 minutes, while nothing changes. */
enum status queue_wait(struct sweep_folder *folder, struct error *error);

/* Writes a benchmark file for JUBE (YAML) whose steps submit the parts of the sweep as jobs of the
 * queue. Splits the open runs as queue_script does. */
enum status queue_write_jube(struct sweep_folder *folder, enum queue_kind kind,
                             const char *const *options, FILE *stream, struct error *error);

/* Collective, before a part replays `trace` in a job. Fails with STATUS_ENVIRONMENT if a rank
 * shares its host with other ranks than in the recording, unless [launcher] has placement = any.
 * Does nothing if the sweep is not for a queue. */
enum status queue_check_placement(const struct sweep_folder *folder, const struct trace *trace,
                                  struct error *error);

#endif
