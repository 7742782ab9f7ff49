/* Reduction while the program runs, as the keepers do it: that of rank 0 for all ranks. The others
 * wait, when their ranks have ended, until it is done, or until that keeper has ended in whatever
 * way: all wait on locks, which end with their owners. */
#ifndef RUNNING_KEEPERS_H
#define RUNNING_KEEPERS_H

#include "measure/reduce/reduce.h"

struct reducer {
    const char *directory;
    uint32_t rank, size;
    struct reduction *reduction; /* of rank 0's keeper; NULL: the run is not reduced */
    int own, common;             /* locked files: while the own rank runs; while it is reduced */
};

/* When the rank is known. A failure is printed; then the archive becomes whole. */
void reducer_begin(struct reducer *reducer, const char *directory, uint32_t rank, uint32_t size,
                   const struct run_assumptions *assumptions);

/* Every now and then, as long as the rank runs. */
void reducer_step(struct reducer *reducer);

/* When the rank has ended. Afterwards the rank's records are what the archive has. */
enum status reducer_end(struct reducer *reducer, struct error *error);

#endif
