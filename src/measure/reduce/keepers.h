/* The keepers' part in the reduction of a run. The keeper of rank 0 reduces the records of all
 * ranks. On other hosts, each keeper makes the records of its rank readable for it, and one per
 * host compares the clocks. When their ranks have ended, the other keepers wait until it has
 * finished. All wait for locks, which are released when their owner ends, in whatever way. */
#ifndef RUNNING_KEEPERS_H
#define RUNNING_KEEPERS_H

#include "measure/reduce/clock_exchange.h"
#include "measure/reduce/reduce.h"
#include "measure/reduce/remote_records.h"

struct reducer {
    const char *directory;
    const struct run_assumptions *assumptions;
    uint32_t rank, size;
    struct run_reduction *reduction; /* of rank 0's keeper; NULL: the run is not reduced */
    bool later;  /* what the other ranks have defined cannot be read yet: try again */
    bool remote; /* the rank is on another host than rank 0: */
    struct remote_records records;
    struct clock_client *client; /* NULL: another keeper of the host compares its clock */
    int own, common; /* files locked while the own rank runs, and during the reduction */
};

/* Called when the program has sent its rank. A failure is printed; then the archive becomes whole.
 */
void reducer_begin(struct reducer *reducer, const char *directory, uint32_t rank, uint32_t size,
                   const struct run_assumptions *assumptions);

/* Whether reducer_step is to be called, about ten times per second, while the rank runs. */
static inline bool reducer_works(const struct reducer *reducer)
{
    return reducer->reduction || reducer->later || reducer->remote;
}
void reducer_step(struct reducer *reducer);

/* Called when the rank has ended. Afterwards its records are those that the archive gets. */
enum status reducer_end(struct reducer *reducer, struct error *error);

#endif
