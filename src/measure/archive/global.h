/* The global definitions of the archive, and with them each location's local ones. */
#ifndef MEASURE_ARCHIVE_GLOBAL_H
#define MEASURE_ARCHIVE_GLOBAL_H

#include "measure/archive/archive_private.h"

/* Writes the definitions of all ranks into an archive that has its event files already, or gets
 * them afterwards; sets its properties. `directory` is the one with records/. */
enum status archive_write_definitions(OTF2_Archive *archive, const char *directory, uint32_t size,
                                      struct archive_summary *summary, struct error *error);

#endif
