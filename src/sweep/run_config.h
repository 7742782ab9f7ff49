/* The configuration of one run, from the file of the sweep and the alternatives that it takes. */
#ifndef SWEEP_RUN_CONFIG_H
#define SWEEP_RUN_CONFIG_H

#include "sweep/selection.h"

/* Sets the ini and the settings of `run`; both belong to the sweep's ini. Fails with STATUS_INPUT
 * if two groups that are combined have sections of one name. */
enum status run_config_build(const struct sweep *sweep, const struct sweep_sets *sets,
                             const struct selection *selection, struct sweep_run *run,
                             struct error *error);

#endif
