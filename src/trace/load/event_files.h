/* Reads the event files of an archive without OTF2's reader. For short locations this is faster,
 * because OTF2's reader opens two files and fills two buffers for each location, and each record
 * passes two layers of functions. This reader understands the usual contents of archives of MPI
 * programs: uncompressed files of the machine's byte order in a folder, with records of regions,
 * messages, collective operations and metrics. Anything else, including any damage, makes the
 * location unusual: OTF2's reader has to read it and reports any errors.
 *
 * Layout of the files (found by inspection and in the documentation of OTF2's buffers): chunks of
 * fixed size. Each begins with a header of 18 bytes (3, the byte order, the numbers of the first
 * and the last event); records follow; the last byte is 0 (another chunk follows) or 2 (the end). A
 * record begins with its type, one byte, and its length; records of a single number have no length.
 * Numbers are compressed: the number of bytes, then the bytes; 255 alone means undefined. Record 5
 * is the time of the records that follow, record 6 has the attributes of the next record. */
#ifndef TRACE_EVENT_FILES_H
#define TRACE_EVENT_FILES_H

#include "trace/load/load_builder.h"

#include <stdbool.h>

struct event_files;

/* Prepares to read the events of an archive. NULL if its files are of another kind or memory is
 * out; then OTF2 has to read them. Close with event_files_close. */
struct event_files *event_files_open(OTF2_Reader *reader, const char *anchor);
void event_files_close(struct event_files *files); /* NULL is allowed */

/* Fills the builder with the events of its stream's location. Applies the clock offsets and the
 * mappings of ids in its local definitions. False: the files are unusual; discard the builder.
 * True: see the builder's status, which may be an error in the events. */
bool event_files_read(struct event_files *files, struct stream_builder *b);

/* True if the event file of a location consists of complete records; `*records` is the number of
 * complete ones. OTF2 does not check this and would interpret the memory after the end as records.
 */
bool event_files_whole(struct event_files *files, uint64_t location, uint64_t *records);

/* The number of locations read so far without OTF2; 0 for NULL. */
uint32_t event_files_count(const struct event_files *files);

#endif
