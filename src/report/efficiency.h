/* POP's efficiencies of a run (https://pop-coe.eu, multiplicative model). With C(p) = the time rank
 * p spends outside MPI calls, and T = the run's time:
 *
 *   parallel efficiency = mean C / T = load balance * communication efficiency
 *   load balance = mean C / max C        communication efficiency = max C / T
 */
#ifndef REPORT_EFFICIENCY_H
#define REPORT_EFFICIENCY_H

#include "severity/severity.h"

struct efficiency {
    double parallel, load_balance, communication; /* 1 is ideal; all 0 for a run without time */
    double computation_mean_s, computation_max_s;
};

struct efficiency efficiency_of(const struct severity *severity);

#endif
