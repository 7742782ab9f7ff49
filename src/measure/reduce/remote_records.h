/* Makes the records of a rank on another host readable for the keeper of rank 0, which reduces them
 * (segment_reader.c). The two hosts share a file system, but what the program writes to mapped
 * files may stay in its host's memory. So the rank's own keeper writes complete segments through,
 * and then says in DIR/records/rank-N.ready how many bytes of the file can be read. */
#ifndef MEASURE_REMOTE_RECORDS_H
#define MEASURE_REMOTE_RECORDS_H

#include "measure/recorder/record_format.h"
#include "measure/recorder/record_path.h"

#include <stdbool.h>

struct remote_records {
    const char *directory;
    uint32_t rank;
    int file, ready_file; /* -1: not open */
    uint64_t ready;       /* bytes */
    uint64_t segment_size;
};

/* `directory` must stay valid. */
void remote_records_open(struct remote_records *records, const char *directory, uint32_t rank);

/* Writes all complete segments through; the rest, too, if the rank has `ended`. */
void remote_records_publish(struct remote_records *records, bool ended);

void remote_records_close(struct remote_records *records);

/* The bytes of a rank's file of events that can be read; 0: none yet. */
uint64_t remote_records_ready(const char *path);

static inline struct record_path remote_records_path(const char *directory, uint32_t rank)
{
    return record_path_of_rank(directory, rank, "ready");
}

/* Segments at the end of a file that the process still fills: records of the last but one may
 * change (recorder.h: recorder_take_back). */
enum { RECORD_SEGMENTS_FILLED = 2 };

#endif
