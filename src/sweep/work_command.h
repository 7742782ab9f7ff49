/* The command line of a job that works on a part of a sweep. */
#ifndef SWEEP_WORK_COMMAND_H
#define SWEEP_WORK_COMMAND_H

#include "base/array.h"
#include "sweep/folder.h"

/* Appends "PROGRAM work --part PART OPTIONS DIR" and a zero byte. `part`: words of a shell for the
 * number of the part, from 1. `options`: further options of this program, NULL-terminated; NULL:
 * none. Fails with STATUS_ENVIRONMENT. */
enum status work_command_put(const struct sweep_folder *folder, const char *part,
                             const char *const *options, struct bytes *line, struct error *error);

#endif
