/* Sweeps on batch systems. A job does one part of the sweep: `LAUNCHER silas-sweep work --part N
 * DIR`, where the launcher starts a process per rank. Everything is done by command lines: sbatch,
 * squeue, scancel and scontrol of Slurm, or the templates of the section [launcher]. Accounting is
 * not needed. What a job has done is known from the runs' results only, and where they are missing,
 * whether the queue still knows the job; so anything may be killed, and nothing runs twice.
 *
 * Files in the folder of the sweep beside those of sweep/folder.h:
 *   sweep.sbatch, sweep.sh   the script of all jobs (Slurm; other queues)
 *   jobs                     the jobs of the parts (jobs.h)
 *   queue-state              what the queue said last, and when (state.h)
 *   slurm-*.out              what the jobs print; they start in the folder
 *
 * Read the files in this order: launcher.h (the sections of the configuration), shape.h (what a
 * part needs), script.h, jobs.h, state.h, queue.c. slurm.h and templates.h are the only files that
 * know a queue's commands. */
#ifndef SWEEP_QUEUE_QUEUE_H
#define SWEEP_QUEUE_QUEUE_H

#include "sweep/folder.h"
#include "sweep/queue/launcher.h"
#include "trace/trace.h"

#include <stdio.h>

/* Whether the sweep is for a queue: its folder has a script. Then status, cancel and resume are
 * those of this file. */
bool queue_used(const struct sweep_folder *folder);

/* Fails with STATUS_INPUT if [launcher] or [slurm] cannot be read, or lacks what the queue needs.
 * Made before the folder is, so that a mistake costs nothing. */
enum status queue_check(const struct sweep *sweep, enum queue_kind kind, struct error *error);

/* Splits the open runs by the longest time of an allocation, writes the script, and prints it on
 * `stream`. Nothing is submitted. If only the best runs are to be replayed, the model has been
 * asked (sweep/work.h). */
enum status queue_script(struct sweep_folder *folder, enum queue_kind kind,
                         const char *const *options, FILE *stream, struct error *error);

/* The same, and submits all parts with open runs, then says so on `stream`. Fails with STATUS_INPUT
 * if the sweep has been submitted already, STATUS_ENVIRONMENT with the queue's own words if it
 * refuses; what was submitted before is recorded, and queue_resume goes on from there. */
enum status queue_submit(struct sweep_folder *folder, enum queue_kind kind,
                         const char *const *options, FILE *stream, struct error *error);

/* Prints a line for each part: its runs, its job, and what the queue said of it last, which is up
 * to [launcher] interval (30 s) ago. The results of the folder are read again. */
enum status queue_status(struct sweep_folder *folder, FILE *stream, struct error *error);

/* Cancels the jobs of all parts with open runs. */
enum status queue_cancel(struct sweep_folder *folder, FILE *stream, struct error *error);

/* Submits parts with open runs whose jobs the queue does not know any more, or that have none; jobs
 * that were submitted by hand are found, with Slurm.
 * Parts and script stay as they are. It asks the queue afresh, and so may wait 30 s. */
enum status queue_resume(struct sweep_folder *folder, FILE *stream, struct error *error);

/* Returns when no run is open, or no job is left that could do it. Asks the queue every 30 s at
 * first, up to every 5 min while nothing changes. */
enum status queue_wait(struct sweep_folder *folder, struct error *error);

/* Writes a benchmark file for JUBE (YAML) that does the parts of the sweep: as jobs of the queue,
 * with the done file that JUBE waits for. Splits the open runs as queue_script does. */
enum status queue_write_jube(struct sweep_folder *folder, enum queue_kind kind,
                             const char *const *options, FILE *stream, struct error *error);

/* Collective. At the start of a part that replays `trace` as a job: fails with STATUS_ENVIRONMENT
 * if ranks that were recorded on one host are on several, or the other way round, unless
 * [launcher] placement = any. Does nothing if the sweep is not on a queue. */
enum status queue_check_placement(const struct sweep_folder *folder, const struct trace *trace,
                                  struct error *error);

#endif
