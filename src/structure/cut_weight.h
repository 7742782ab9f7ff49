/* The weight of a cut: the part of the whole trace that it represents, so that a result for the cut
 * can be projected to the whole (doc/methods.md, section 9). It is stored in properties of the
 * cut's archive (doc/otf2-attributes.md). */
#ifndef STRUCTURE_CUT_WEIGHT_H
#define STRUCTURE_CUT_WEIGHT_H

#include "trace/trace.h"

/* If there are more periods, this number of quantiles of their lengths is stored. */
enum { CUT_PERIODS_MAX = 101 };

struct cut_weight {
    double whole_s;    /* T of the whole trace */
    double total_s;    /* the part of T that the cut represents */
    size_t iterations; /* that it represents */
    size_t count;      /* iterations in the cut */
    size_t first;      /* the number of the first of them in its stretch, from 0 */
    int level;         /* 0: the stretch is not inside of an iteration of another one */
    size_t part;       /* cuts with the same number represent iterations of the same part of a
                          stretch, each others of them; 0: no other cut does */
    size_t period_count;
    double periods_s[CUT_PERIODS_MAX]; /* lengths of the stretch's periods, ascending */
    double *computation_s;             /* [rank]: mean computation in an iteration; NULL: unknown */
};

/* Sets periods_s to the lengths (ticks, in any order; sorted in place) or to their quantiles. */
void cut_weight_set_periods(struct cut_weight *weight, const struct trace *trace, uint64_t *lengths,
                            size_t count);

/* Adds the properties to a trace that structure_cut has made. False if out of memory. */
bool cut_weight_store(struct trace *cut, const struct cut_weight *weight);

/* Reads the properties. Free the weight with cut_weight_clear. Fails with STATUS_INPUT if the trace
 * is not a cut, or if the properties are damaged; then nothing is left to free. */
enum status cut_weight_read(const struct trace *cut, struct cut_weight *weight,
                            struct error *error);
void cut_weight_clear(struct cut_weight *weight);

#endif
