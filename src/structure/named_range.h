/* A part of a trace that the user names. */
#ifndef STRUCTURE_NAMED_RANGE_H
#define STRUCTURE_NAMED_RANGE_H

#include "structure/cut.h"
#include "structure/cut_weight.h"

/* Collective. Finds what `text` names and what a cut of it stands for:
 *
 *   1.5s..2.5s    from a time after the trace's begin to another one, on all ranks; units are s
 *                 (default), ms, us, ns. It stands for itself
 *   solve#3       the third visit of a region on each rank that has so many; the first without #.
 *                 It stands for all visits, with the mean length and computation of each rank
 *   main/solve#3  the same of a call path
 *
 * ranges[rank] must be all zero; those of ranks without such a visit stay so. Fails with
 * STATUS_INPUT if there is no such part. Clear the weight in any case. */
enum status named_range_find(const struct trace *trace, const char *text, struct cut_range *ranges,
                             struct cut_weight *weight, struct error *error);

#endif
