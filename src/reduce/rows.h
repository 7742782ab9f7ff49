/* Finds the rows of a rank that are left out when communication folds: its records, and visits of
 * regions that are empty then. */
#ifndef REDUCTION_ROWS_H
#define REDUCTION_ROWS_H

#include "reduce/folding.h"

/* Sets drop[row] for the rows of owned stream `s` that are left out; `drop` has `count` items, all
 * false before. These rows stay: calls with records that do not fold; all visits of regions whose
 * computation may change (input->changed.paths), and everything in them but the records that fold,
 * because their lengths matter; parallel regions of ranks with recorded threads, and all visits in
 * them, because the rows of a team's threads belong together; the visits of the first and the last
 * row; flushes with the visits around them. If calls separate two tests or probes, one of them
 * stays, even if it is empty, so that the tests do not become one polling loop. False if out of
 * memory. */
bool reduction_drop_rows(const struct trace *trace, uint32_t s, const struct folding *folding,
                         const bool *changed_paths, bool *drop);

#endif
