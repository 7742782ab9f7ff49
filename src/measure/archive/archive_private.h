/* What the files of the archive's writer share. */
#ifndef MEASURE_ARCHIVE_PRIVATE_H
#define MEASURE_ARCHIVE_PRIVATE_H

#include "measure/archive/archive.h"
#include "measure/archive/rank_definitions.h"
#include "measure/archive/rank_teams.h"
#include "measure/archive/record_reader.h"
#include "measure/recorder/worlds.h"

#include <otf2/otf2.h>

enum { ARCHIVE_CHUNK_EVENTS = 1 << 20, ARCHIVE_CHUNK_DEFINITIONS = 4 << 20 };

/* The location id of a thread, as Score-P numbers them; a rank's master thread has the rank's
 * number. */
static inline uint64_t archive_location(uint32_t rank, uint32_t thread)
{
    return (uint64_t)thread << 32 | rank;
}

/* Opens an archive that only this process writes. NULL and an error if that fails. */
OTF2_Archive *archive_open(const char *directory, struct error *error);

/* Sets an error with the OTF2 library's first message since archive_open. Returns
 * STATUS_ENVIRONMENT. */
enum status archive_error(struct error *error, const char *path, OTF2_ErrorCode code);

/* Returns STATUS_OK if `code` is OTF2_SUCCESS and no call of the operating system has failed since
 * archive_open; otherwise like archive_error. The library does not report a full disk when it
 * closes event files. */
enum status archive_check(struct error *error, const char *path, OTF2_ErrorCode code);

/* "DIR/records/part-N" */
struct record_path archive_part_path(const char *directory, uint32_t rank);

/* Writes the global definitions, each location's local ones and the archive's properties. The event
 * files may be added before or after. `directory` contains records/. */
enum status archive_write_definitions(OTF2_Archive *archive, const char *directory,
                                      struct archive_summary *summary, struct error *error);

/* Reads the worlds of the run, as worlds_read does. Fails like archive_rank_count. */
enum status archive_read_worlds(const char *directory, struct world **worlds, size_t *count,
                                struct error *error);

/* Writes all records of the reader, in order of time and with regions nested. Adds to `visits`,
 * which is indexed by the rank's regions. Fills `*location` except for its bytes. */
enum status archive_write_location(OTF2_Archive *archive, struct record_reader *reader,
                                   const struct rank_definitions *definitions,
                                   const struct rank_teams *teams,
                                   struct rank_region_visits *visits,
                                   struct rank_location *location, struct error *error);

#endif
