/* The configuration of one run, made from the file of the sweep and the chosen alternatives. */
#ifndef SWEEP_RUN_CONFIG_H
#define SWEEP_RUN_CONFIG_H

#include "sweep/selection.h"

/* Sets the ini and the settings of `run`, which the sweep's ini owns. Fails with STATUS_INPUT if
 * two groups that are combined have sections of the same name. */
enum status run_config_build(const struct sweep_plan *sweep, const struct sweep_sets *sets,
                             const struct selection *selection, struct sweep_run *run,
                             struct error *error);

#endif
