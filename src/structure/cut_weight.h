/* What a cut stands for in the whole trace, so that an answer about the cut can be projected to the
 * whole (doc/methods.md, section 9). It is stored in properties of the cut's archive
 * (doc/otf2-attributes.md). */
#ifndef STRUCTURE_CUT_WEIGHT_H
#define STRUCTURE_CUT_WEIGHT_H

#include "trace/trace.h"

/* More periods than this are stored as so many quantiles of their lengths. */
enum { CUT_PERIODS_MAX = 101 };

struct cut_weight {
    double whole_s;    /* T of the whole trace */
    double total_s;    /* of it, the time that the cut stands for */
    size_t iterations; /* that it stands for */
    size_t count;      /* iterations in the cut */
    size_t first;      /* the number of the first of them in its stretch, from 0 */
    int level;         /* 0: the stretch is not inside of an iteration of another one */
    size_t period_count;
    double periods_s[CUT_PERIODS_MAX]; /* lengths of the stretch's periods, ascending */
    double *computation_s;             /* [rank]: mean computation in an iteration; NULL: unknown */
};

/* Sets periods_s to the lengths (ticks, in any order; sorted in place) or to their quantiles. */
void cut_weight_set_periods(struct cut_weight *weight, const struct trace *trace, uint64_t *lengths,
                            size_t count);

/* Adds the properties to a trace that structure_cut has made. False when memory is out. */
bool cut_weight_store(struct trace *cut, const struct cut_weight *weight);

/* Reads them. Fails with STATUS_INPUT if the trace is not a cut, or if the properties are damaged.
 * Clear the weight in any case. */
enum status cut_weight_read(const struct trace *cut, struct cut_weight *weight,
                            struct error *error);
void cut_weight_clear(struct cut_weight *weight);

#endif
