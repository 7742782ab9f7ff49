/* The sections [launcher] and [slurm] of a sweep. */
#ifndef SWEEP_QUEUE_LAUNCHER_H
#define SWEEP_QUEUE_LAUNCHER_H

#include "sweep/sweep.h"

enum queue_kind {
    QUEUE_SLURM,
    QUEUE_LAUNCHER, /* the templates of [launcher] */
};

enum { QUEUE_ID_SIZE = 256 }; /* room for the id of a job */

struct queue_launcher {
    enum queue_kind kind;
    const char *submit, *state, *cancel; /* command templates; NULL for Slurm */
    const char *run;                     /* starts the processes; NULL: the default */
    const char *longest;                 /* time limit of a job; NULL: none */
    int64_t throttle;  /* jobs at a time; -1: one job of replays, any number of jobs that compute */
    double interval_s; /* between two queries of the queue */
    int placement;     /* enum placement_rule */
    const struct ini_section *slurm; /* options of sbatch, passed on as they are; NULL: none */
};

enum placement_rule { PLACEMENT_RECORDED, PLACEMENT_ANY };

/* Reads the sections. Fails with STATUS_INPUT; the message names file and line. The strings belong
 * to the sweep. */
enum status launcher_read(const struct sweep_plan *sweep, enum queue_kind kind,
                          struct queue_launcher *launcher, struct error *error);

/* The name of the script of all jobs, in the folder of the sweep. */
const char *launcher_script(enum queue_kind kind);

/* The value of an option of sbatch in [slurm]; NULL: it is not there. */
const char *launcher_option(const struct queue_launcher *launcher, const char *name);

/* Seconds of a time limit in Slurm's formats: minutes, minutes:seconds, hours:minutes:seconds,
 * days-hours, days-hours:minutes, days-hours:minutes:seconds; 0 for UNLIMITED and INFINITE;
 * negative for anything else. */
double launcher_seconds(const char *text);

#endif
