/* A cut many times in a row, from which the time of an iteration follows that neither begins nor
 * ends the run: T of m copies minus T of fewer (doc/methods.md, section 9). */
#ifndef STRUCTURE_UNROLL_H
#define STRUCTURE_UNROLL_H

#include "structure/cut_weight.h"

/* Collective. False if the cut makes or frees communicators or windows, begins or ends MPI: then it
 * cannot follow itself. */
bool structure_can_unroll(const struct trace *cut);

/* Collective. Makes a trace of `copies` copies of `cut`, which must be matched and outlive it; more
 * than one only if structure_can_unroll. Each begins one period after the one before: the longest
 * time that a rank takes. The result is matched. Free it with trace_destroy. Fails with
 * STATUS_INPUT if a rank would get too many events. */
enum status structure_unroll(const struct trace *cut, size_t copies, struct trace **unrolled,
                             struct error *error);

/* Collective. Makes a copy of an unrolled cut in which each rank computes as long as the weight
 * says for an average iteration: all of its computation is scaled by one factor. Times of different
 * ranks do not agree then; an engine must predict them. Free it with trace_destroy. */
enum status structure_average(const struct trace *unrolled, size_t copies,
                              const struct cut_weight *weight, struct trace **average,
                              struct error *error);

/* Collective. Makes a recording of its own of what an engine has predicted: `view` has the times.
 * Free it with trace_destroy. */
enum status structure_settle(const struct trace *trace, const struct trace *view,
                             struct trace **settled, struct error *error);

#endif
