/* Each location's time in three shares: waiting (all metrics whose role is waiting, in MPI calls
 * and for other threads), the rest of the MPI calls, and the rest of all others: computation. They
 * add up to the location's time. */
#ifndef REPORT_SHARES_H
#define REPORT_SHARES_H

#include "severity/severity.h"

struct time_shares {
    double *computation, *mpi, *waiting; /* [location], seconds; one block */
    uint32_t count;
};

/* False when memory is out. A run without times has shares of 0. */
bool time_shares_find(const struct severity *run, struct time_shares *shares);
void time_shares_clear(struct time_shares *shares);

/* Sums over the locations. */
struct time_share_sums {
    double computation, mpi, waiting;
};
struct time_share_sums time_shares_sum(const struct time_shares *shares);

#endif
