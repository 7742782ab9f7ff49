/* The keepers' part in the reduction of a run. The keeper of rank 0 reduces the records of all
 * ranks. The other keepers wait until it has finished, when their ranks have ended. All wait for
 * locks, which are released when their owner ends, in whatever way. */
#ifndef RUNNING_KEEPERS_H
#define RUNNING_KEEPERS_H

#include "measure/reduce/reduce.h"

struct reducer {
    const char *directory;
    uint32_t rank, size;
    struct run_reduction *reduction; /* of rank 0's keeper; NULL: the run is not reduced */
    int own, common; /* files locked while the own rank runs, and during the reduction */
};

/* Called when the program has sent its rank. A failure is printed; then the archive becomes whole.
 */
void reducer_begin(struct reducer *reducer, const char *directory, uint32_t rank, uint32_t size,
                   const struct run_assumptions *assumptions);

/* Called regularly while the rank runs. */
void reducer_step(struct reducer *reducer);

/* Called when the rank has ended. Afterwards its records are those that the archive gets. */
enum status reducer_end(struct reducer *reducer, struct error *error);

#endif
