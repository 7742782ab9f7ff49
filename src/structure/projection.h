/* Projects results for cuts to the whole trace (doc/methods.md, section 9). */
#ifndef STRUCTURE_PROJECTION_H
#define STRUCTURE_PROJECTION_H

#include "base/estimate.h"
#include "structure/cut_weight.h"

/* Runs of a cut `copies` times in a row. */
struct projected_runs {
    size_t copies;          /* 0: there were none; both times are 0 */
    double length_s;        /* T of the average cut, `copies` times in a row */
    const double *before_s; /* [runs]: T without the hypotheses; NULL: length_s */
    const double *after_s;  /* [runs]: T under the hypotheses; NULL: before_s */
};

struct projected_cut {
    const char *path;
    struct cut_weight weight;
    struct projected_runs few, many; /* the time of an iteration is from their difference */
    double scale;                    /* seconds of T per second of average cuts in a row */
    double average_s;                /* t0: time of an iteration of the average cut in a row */
    double period_s;                 /* mean length of the iterations that it represents */
    double before_s, after_s; /* of an iteration: medians. If no other cut represents iterations of
                                 the same part, before_s is period_s for engines that repeat the
                                 recording exactly */
};

struct projection {
    double whole_s;             /* T of the whole trace */
    double rest_s;              /* the part of T that no cut represents: assumed unchanged */
    struct projected_cut *cuts; /* [cut_count] */
    size_t cut_count, run_count;
    struct estimate before_s, after_s, saving_s, saving; /* of the whole; saving: a fraction */
};

/* How often the cut is repeated in the two runs. */
struct projection_copies {
    size_t few, many;
};
struct projection_copies projection_copies(const struct cut_weight *weight, bool can_unroll);

/* Computes the estimates from weights and runs of the cuts. Fails with STATUS_INPUT if the cuts are
 * not of one trace, or represent more than all of it. The result depends on the arguments only:
 * random numbers come from a generator with a fixed seed. */
enum status projection_estimate(struct projection *projection, struct error *error);

#endif
