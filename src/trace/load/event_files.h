/* Reads the event files of an archive without OTF2's reader, which opens two files and fills two
 * buffers for each location, and calls through two layers for each record. Understands what nearly
 * all archives of MPI programs consist of: files of the same byte order in a folder, not
 * compressed, with records of regions, messages, collective operations and metrics.
 * Whatever else a file has, also any damage, is left to OTF2's reader, which words the errors; so
 * nothing is known of a location of which this reader says that it is unusual.
 *
 * Layout of the files (found in archives and in the documentation of OTF2's buffers): chunks of
 * fixed size; in each a header of 18 bytes (3, the byte order, the numbers of the first and the
 * last event), then records, then 0 (another chunk follows) or 2 (the end). A record is one byte of
 * type and, except for some that have one number only, its length. Numbers are compressed: the
 * count of bytes, then these; 255 alone means undefined. Record 5 is the time of those that follow,
 * record 6 the attributes of the next one. */
#ifndef TRACE_EVENT_FILES_H
#define TRACE_EVENT_FILES_H

#include "trace/load/load_builder.h"

#include <stdbool.h>

struct event_files;

/* Prepares to read the events of an archive. NULL if its files are of another kind, or if memory is
 * out: then OTF2 has to read them. Close with event_files_close. */
struct event_files *event_files_open(OTF2_Reader *reader, const char *anchor);
void event_files_close(struct event_files *files); /* NULL is allowed */

/* Fills the builder with the events of its stream's location, with clock offsets applied and ids
 * mapped as its local definitions say. False: the files are unusual, and the builder's contents
 * are of no use. True: done, or the builder's status tells what is wrong with the events. */
bool event_files_read(struct event_files *files, struct builder *b);

/* Whether a location's event file consists of whole records up to its end; `*records` of them are
 * whole. OTF2 does not check this: it takes for records what its memory has behind the end. */
bool event_files_whole(struct event_files *files, uint64_t location, uint64_t *records);

/* How many locations were not unusual so far; 0 for NULL. */
uint32_t event_files_count(const struct event_files *files);

#endif
