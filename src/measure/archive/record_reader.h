/* Reads the records of a thread (record_format.h). */
#ifndef MEASURE_RECORD_READER_H
#define MEASURE_RECORD_READER_H

#include "base/status.h"
#include "measure/recorder/record_format.h"
#include "measure/recorder/record_path.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns the record at slot `*at` or after it and sets `*at` to the slot after the record. NULL at
 * the end of the segment's records, or at a damaged one, which sets `*status`; `path` names the
 * file in the message. */
const struct record_slot *record_segment_next(const struct record_slot *segment, size_t slots,
                                              size_t *at, const char *path, enum status *status,
                                              struct error *error);

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

#endif
