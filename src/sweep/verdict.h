/* The verdict about a sweep: whether some run is better than the unchanged program. */
#ifndef SWEEP_VERDICT_H
#define SWEEP_VERDICT_H

#include "sweep/table.h"

/* The first finished run that improves the objective significantly; NULL: there is none. */
const struct table_row *table_best_gain(const struct sweep_table *table);

/* The number of rounds after which, by the width of the intervals so far, the first of the replayed
 * runs would be a significant gain. 0: one is a significant gain already, none seems to be a gain,
 * or it would take thousands of rounds. */
size_t table_rounds_wanted(const struct sweep_table *table);

/* Sentences that say why no run is a significant gain, and what would help; they never contradict
 * the intervals of the table. Returns `text`, which is empty if a run is a significant gain or no
 * run has figures. */
const char *table_doubt(const struct sweep_table *table, char *text, size_t size);

#endif
