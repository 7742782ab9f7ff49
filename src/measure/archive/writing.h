/* One location of the archive while it is written. */
#ifndef MEASURE_ARCHIVE_WRITING_H
#define MEASURE_ARCHIVE_WRITING_H

#include "measure/archive/archive_private.h"
#include "measure/archive/record_reader.h"

#include "base/array.h"
#include "base/otf2_attributes.h"

struct open_region {
    uint32_t region;
    uint64_t enter, inner; /* ticks: when it was entered, and spent in what it called */
};

/* One location being written. */
struct writing {
    const struct rank_definitions *definitions;
    OTF2_EvtWriter *writer;
    OTF2_AttributeList *attributes;
    ARRAY(struct open_region) stack;
    struct rank_visits *visits; /* by region */
    uint64_t now;               /* time of the last event written */
    uint64_t flush_begin, flush_end;
    uint64_t probe; /* of the next receive or leave, 0: none */
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

#endif
