/* What the files of the archive's writer share. */
#ifndef MEASURE_ARCHIVE_PRIVATE_H
#define MEASURE_ARCHIVE_PRIVATE_H

#include "measure/archive/archive.h"
#include "measure/archive/rank_definitions.h"
#include "measure/recorder/record_path.h"

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
enum status archive_write_definitions(OTF2_Archive *archive, const char *directory, uint32_t size,
                                      struct archive_summary *summary, struct error *error);

struct archive_record {
    uint64_t time;
    enum record_kind kind;
    unsigned flags, type_size;
    uint32_t id;
    const struct record_slot *slot; /* the whole record; valid until the next one is read */
    uint32_t polls;                 /* of an ENTER: failed tests like this one that were left out */
    uint64_t polls_ticks;           /* before it, and their time in MPI (recorder/polls.h) */
};

struct record_reader {
    bool present; /* false: there is no such thread, or it has no records */
    struct record_path path;
    int file;
    uint64_t size; /* of the file */
    struct record_header header;
    const struct record_slot *segment;
    size_t segment_slots, at;
    uint64_t next_offset;
};

/* Opens DIR/records/rank-RANK.THREAD.events. Succeeds with `present` false if there is none. */
enum status record_reader_open(struct record_reader *reader, const char *directory, uint32_t rank,
                               uint32_t thread, struct error *error);

/* Reads the next record. False at the end and on failure, which sets `*status`. */
bool record_reader_next(struct record_reader *reader, struct archive_record *record,
                        enum status *status, struct error *error);

void record_reader_close(struct record_reader *reader);

/* Bytes of a file, 0 if there is none. */
uint64_t record_file_size(const char *path);

/* Writes all records of the reader, in order of time and with regions nested. Adds to `visits`,
 * which is indexed by the rank's regions. Fills `*location` except for its bytes. */
enum status archive_write_location(OTF2_Archive *archive, struct record_reader *reader,
                                   const struct rank_definitions *definitions,
                                   struct rank_region_visits *visits,
                                   struct rank_location *location, struct error *error);

#endif
