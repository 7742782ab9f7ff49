/* A sweep: many what-ifs about one program (doc/sweep.md). Its file is an ordinary configuration in
 * which values may be sets of alternatives; each combination is a run. */
#ifndef SWEEP_SWEEP_H
#define SWEEP_SWEEP_H

#include "base/ini.h"

enum sweep_mode {
    SWEEP_GRID,          /* every combination */
    SWEEP_ZIP,           /* the first values of all sets together, then the second values, ... */
    SWEEP_ONE_AT_A_TIME, /* one set varies, the others keep their first value, without any
                            [alternative]; then each [alternative] alone */
    SWEEP_PAIRS,         /* the same, and then each two of these changes together */
};
extern const char *const sweep_mode_names[]; /* [enum sweep_mode], NULL at the end */

enum sweep_engine {
    SWEEP_MODEL,
    SWEEP_REALTIME,
    SWEEP_MODEL_THEN_REALTIME, /* the model tries all runs, the best `keep` are replayed */
};
extern const char *const sweep_engine_names[]; /* [enum sweep_engine], NULL at the end */

/* Section [sweep]. The queues read [launcher] and [slurm] from the file. */
struct sweep_options {
    int mode;              /* enum sweep_mode */
    int engine;            /* enum sweep_engine */
    const char *objective; /* "T", "efficiency" or the name of a metric (objective.h) */
    int64_t keep;          /* default 5 */
    int64_t limit;         /* largest number of runs; default 10000 */
    double budget_s;       /* for all replays together; 0: none */
    int64_t seed;          /* of the random order in rounds */
    int64_t reports;       /* number of the best computed runs that get a report; default 20.
                              Replayed runs always get one */
    int64_t repeat;        /* rounds of replays; 0: as many as significance needs (paired.h) */
};

/* One chosen value: "scale kernel.factor" = "0.5", "alternative" = "smaller halo". */
struct sweep_setting {
    const char *key, *value;
};

struct sweep_run {
    const char *name; /* "007": unique, the name of its folder */
    struct ini *ini;  /* its configuration, without [sweep] and braces; lines are those of the
                         sweep's file. It is complete, so it repeats the run. It shares memory with
                         the sweep: read it by replay_config_of_copy */
    struct sweep_setting *settings;
    size_t setting_count;
    size_t base;   /* runs with the same number differ in their hypotheses only: they share the
                      loaded trace, the baseline and the tuning */
    size_t *parts; /* the runs whose changes this run combines; NULL: it combines none */
    size_t part_count;
    const struct sweep_run *rest; /* the run with none of the combined changes; NULL: that is the
                                     recorded program */
};

struct sweep_plan {
    struct ini *ini; /* the file, changed by --set, with absolute paths; owns strings and runs */
    struct sweep_options options;
    struct sweep_run *runs;
    size_t run_count, base_count;
};

/* Reads the file `path` ("-": standard input), and changes it by `sets` (NULL-terminated,
 * "section.key=value", as ini_set; NULL: none). Fails with STATUS_INPUT, and then there is no
 * `*ini`. */
enum status sweep_read_file(const char *path, const char *const *sets, struct ini **ini,
                            struct error *error);

/* Expands such a file into runs. Reads the configurations of all runs, so a wrong value is found
 * here; plug-ins must be loaded before. Takes over `ini`, also if it fails, with STATUS_INPUT; the
 * message names file and line. ini_text(sweep->ini) is a file with absolute paths that gives the
 * same runs. The caller frees the sweep with sweep_destroy. */
enum status sweep_load(struct ini *ini, struct sweep_plan **sweep, struct error *error);
void sweep_destroy(struct sweep_plan *sweep); /* NULL is allowed */

#endif
