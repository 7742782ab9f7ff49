/* Converts the records of one thread to the events of one location of the archive. */
#ifndef MEASURE_ARCHIVE_WRITING_H
#define MEASURE_ARCHIVE_WRITING_H

#include "measure/archive/archive_private.h"
#include "measure/archive/record_reader.h"

#include "base/array.h"
#include "base/otf2_attributes.h"

struct open_region {
    uint32_t region;
    uint64_t enter, inner; /* ticks: time of the enter, and time spent in inner regions */
};

/* The state of a location that is being written. */
struct writing {
    const struct rank_definitions *definitions;
    OTF2_EvtWriter *writer;
    OTF2_AttributeList *attributes;
    ARRAY(struct open_region) stack;
    struct rank_visits *visits; /* by region */
    uint64_t now;               /* time of the last event written */
    uint64_t flush_begin, flush_end;
    uint64_t probe; /* number of the matched probe for the next receive or leave, 0: none */
    bool flush_waits;
    bool no_memory;
    OTF2_ErrorCode code; /* the first failure */
    struct rank_location location;
};

static inline void writing_check(struct writing *writing, OTF2_ErrorCode code)
{
    if (code && !writing->code)
        writing->code = code;
}

static inline void writing_put(struct writing *writing, OTF2_ErrorCode code)
{
    writing_check(writing, code);
    writing->location.events++;
}

static inline void writing_add_type_size(struct writing *writing, unsigned size)
{
    if (size)
        writing_check(writing, OTF2_AttributeList_AddUint16(
                                   writing->attributes, SILAS_ATTRIBUTE_TYPE_SIZE, (uint16_t)size));
}

/* Writes a put, get or atomic operation (RECORD_RMA_OP). */
void writing_put_rma_op(struct writing *writing, const struct record *record);

/* Writes any other record of one-sided communication; its id is a window. */
void writing_put_window(struct writing *writing, const struct record *record);

/* Writes all records of the reader, in order of time and with regions nested. Adds to `visits`,
 * which is indexed by the rank's regions. Fills `*location` except for its bytes. */
enum status archive_write_location(OTF2_Archive *archive, struct record_reader *reader,
                                   const struct rank_definitions *definitions,
                                   struct rank_visits *visits, struct rank_location *location,
                                   struct error *error);

#endif
