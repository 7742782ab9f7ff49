/* Which rows of a rank go when communication folds: its records, and visits of regions in which
 * nothing is left. */
#ifndef REDUCTION_ROWS_H
#define REDUCTION_ROWS_H

#include "reduce/folding.h"

/* Sets drop[row] for the rows of owned stream `s` that go; `drop` has `count` items, false before.
 * What stays: calls with records that do not fold; all visits of regions whose computation may be
 * changed (input->changed.paths) and everything in them except records that fold, because their
 * lengths matter; the visits of the first and the last row; flushes with the visits around them.
 * Between two tests or probes that other calls separate, a call stays although it is empty, so that
 * they do not become one polling loop. False when memory is out. */
bool reduction_drop_rows(const struct trace *trace, uint32_t s, const struct folding *folding,
                         const bool *changed_paths, bool *drop);

#endif
