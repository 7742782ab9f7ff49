/* The assumptions of reduced archives (reduce/rules/assumptions.h), for all kinds of hypotheses,
 * and which hypotheses and questions a reduced archive answers. */
#ifndef REDUCTION_ASSUMPTIONS_H
#define REDUCTION_ASSUMPTIONS_H

#include "reduce/rules/assumptions.h"
#include "transform/hypothesis.h"

/* All kinds of hypotheses, those of plug-ins included; configurations are read, too. */
extern const struct assumption_kinds assumable_hypotheses;

/* The kind of hypothesis that is assumed; NULL for waits. */
const struct hypothesis_kind *assumption_kind(const struct assumption *assumption);

/* The shortest wait that may become shorter in a trace, seconds: 0 if it is not reduced. */
enum status assumptions_least_wait_of(const struct trace *trace, double *least_wait_s,
                                      struct error *error);

/* The functions below are not collective and do the same on all processes. Whole traces allow
 * everything. A failure has STATUS_INPUT and a message for the user.
 *
 * This one fails at the first hypothesis that a reduced trace was not reduced for. */
enum status assumptions_check(const struct trace *trace, const struct hypothesis *hypotheses,
                              size_t count, struct error *error);

/* Fails at the first assumption for which the trace cannot be reduced further. */
enum status assumptions_check_further(const struct trace *trace, const struct assumptions *further,
                                      struct error *error);

/* Fails if the trace is reduced: no assumption allows this request ("--bounds"). */
enum status assumptions_check_request(const struct trace *trace, const char *request,
                                      struct error *error);
/* Fails if the trace does not answer a request about all waits of `least_wait_s` seconds and
 * longer. Negative: about the waits that were assumed; fails if none were. */
enum status assumptions_check_waits(const struct trace *trace, const char *request,
                                    double least_wait_s, struct error *error);

#endif
