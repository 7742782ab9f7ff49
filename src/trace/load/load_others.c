/* Buffer flushes, measurement on and off, and events that are carried along uninterpreted. */
#include "trace/load/load_builder.h"

#include "trace/other_events.h"

static OTF2_CallbackCode on_flush(COMMON_ARGUMENTS, OTF2_TimeStamp stop)
{
    COMMON_UNUSED;
    if (!array_push(&b->flushes, stop))
        return builder_out_of_memory(b);
    return CHECK_APPEND(b, time, EVENT_BUFFER_FLUSH, (uint32_t)b->flushes.count - 1);
}

static OTF2_CallbackCode on_measurement(COMMON_ARGUMENTS, OTF2_MeasurementMode mode)
{
    COMMON_UNUSED;
    return CHECK_APPEND(b, time, EVENT_MEASUREMENT_ON_OFF, mode);
}

static OTF2_CallbackCode other(struct builder *b, uint64_t time, enum other_type type,
                               uint64_t first, uint64_t second, uint64_t third)
{
    struct other_event event = {.type = type, .fields = {first, second, third}};
    if (!array_push(&b->others, event))
        return builder_out_of_memory(b);
    return CHECK_APPEND(b, time, EVENT_OTHER, (uint32_t)b->others.count - 1);
}

/* Translates the first field of records in which it is a communicator (a team of threads). */
static uint64_t first_field(const struct builder *b, enum other_type type, uint64_t field)
{
    switch (type) {
    case OTHER_THREAD_TEAM_BEGIN:
    case OTHER_THREAD_TEAM_END:
    case OTHER_THREAD_CREATE:
    case OTHER_THREAD_BEGIN:
    case OTHER_THREAD_WAIT:
    case OTHER_THREAD_END:
    case OTHER_THREAD_TASK_CREATE:
    case OTHER_THREAD_TASK_SWITCH:
    case OTHER_THREAD_TASK_COMPLETE:
        return id_map_get(&b->source->ids->comms, field);
    default:
        return field;
    }
}

static OTF2_CallbackCode on_omp_join(COMMON_ARGUMENTS)
{
    COMMON_UNUSED;
    return other(b, time, OTHER_OMP_JOIN, 0, 0, 0);
}

#define X1(identifier, name, A)                                                                 \
    static OTF2_CallbackCode on_##identifier(COMMON_ARGUMENTS, A first)                         \
    {                                                                                           \
        COMMON_UNUSED;                                                                          \
        return other(b, time, OTHER_##identifier, first_field(b, OTHER_##identifier, first), 0, \
                     0);                                                                        \
    }
#define X2(identifier, name, A, B)                                                           \
    static OTF2_CallbackCode on_##identifier(COMMON_ARGUMENTS, A first, B second)            \
    {                                                                                        \
        COMMON_UNUSED;                                                                       \
        return other(b, time, OTHER_##identifier, first_field(b, OTHER_##identifier, first), \
                     second, 0);                                                             \
    }
#define X3(identifier, name, A, B, C)                                                        \
    static OTF2_CallbackCode on_##identifier(COMMON_ARGUMENTS, A first, B second, C third)   \
    {                                                                                        \
        COMMON_UNUSED;                                                                       \
        return other(b, time, OTHER_##identifier, first_field(b, OTHER_##identifier, first), \
                     second, third);                                                         \
    }
OTHER_EVENTS_1(X1)
OTHER_EVENTS_2(X2)
OTHER_EVENTS_3(X3)
#undef X1
#undef X2
#undef X3

void load_others_register(OTF2_EvtReaderCallbacks *on)
{
#define SET(name, function) OTF2_EvtReaderCallbacks_Set##name##Callback(on, function)
    SET(BufferFlush, on_flush);
    SET(MeasurementOnOff, on_measurement);
    SET(OmpJoin, on_omp_join);
#define X1(identifier, name, A)       SET(name, on_##identifier);
#define X2(identifier, name, A, B)    SET(name, on_##identifier);
#define X3(identifier, name, A, B, C) SET(name, on_##identifier);
    OTHER_EVENTS_1(X1)
    OTHER_EVENTS_2(X2)
    OTHER_EVENTS_3(X3)
#undef X1
#undef X2
#undef X3
#undef SET
}
