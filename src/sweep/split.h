/* Splits the runs of a sweep into parts, each of which is the work of one job. */
#ifndef SWEEP_SPLIT_H
#define SWEEP_SPLIT_H

#include "sweep/folder.h"

/* Splits the open runs into parts none of which is expected to take longer than `longest_s` (0: no
 * limit). A run that takes longer than that is a part alone. If only the best runs are to be
 * replayed, the model must have been asked before (sweep_work_model). Writes nothing; `folder` need
 * not have a path. Fails if a recording cannot be read. */
enum status sweep_parts_plan(struct sweep_folder *folder, double longest_s, struct error *error);

/* Splits as sweep_parts_plan does, and writes parts.json. */
enum status sweep_parts_split(struct sweep_folder *folder, double longest_s, struct error *error);

#endif
