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
    struct estimate saving;    /* fraction of T; a computed run has no width */
    struct estimate objective; /* by how much it gets better, as a fraction of its unchanged value;
                                  equal to `saving` if it is T */
    double p;                  /* of the objective, NAN for a computed run */
    bool significant;          /* Holm over all replayed runs; computed: the difference is not 0 */
    bool on_front;             /* no other run saves as much with fewer changed regions */
};

/* A combination whose saving is not the sum of its parts' savings. */
struct table_combination {
    size_t row;
    double sum;                 /* of the parts, fraction of the objective */
    struct estimate difference; /* saving of the combination - sum; does not contain 0 */
};

struct table {
    const struct sweep *sweep;
    const char *folder;
    struct table_row
        *rows; /* best first: by the lower end of `objective`; then failed, then open */
    size_t row_count, done_count, failed_count;
    struct table_combination *combinations;
    size_t combination_count;
};

/* `results`: [run of the sweep]. Free it with table_clear. Fails when memory is out. */
enum status table_make(const struct sweep *sweep, const struct run_result *results,
                       const char *folder, struct table *table, struct error *error);
void table_clear(struct table *table);

/* Writers, as those of reports (report/format.h): false when memory is out or writing fails. */
struct table_format {
    const char *name, *description; /* "text", "json", "csv", "html" */
    bool (*write)(const struct table *table, FILE *stream);
};
extern const struct table_format *const table_format_list[]; /* ends with NULL */
const struct table_format *table_format_find(const char *name);

#endif
