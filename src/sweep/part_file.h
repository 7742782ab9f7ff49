/* The parts of a sweep and their file, parts.json. */
#ifndef SWEEP_PART_FILE_H
#define SWEEP_PART_FILE_H

#include "sweep/folder.h"

/* Writes the parts of the folder to `path`, at once. Fails with STATUS_ENVIRONMENT. */
enum status sweep_parts_write(const struct sweep_folder *folder, const char *path,
                              struct error *error);

/* Reads them; without a file there are none. Fails with STATUS_INPUT for a damaged file. The folder
 * has no parts before. */
enum status sweep_parts_read(struct sweep_folder *folder, const char *path, struct error *error);

void sweep_parts_clear(struct sweep_folder *folder);

/* The number of runs of a part that are still open. */
size_t sweep_part_count_open(const struct sweep_folder *folder, const struct sweep_part *part);

/* ", 3 of 7 rounds" for a part that replays and has open runs, else "": the runs of a part are
 * replayed together, round by round, and are done after the last round. */
struct rounds_text {
    char text[64];
};
struct rounds_text sweep_part_rounds_text(const struct sweep_folder *folder, size_t part);

#endif
