/* Between the files of the archive's writer. */
#ifndef MEASURE_ARCHIVE_PRIVATE_H
#define MEASURE_ARCHIVE_PRIVATE_H

#include "measure/archive/archive.h"
#include "measure/archive/rank_definitions.h"

#include <otf2/otf2.h>

enum { ARCHIVE_CHUNK_EVENTS = 1 << 20, ARCHIVE_CHUNK_DEFINITIONS = 4 << 20 };

/* As Score-P numbers them: a rank's threads are far from each other, its master thread is its
 * number. */
static inline uint64_t archive_location(uint32_t rank, uint32_t thread)
{
    return (uint64_t)thread << 32 | rank;
}

/* Opens an archive for writing by this process alone. NULL and an error if it cannot be made. */
OTF2_Archive *archive_open(const char *directory, struct error *error);

/* The library's complaint in words; STATUS_ENVIRONMENT. */
enum status archive_error(struct error *error, const char *path, OTF2_ErrorCode code);

/* "DIR/records/part-N" */
void archive_part_path(char *path, size_t size, const char *directory, uint32_t rank);

#endif
