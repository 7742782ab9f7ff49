/* A sweep: many what-ifs about one program, tried side by side (doc/sweep.md). Its file is an
 * ordinary configuration, in which values may be sets of alternatives; each choice is a run. */
#ifndef SWEEP_SWEEP_H
#define SWEEP_SWEEP_H

#include "base/ini.h"

enum sweep_mode {
    SWEEP_GRID,          /* every combination */
    SWEEP_ZIP,           /* the first values together, then the second ones, ... */
    SWEEP_ONE_AT_A_TIME, /* one set varies, all others keep their first value, without any
                            [alternative]; then each [alternative] alone */
    SWEEP_PAIRS,         /* the same, and then each two changes together */
};

enum sweep_engine {
    SWEEP_MODEL,
    SWEEP_REALTIME,
    SWEEP_MODEL_THEN_REALTIME, /* the model tries all, the best `keep` are replayed */
};

/* What section [sweep] says; [launcher] and [slurm] are for the queues, which read them from the
 * file. */
struct sweep_options {
    int mode;              /* enum sweep_mode */
    int engine;            /* enum sweep_engine */
    const char *objective; /* "T", "efficiency" or the name of a metric (objective.h) */
    int64_t keep;          /* default 5 */
    int64_t limit;         /* more runs than this are refused; default 10000 */
    double budget_s;       /* for all replays together; 0: none */
    int64_t seed;          /* of the random order in rounds */
    int64_t reports;       /* so many of the best computed runs get a report of their own; default
                          20. Replayed runs always do */
    int64_t repeat;        /* rounds of replays; 0: as many as significance needs (paired.h) */
};

/* One value that was chosen: "scale kernel.factor" = "0.5", "alternative" = "smaller halo". */
struct sweep_setting {
    const char *key, *value;
};

struct sweep_run {
    const char *name; /* "007": unique, the name of its folder */
    struct ini *ini;  /* its configuration, without [sweep] and braces; lines are those of the
                         sweep's file. It is complete: run alone, it repeats the run. It shares
                         memory with the sweep; ini_copy makes one for replay_config_from_ini */
    struct sweep_setting *settings;
    size_t setting_count;
    size_t base;   /* runs with the same number differ in hypotheses only: they share a load, a
                      baseline and tuning */
    size_t *parts; /* the runs that this one combines (two or more changes, each of which is a run
                      of its own); NULL: none */
    size_t part_count;
    const struct sweep_run *rest; /* the run with none of these changes, if they are changes to
                                     something other than the recorded program; else NULL */
};

struct sweep {
    struct ini *ini; /* the file, with --set and absolute paths; owns strings and runs */
    struct sweep_options options;
    struct sweep_run *runs;
    size_t run_count, base_count;
};

/* Reads the file `path` ("-": standard input), changes it by `sets` (NULL-terminated,
 * "section.key=value", as ini_set; NULL: none), and expands it. Fails with STATUS_INPUT, naming
 * file and line. All runs' configurations have been read once, so a wrong value is found here;
 * plug-ins must be loaded before. ini_text(sweep->ini) is a file with absolute paths that gives the
 * same runs. Free it with sweep_destroy. */
enum status sweep_load(const char *path, const char *const *sets, struct sweep **sweep,
                       struct error *error);
void sweep_destroy(struct sweep *sweep); /* NULL is allowed */

#endif
