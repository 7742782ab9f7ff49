/* Executes a model script, and so makes the trace of a program on a number of ranks. Read in this
 * order:
 *   evaluate_script.c      settings, measured regions, ranks one after another
 *   evaluate_comms.c       the communicators that a script declares
 *   evaluate_expression.c  values of expressions, of params and lets
 *   evaluate_statements.c  loops, branches, calls; seconds of procedures
 *   evaluate_steps.c       steps become calls of the trace builder
 *   locate.c               errors about events of the trace point to the script */
#ifndef PREDICTION_EVALUATE_H
#define PREDICTION_EVALUATE_H

#include "predict/hardware.h"
#include "predict/script.h"
#include "trace/trace.h"

#define EVALUATION_SEED 1

/* --set NAME=VALUE */
struct parameter_setting {
    const char *name;
    double value;
};

struct evaluation {
    const struct model_script *script;
    const struct hardware *hardware;
    uint32_t ranks; /* > 0 */
    const struct parameter_setting *settings;
    uint32_t setting_count;
    uint64_t seed;        /* of random() and case; EVALUATION_SEED unless the user wants another */
    uint64_t most_events; /* of one process; more are a loop that runs away */
};

/* Collective. The trace of the program, with times for computation only (trace_builder.h). It does
 * not depend on the number of processes. Fails with STATUS_INPUT and "FILE:LINE:COLUMN: ..., on
 * rank R" where a step makes no sense: a peer that does not exist, a negative length, a request
 * without a wait, a loop that runs away. The caller destroys `*trace`. */
enum status script_evaluate(const struct evaluation *evaluation, struct processes *processes,
                            struct trace **trace, struct error *error);

/* Not collective. The statement that makes an event of a rank; line 0 if there is none, or if the
 * evaluation fails before. Follows the script again for this rank. */
struct script_position script_place(const struct evaluation *evaluation, uint32_t rank,
                                    uint64_t event);

/* Not collective. Adds the place in the script to each event that an error of the matching or of
 * the pre-flight check names ("rank 3, event 17"), and begins it with "FILE:LINE:COLUMN:" of the
 * first. Follows the script again for these ranks. The text stays as it is if that fails. */
void script_locate(const struct evaluation *evaluation, struct error *error);

#endif
