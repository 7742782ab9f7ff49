/* The visits of a column (values.h) as observations for fits (fit.h): one for each recording, rank
 * and choice of values of some loop variables. */
#ifndef PREDICTION_FROM_OBSERVATIONS_H
#define PREDICTION_FROM_OBSERVATIONS_H

#include "base/map.h"
#include "predict/from/fit.h"
#include "predict/from/values.h"

/* The loops on which a value depends, as places in item_value.indices. */
struct loop_dependence {
    uint32_t places[FIT_LOOPS];
    uint32_t count;
};

/* Observations, each place (recording, rank and indices) once, in order of their first appearance.
 */
struct observations { /* all zero: empty */
    ARRAY(struct observation) list;
    struct map index;
};

void observations_clear(struct observations *observations);

/* The observation of the same place; `like` is added if there is none. Valid until another one is
 * added. NULL when memory is out. */
struct observation *observations_at(struct observations *observations,
                                    const struct observation *like);

/* The observation of one visit, with weight 1. */
struct observation observation_of(const struct item_value *visit, const struct loop_dependence *on);

/* Groups the visits of a column: the value of a group is the mean of its visits, its weight their
 * number. group_of[visit] becomes the group's number in the list; NULL: not wanted. The
 * observations are empty before. False when memory is out. */
bool observations_group(struct observations *observations, const struct value_column *column,
                        const struct loop_dependence *on, uint32_t *group_of);

#endif
