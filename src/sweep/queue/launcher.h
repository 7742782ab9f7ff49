/* What the sections [launcher] and [slurm] of a sweep say. */
#ifndef SWEEP_QUEUE_LAUNCHER_H
#define SWEEP_QUEUE_LAUNCHER_H

#include "sweep/sweep.h"

enum queue_kind {
    QUEUE_SLURM,
    QUEUE_LAUNCHER, /* the templates of [launcher] */
};

enum { QUEUE_ID_SIZE = 256 }; /* room for the id of a job */

struct launcher {
    enum queue_kind kind;
    const char *submit, *state, *cancel; /* command templates; NULL for Slurm */
    const char *run;                     /* starts the processes; NULL: the default */
    const char *longest;                 /* of one allocation; NULL: as long as it takes */
    int64_t throttle;  /* jobs at a time; -1: one that replays, any number that compute */
    double interval_s; /* between two questions to the queue */
    int placement;     /* enum placement_rule */
    const struct ini_section *slurm; /* options of sbatch, passed on as they are; NULL: none */
};

enum placement_rule { PLACEMENT_RECORDED, PLACEMENT_ANY };

/* Fails with STATUS_INPUT, naming file and line. Strings belong to the sweep. */
enum status launcher_read(const struct sweep *sweep, enum queue_kind kind,
                          struct launcher *launcher, struct error *error);

/* The name of the script of all jobs, within the folder. */
const char *launcher_script(enum queue_kind kind);

/* The value of an option of sbatch that the user gives; NULL: none. */
const char *launcher_option(const struct launcher *launcher, const char *name);

/* Reads a time limit in Slurm's formats (minutes, minutes:seconds, hours:minutes:seconds,
 * days-hours, days-hours:minutes, days-hours:minutes:seconds) or UNLIMITED, INFINITE: 0. Returns
 * seconds; negative: it is none of these. */
double launcher_seconds(const char *text);

#endif
