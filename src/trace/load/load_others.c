/* Buffer flushes, measurement on and off, and events that are kept without interpretation. */
#include "trace/load/load_builder.h"

OTF2_CallbackCode load_flush(COMMON_ARGUMENTS, OTF2_TimeStamp stop)
{
    COMMON_UNUSED;
    if (!array_push(&b->flushes, stop))
        return stream_builder_out_of_memory(b);
    return CHECK_APPEND(b, time, EVENT_BUFFER_FLUSH, (uint32_t)b->flushes.count - 1);
}

OTF2_CallbackCode load_measurement(COMMON_ARGUMENTS, OTF2_MeasurementMode mode)
{
    COMMON_UNUSED;
    return CHECK_APPEND(b, time, EVENT_MEASUREMENT_ON_OFF, mode);
}

OTF2_CallbackCode load_other(struct stream_builder *b, uint64_t time, enum other_type type,
                             uint64_t first, uint64_t second, uint64_t third)
{
    static const bool of_teams[OTHER_TYPE_COUNT] = {
#define X(identifier, name, team, count, ...) [OTHER_##identifier] = team,
        OTHER_EVENTS(X)
#undef X
    };
    if (of_teams[type])
        first = id_map_get(&b->source->ids->comms, first);
    struct other_event event = {.type = type, .fields = {first, second, third}};
    if (!array_push(&b->others, event))
        return stream_builder_out_of_memory(b);
    return CHECK_APPEND(b, time, EVENT_OTHER, (uint32_t)b->others.count - 1);
}

/* Parameters and values of a record by its number of fields. */
#define PARAMETERS_0(...)
#define PARAMETERS_1(A)       , A first
#define PARAMETERS_2(A, B)    , A first, B second
#define PARAMETERS_3(A, B, C) , A first, B second, C third
#define VALUES_0              0, 0, 0
#define VALUES_1              first, 0, 0
#define VALUES_2              first, second, 0
#define VALUES_3              first, second, third
#define X(identifier, name, team, count, ...)                                                  \
    static OTF2_CallbackCode on_##identifier(COMMON_ARGUMENTS PARAMETERS_##count(__VA_ARGS__)) \
    {                                                                                          \
        COMMON_UNUSED;                                                                         \
        return load_other(b, time, OTHER_##identifier, VALUES_##count);                        \
    }
OTHER_EVENTS(X)
#undef X

void load_others_register(OTF2_EvtReaderCallbacks *on)
{
    OTF2_EvtReaderCallbacks_SetBufferFlushCallback(on, load_flush);
    OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(on, load_measurement);
#define X(identifier, name, team, count, ...) \
    OTF2_EvtReaderCallbacks_Set##name##Callback(on, on_##identifier);
    OTHER_EVENTS(X)
#undef X
}
