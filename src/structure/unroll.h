/* A cut repeated in a row. The difference of T between more and fewer copies is the time of
 * iterations that neither begin nor end the run (doc/methods.md, section 9). */
#ifndef STRUCTURE_UNROLL_H
#define STRUCTURE_UNROLL_H

#include "structure/cut_weight.h"

/* Collective. False if the cut creates or frees communicators or windows, or initialises or
 * finalises MPI: then it cannot be repeated. */
bool structure_can_unroll(const struct trace *cut);

/* Collective. Makes a trace of `copies` copies of `cut`, which must be matched and outlive it; more
 * than one only if structure_can_unroll. Each copy begins one period after the previous one: the
 * longest time of a rank. The result is matched. Free it with trace_destroy. Fails with
 * STATUS_INPUT if a rank would have too many events. */
enum status structure_unroll(const struct trace *cut, size_t copies, struct trace **unrolled,
                             struct error *error);

/* Collective. Makes a copy of an unrolled cut in which each rank has the computation of an average
 * iteration, given by the weight: all of its computation is scaled by one factor. The times of
 * different ranks are then inconsistent; an engine must predict them. Free it with
 * trace_destroy. */
enum status structure_average(const struct trace *unrolled, size_t copies,
                              const struct cut_weight *weight, struct trace **average,
                              struct error *error);

/* Collective. Makes a separate recording with the times that an engine has predicted, which `view`
 * contains. Free it with trace_destroy. */
enum status structure_settle(const struct trace *trace, const struct trace *view,
                             struct trace **settled, struct error *error);

#endif
