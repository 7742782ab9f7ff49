/* What a sweep minimises or maximises: T, a metric, or an efficiency. */
#ifndef SWEEP_OBJECTIVE_H
#define SWEEP_OBJECTIVE_H

#include "trace/trace.h"

struct objective {
    const char *name; /* "T"; one of POP's efficiencies: "efficiency", "load_balance",
                         "communication_efficiency", "serialisation", "transfer"; or the name of a
                         metric, such as "mpi_latesender" */
    bool larger_is_better;
    bool is_time; /* T itself, which needs no search for wait states */
};

/* Finds an objective by its name, also metrics of loaded plug-ins. Fails with STATUS_INPUT; the
 * message has the nearest name. The objective refers to `name`. */
enum status objective_find(const char *name, struct objective *objective, struct error *error);

/* Collective. The value of the objective in a matched trace, which is a recording or the result of
 * a run: seconds for T; for a metric, its unit, summed over all ranks; an efficiency from 0 to 1.
 * The same on all processes. Only the patterns that the objective needs are searched. Fails with
 * STATUS_INPUT if the model cannot compute an efficiency. */
enum status objective_of(const struct objective *objective, const struct trace *trace,
                         double *value, struct error *error);

#endif
