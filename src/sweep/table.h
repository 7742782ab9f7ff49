/* The result of a sweep: its runs, ranked. */
#ifndef SWEEP_TABLE_H
#define SWEEP_TABLE_H

#include "base/estimate.h"
#include "sweep/objective.h"
#include "sweep/result.h"
#include "sweep/sweep.h"

#include <stdio.h>

struct table_row {
    const struct sweep_run *run;
    const struct run_result *result;
    bool computed;             /* by the model: no noise */
    struct estimate saving;    /* fraction of T; a computed run has no width. NAN if not done */
    struct estimate objective; /* by how much it gets better, as a fraction of its unchanged value;
                                  equal to `saving` if it is T */
    double unchanged, changed; /* medians of the objective's values; NAN if not done */
    double unchanged_s, changed_s; /* medians of T; NAN if not done */
    double p;                      /* of the objective, NAN for a computed run */
    bool significant; /* Holm over all replayed runs; computed: the difference is not 0 */
    bool on_front;    /* saves, and no other run saves as much with fewer changed regions */
};

/* A combination whose saving is not the sum of its parts' savings. */
struct table_combination {
    size_t row;
    double sum; /* of the parts, fraction of the objective; the gain of `rest` counts once */
    struct estimate difference; /* saving of the combination - sum; does not contain 0 */
};

/* A key of the runs' settings, in order of first appearance. */
struct table_key {
    const char *name;  /* "scale kernel.factor" */
    const char *label; /* "factor" if no other key that varies ends with it, else the name */
    bool varies;       /* not all runs have the same value; a run without the key differs */
};

struct table {
    const struct sweep *sweep;
    const char *folder; /* NULL: paths are relative to the sweep's folder */
    struct objective goal;
    struct table_row
        *rows; /* best first: by the lower end of `objective`; then failed, then open */
    size_t row_count, done_count, failed_count;
    size_t replayed_count; /* rows of finished runs that are not computed: tests at once */
    size_t rounds;         /* fewest of a replayed run; 0: none is replayed */
    struct table_combination *combinations;
    size_t combination_count;
    struct table_key *keys;
    size_t key_count;
};

/* `results`: [run of the sweep]; the table refers to them and to the sweep. Free it with
 * table_clear, also after a failure. Fails when memory is out, or with STATUS_INPUT if the sweep's
 * objective is not known. */
enum status table_make(const struct sweep *sweep, const struct run_result *results,
                       const char *folder, struct table *table, struct error *error);
void table_clear(struct table *table);

/* The value of a setting; NULL if the run does not have the key. */
const char *run_setting(const struct sweep_run *run, const char *key);

/* "DIR/runs/007/config.ini", or another path that is relative to the sweep's folder; NULL for a
 * NULL path, or when memory is out. The caller frees it. */
char *table_path(const struct table *table, const char *relative);
/* The configuration that repeats a row, likewise. */
char *table_config(const struct table *table, const struct table_row *row);

/* True if a finished run makes the objective better, significantly. */
bool table_has_gain(const struct table *table);

/* How many rounds it would take, by the width of the intervals so far, until the first of the
 * replayed runs is a significant gain. 0: none seems to be one, or it would take thousands. */
size_t table_rounds_wanted(const struct table *table);

/* Writers, as those of reports (report/format.h): false when memory is out or writing fails. */
struct table_format {
    const char *name, *description; /* "text", "json", "csv", "html" */
    bool (*write)(const struct table *table, FILE *stream);
};
extern const struct table_format *const table_format_list[]; /* ends with NULL */
/* NULL if no format has that name. */
const struct table_format *table_format_find(const char *name);

#endif
