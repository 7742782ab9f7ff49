/* What a sweep minimises or maximises: T, a metric, or an efficiency. */
#ifndef SWEEP_OBJECTIVE_H
#define SWEEP_OBJECTIVE_H

#include "trace/trace.h"

struct objective {
    const char *name; /* "T"; one of POP's efficiencies: "efficiency", "load_balance",
                         "communication_efficiency", "serialisation", "transfer"; or the name of a
                         metric, such as "mpi_latesender" */
    bool larger_is_better;
    bool is_time; /* T itself: no search is needed */
};

/* Metrics of plug-ins are known once these are loaded. Fails with STATUS_INPUT and the nearest
 * name. The objective refers to `name`. */
enum status objective_find(const char *name, struct objective *objective, struct error *error);

/* Collective. The objective's value for a matched trace with times (a recording or the result of a
 * run; searched only as far as the objective needs):
 * seconds for T, the metric's own unit summed over all ranks, or an efficiency from 0 to 1. The
 * same on all processes. Fails with STATUS_INPUT if an efficiency is not known. */
enum status objective_of(const struct objective *objective, const struct trace *trace,
                         double *value, struct error *error);

#endif
