/* Which alternatives each run takes, by the mode of the sweep. */
#ifndef SWEEP_SELECTION_H
#define SWEEP_SELECTION_H

#include "sweep/sets.h"
#include "sweep/sweep.h"

struct selection {
    size_t *values;    /* [common set]: number of the alternative */
    size_t choices[2]; /* of groups */
    size_t choice_count;
    size_t parts[2]; /* of a combination of two changes: the selections with one of them */
    size_t part_count;
    size_t rest; /* the selection with none of them; NO_SELECTION: the recorded program */
};

#define NO_SELECTION SIZE_MAX

struct selections {
    struct selection *items;
    size_t count;
};

/* Lists the selections in the order of the runs. Fails with STATUS_INPUT if there are more than
 * `limit`, or if sets of the mode zip differ in length. The ini of `sets` owns the result. */
enum status selections_make(const struct sweep_sets *sets, enum sweep_mode mode, size_t limit,
                            struct selections *selections, struct error *error);

#endif
