/* Shared by the reader of event files (event_files.c) and the decoder of their records
 * (event_records.c). */
#ifndef TRACE_EVENT_FILES_PRIVATE_H
#define TRACE_EVENT_FILES_PRIVATE_H

#include "trace/load/event_bytes.h"
#include "trace/load/event_files.h"

/* The offset of a location's clock, from the time `begin` on. */
struct clock_interval {
    uint64_t begin, end;
    int64_t offset; /* ticks, at `begin` */
    double slope;
};

enum { MAPPINGS = OTF2_MAPPING_COMM + 1 };

struct event_files {
    int folder;     /* a descriptor */
    uint8_t *chunk; /* [chunk_bytes + SLACK], also for local definitions */
    size_t chunk_bytes;
    OTF2_AttributeList *attributes; /* of the next record */
    bool has_attributes;
    uint32_t read; /* locations */
    /* Of the location. */
    ARRAY(struct clock_interval) clocks;
    size_t clock; /* index of the current interval; time stamps ascend */
    struct id_map maps[MAPPINGS];
    bool has_maps;
};

/* A time stamp, corrected by the offset of the location's clock. */
uint64_t event_files_time(struct event_files *files, uint64_t time);

/* Reads the attributes of the next record. False: they are unusual. */
bool event_attributes_read(struct event_files *files, struct byte_span in);

/* Reads one record after its type, adds it to the builder and forgets its attributes. False: it is
 * unusual. */
bool event_record_read(struct event_files *files, struct stream_builder *b, uint8_t kind,
                       uint64_t time, struct byte_span *in);

/* Whether a record of this kind is one compressed number without a length. */
bool event_record_is_number(uint8_t kind);

#endif
