/* The table of a sweep: its runs, ranked. */
#ifndef SWEEP_TABLE_H
#define SWEEP_TABLE_H

#include "base/estimate.h"
#include "sweep/objective.h"
#include "sweep/result.h"
#include "sweep/sweep.h"

#include <stdio.h>

#define TABLE_LEVEL 0.05 /* of all significance tests of a table together (Holm) */

struct table_row {
    const struct sweep_run *run;
    const struct run_result *result;
    bool computed;           /* by the model, without noise */
    struct estimate saving;  /* fraction of T; a computed run has no width. NAN if not done */
    struct estimate typical; /* the saving between typical real runs (replay/repeat.h); NAN if it is
                                not known, as for computed runs */
    struct estimate objective; /* its improvement, as a fraction of the unchanged value; equal to
                                  `saving` if the objective is T */
    double unchanged, changed; /* medians of the objective's values; NAN if not done */
    double unchanged_s, changed_s; /* medians of T; NAN if not done */
    double p;                      /* of the objective; NAN for a computed run */
    bool significant; /* among all replayed runs (Holm); computed: the difference is not 0 */
    bool on_front;    /* it saves, and no other run saves as much with fewer changed regions */
};

/* A combination whose saving is not the sum of its parts' savings. */
struct table_combination {
    size_t row;
    double sum; /* of the parts' gains, fraction of the objective; the gain of `rest` counts once */
    struct estimate difference; /* gain of the combination - sum; does not contain 0 */
};

/* A key of the runs' settings, in order of first appearance. */
struct table_key {
    const char *name;  /* "scale kernel.factor" */
    const char *label; /* "factor" if no other key that varies ends like this; otherwise the name */
    bool varies;       /* not all runs have the same value; a missing key is a value, too */
};

struct sweep_table {
    const struct sweep_plan *sweep;
    const char *folder; /* NULL: paths are relative to the sweep's folder */
    struct objective goal;
    struct table_row
        *rows; /* best first: by the lower end of `objective`; then failed, then open */
    size_t row_count, done_count, failed_count;
    size_t replayed_count;      /* finished runs that are not computed: the number of tests */
    size_t rounds, most_rounds; /* of the replayed runs with the fewest and the most; 0: none */
    struct table_combination *combinations;
    size_t combination_count;
    struct table_key *keys;
    size_t key_count;
};

/* `results`: [run of the sweep]; the table refers to them and to the sweep. The caller frees the
 * table with table_clear. Fails when out of memory, or with STATUS_INPUT for an unknown objective;
 * then there is nothing to free. */
enum status table_make(const struct sweep_plan *sweep, const struct run_result *results,
                       const char *folder, struct sweep_table *table, struct error *error);
void table_clear(struct sweep_table *table);

/* The number of rows with figures. They come first. */
size_t table_figures_count(const struct sweep_table *table);

/* True if the table has replayed runs for which the model has predicted a saving, too. */
bool table_compares_models(const struct sweep_table *table);

/* 100 * fraction, but 0 for a value that would be printed as "-0.00". */
double table_percent(double fraction);

/* The name of the sweep: that of its folder, or otherwise of its file. */
const char *table_name(const struct sweep_table *table);

/* True if both rows are not trustworthy for the same reason. */
bool rows_share_reason(const struct table_row *a, const struct table_row *b);

/* The value of a setting; NULL if the run does not have the key. */
const char *run_setting(const struct sweep_run *run, const char *key);

/* "DIR/runs/007/config.ini", or another path relative to the folder of the sweep; NULL for a NULL
 * path, or when out of memory. The caller frees it. */
char *table_path(const struct sweep_table *table, const char *relative);
/* The path of the configuration that repeats the run of a row, likewise. */
char *table_config(const struct sweep_table *table, const struct table_row *row);

/* Writers, as those of reports (report/format.h): false when out of memory or if writing fails. */
struct table_format {
    const char *name, *description; /* "text", "json", "csv", "html" */
    bool (*write)(const struct sweep_table *table, FILE *stream);
};
extern const struct table_format *const table_format_list[]; /* NULL at the end */
/* NULL if no format has that name. */
const struct table_format *table_format_find(const char *name);

#endif
