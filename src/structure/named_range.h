/* A part of a trace that the user names. */
#ifndef STRUCTURE_NAMED_RANGE_H
#define STRUCTURE_NAMED_RANGE_H

#include "structure/cut.h"
#include "structure/cut_weight.h"

/* Collective. Finds the part that `text` names, and the weight of a cut of it:
 *
 *   1.5s..2.5s    between two times since the beginning of the trace, on all ranks; units are s
 *                 (default), ms, us, ns. It represents itself
 *   solve#3       the third visit of a region on each rank with at least three; the first without
 * #. It represents all visits, with the mean length and computation of each rank main/solve#3  the
 * same for a call path
 *
 * ranges[rank] must be all zero; those of ranks without such a visit stay so. Free the weight with
 * cut_weight_clear. Fails with STATUS_INPUT if there is no such part; then nothing is left to
 * free. */
enum status named_range_find(const struct trace *trace, const char *text, struct cut_range *ranges,
                             struct cut_weight *weight, struct error *error);

#endif
