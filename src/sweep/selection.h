/* Which alternatives each run takes (the modes of sweep.h). */
#ifndef SWEEP_SELECTION_H
#define SWEEP_SELECTION_H

#include "sweep/sets.h"
#include "sweep/sweep.h"

struct selection {
    size_t *values;    /* [common set]: the alternative that it takes */
    size_t choices[2]; /* of groups */
    size_t choice_count;
    size_t parts[2]; /* in a combination of two changes: the selections with one of them */
    size_t part_count;
    size_t rest; /* that with none of them; NO_SELECTION: the program as it was recorded */
};

#define NO_SELECTION SIZE_MAX

struct selections {
    struct selection *items;
    size_t count;
};

/* Lists the selections in the order of the runs. Fails with STATUS_INPUT if there are more than
 * `limit`, or if sets that go together differ in length. The ini of `sets` owns the result. */
enum status selections_make(const struct sweep_sets *sets, enum sweep_mode mode, size_t limit,
                            struct selections *selections, struct error *error);

#endif
