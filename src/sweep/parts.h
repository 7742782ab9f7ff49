/* How a sweep is split into jobs. */
#ifndef SWEEP_PARTS_H
#define SWEEP_PARTS_H

#include "sweep/folder.h"

/* Splits the open runs into parts none of which is expected to take longer than `longest_s` (0: no
 * limit), and writes parts.json. A run that takes longer alone is a part of its own. If only the
 * best are to be replayed, the model has been asked before (sweep_work_model). */
enum status sweep_folder_split(struct sweep_folder *folder, double longest_s, struct error *error);

/* The same without writing anything; `folder` need not have a path. */
enum status sweep_parts_plan(struct sweep_folder *folder, double longest_s, struct error *error);

/* The number of runs of a part that are still open. */
size_t sweep_part_open(const struct sweep_folder *folder, const struct sweep_part *part);

/* For folder.c: reads parts.json, if there is one; frees the parts. */
enum status sweep_parts_read(struct sweep_folder *folder, struct error *error);
void sweep_parts_clear(struct sweep_folder *folder);

#endif
