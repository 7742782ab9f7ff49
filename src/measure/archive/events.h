/* From the records of one thread to the events of one location. */
#ifndef MEASURE_ARCHIVE_EVENTS_H
#define MEASURE_ARCHIVE_EVENTS_H

#include "measure/archive/archive_private.h"
#include "measure/archive/record_reader.h"

/* Writes all records of the reader, in order of time and with regions nested. Adds to `visits`, by
 * the rank's regions, and fills `*location` but for its bytes. */
enum status archive_write_location(OTF2_Archive *archive, struct record_reader *reader,
                                   const struct rank_definitions *definitions,
                                   struct rank_visits *visits, struct rank_location *location,
                                   struct error *error);

#endif
