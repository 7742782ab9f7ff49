#include "bench/trace/empty_reader.h"

#include "trace/trace.h"

#include <otf2/otf2.h>

#include <stdlib.h>

struct locations {
    OTF2_LocationRef *ids;
    uint32_t count, capacity;
};

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t events,
                                     OTF2_LocationGroupRef group)
{
    struct locations *locations = data;
    (void)name, (void)type, (void)events, (void)group;
    if (locations->count == locations->capacity) {
        uint32_t capacity = 2 * locations->capacity + 64;
        OTF2_LocationRef *ids = realloc(locations->ids, capacity * sizeof *ids);
        if (!ids)
            return OTF2_CALLBACK_INTERRUPT;
        locations->ids = ids;
        locations->capacity = capacity;
    }
    locations->ids[locations->count++] = self;
    return OTF2_CALLBACK_SUCCESS;
}

/* One empty callback for each kind of event. */
#define HEAD                                                                       \
    OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *data, \
        OTF2_AttributeList *attributes
#define EMPTY_CALLBACK(kind, ...)                         \
    static OTF2_CallbackCode on_##kind(HEAD, __VA_ARGS__) \
    {                                                     \
        (void)location, (void)time, (void)position;       \
        (void)data, (void)attributes;                     \
        return OTF2_CALLBACK_SUCCESS;                     \
    }
#define EVENTS(X)                                                                           \
    X(Enter, OTF2_RegionRef a __attribute__((unused)))                                      \
    X(Leave, OTF2_RegionRef a __attribute__((unused)))                                      \
    X(MpiIsendComplete, uint64_t a __attribute__((unused)))                                 \
    X(MpiIrecvRequest, uint64_t a __attribute__((unused)))                                  \
    X(MpiSend, uint32_t a __attribute__((unused)), OTF2_CommRef b __attribute__((unused)),  \
      uint32_t c __attribute__((unused)), uint64_t d __attribute__((unused)))               \
    X(MpiRecv, uint32_t a __attribute__((unused)), OTF2_CommRef b __attribute__((unused)),  \
      uint32_t c __attribute__((unused)), uint64_t d __attribute__((unused)))               \
    X(MpiIsend, uint32_t a __attribute__((unused)), OTF2_CommRef b __attribute__((unused)), \
      uint32_t c __attribute__((unused)), uint64_t d __attribute__((unused)),               \
      uint64_t e __attribute__((unused)))                                                   \
    X(MpiIrecv, uint32_t a __attribute__((unused)), OTF2_CommRef b __attribute__((unused)), \
      uint32_t c __attribute__((unused)), uint64_t d __attribute__((unused)),               \
      uint64_t e __attribute__((unused)))                                                   \
    X(MpiCollectiveEnd, OTF2_CollectiveOp a __attribute__((unused)),                        \
      OTF2_CommRef b __attribute__((unused)), uint32_t c __attribute__((unused)),           \
      uint64_t d __attribute__((unused)), uint64_t e __attribute__((unused)))
EVENTS(EMPTY_CALLBACK)

static OTF2_CallbackCode on_MpiCollectiveBegin(HEAD)
{
    (void)location, (void)time, (void)position;
    (void)data, (void)attributes;
    return OTF2_CALLBACK_SUCCESS;
}

static bool read_definitions(OTF2_Reader *reader, struct locations *locations)
{
    uint64_t count;
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
    OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, locations);
    OTF2_ErrorCode code = OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &count);
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    return code == OTF2_SUCCESS;
}

static void read_local_definitions(OTF2_Reader *reader, OTF2_LocationRef location)
{
    uint64_t count;
    OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(reader, location);
    if (!definitions)
        return;
    OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &count);
    OTF2_Reader_CloseDefReader(reader, definitions);
}

static bool read_events(OTF2_Reader *reader, OTF2_LocationRef location, uint64_t *events)
{
    OTF2_EvtReader *reading = OTF2_Reader_GetEvtReader(reader, location);
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
#define REGISTER(kind, ...) OTF2_EvtReaderCallbacks_Set##kind##Callback(callbacks, on_##kind);
    EVENTS(REGISTER)
    REGISTER(MpiCollectiveBegin)
#undef REGISTER
    OTF2_Reader_RegisterEvtCallbacks(reader, reading, callbacks, NULL);
    uint64_t count = 0;
    OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalEvents(reader, reading, &count);
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    OTF2_Reader_CloseEvtReader(reader, reading);
    *events += count;
    return code == OTF2_SUCCESS;
}

bool empty_read(const char *anchor, int process, int processes, uint64_t *events)
{
    struct locations locations = {0};
    OTF2_Reader *reader = OTF2_Reader_Open(anchor);
    *events = 0;
    if (!reader)
        return false;
    OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    bool good = read_definitions(reader, &locations);
    uint32_t first = trace_first_rank(locations.count, processes, process);
    uint32_t behind = trace_first_rank(locations.count, processes, process + 1);
    for (uint32_t i = first; i < behind; i++)
        OTF2_Reader_SelectLocation(reader, locations.ids[i]);
    good = good && OTF2_Reader_OpenEvtFiles(reader) == OTF2_SUCCESS;
    if (OTF2_Reader_OpenDefFiles(reader) == OTF2_SUCCESS) {
        for (uint32_t i = first; i < behind; i++)
            read_local_definitions(reader, locations.ids[i]);
        OTF2_Reader_CloseDefFiles(reader);
    }
    for (uint32_t i = first; good && i < behind; i++)
        good = read_events(reader, locations.ids[i], events);
    OTF2_Reader_CloseEvtFiles(reader);
    OTF2_Reader_Close(reader);
    free(locations.ids);
    return good;
}
