#include "trace/load/counters.h"

#include "base/map.h"
#include "base/names.h"
#include "trace/load/load_private.h"
#include "trace/otf2_error.h"

#include <stdlib.h>
#include <string.h>

/* A metric with this name, of the archive's members. */
struct counter_member {
    OTF2_MetricMode mode;
    OTF2_StringRef name;
    OTF2_MetricMemberRef id;
};

/* The counter in the definitions. */
struct counter_search {
    const char *wanted;
    ARRAY(struct counter_member) members; /* all of the archive */
    ARRAY(char *) strings;                /* [index of a string] */
    struct map string_of;                 /* id -> index */
    struct map place; /* id of a class, or of an instance of it -> which of its values it is */
    OTF2_MetricMode mode;
    bool out_of_memory;
};

static OTF2_CallbackCode counter_result(struct counter_search *search, bool allocated)
{
    search->out_of_memory |= !allocated;
    return allocated ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
}

static OTF2_CallbackCode on_counter_string(void *data, OTF2_StringRef self, const char *text)
{
    struct counter_search *search = data;
    char *copy = strdup(text);
    const bool pushed = copy && array_push(&search->strings, copy);
    if (!pushed)
        free(copy);
    return counter_result(
        search, pushed && map_set(&search->string_of, self, (uint32_t)search->strings.count - 1));
}

static OTF2_CallbackCode on_member(void *data, OTF2_MetricMemberRef self, OTF2_StringRef name,
                                   OTF2_StringRef description, OTF2_MetricType type,
                                   OTF2_MetricMode mode, OTF2_Type value_type, OTF2_Base base,
                                   int64_t exponent, OTF2_StringRef unit)
{
    (void)description, (void)type, (void)value_type, (void)base, (void)exponent, (void)unit;
    struct counter_search *search = data;
    const struct counter_member member = {mode, name, self};
    return counter_result(search, array_push(&search->members, member));
}

static const char *counter_name(const struct counter_search *search,
                                const struct counter_member *member)
{
    const uint32_t string = map_get(&search->string_of, member->name);
    return string == MAP_NONE ? "" : search->strings.items[string];
}

static OTF2_CallbackCode on_class(void *data, OTF2_MetricRef self, uint8_t count,
                                  const OTF2_MetricMemberRef *members, OTF2_MetricOccurrence when,
                                  OTF2_RecorderKind recorder)
{
    (void)when, (void)recorder;
    struct counter_search *search = data;
    for (uint8_t i = 0; i < count; i++)
        for (size_t m = 0; m < search->members.count; m++) {
            const struct counter_member *member = &search->members.items[m];
            if (member->id != members[i] ||
                strcmp(counter_name(search, member), search->wanted) != 0)
                continue;
            search->mode = member->mode;
            return counter_result(search, map_set(&search->place, self, i));
        }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_instance(void *data, OTF2_MetricRef self, OTF2_MetricRef of,
                                     OTF2_LocationRef recorder, OTF2_MetricScope scope_kind,
                                     uint64_t scope)
{
    (void)recorder, (void)scope_kind, (void)scope;
    struct counter_search *search = data;
    const uint32_t place = map_get(&search->place, of);
    return counter_result(search, place == MAP_NONE || map_set(&search->place, self, place));
}

static enum status no_such_counter(const char *path, const struct counter_search *search,
                                   struct error *error)
{
    const size_t count = search->members.count;
    const char **names = malloc((count + 1) * sizeof *names);
    char nearest[256];
    if (!names)
        return error_memory(error, "names");
    for (size_t i = 0; i < count; i++)
        names[i] = counter_name(search, &search->members.items[i]);
    names_nearest(search->wanted, names, count, nearest, sizeof nearest);
    free(names);
    if (count == 0)
        return error_set(
            error, STATUS_INPUT,
            "%s: the archive records no counters, so none is named %s; the tracer must "
            "record them, as Score-P does with SCOREP_METRIC_PAPI",
            path, search->wanted);
    return error_set(error, STATUS_INPUT, "%s: no counter is named %s; the nearest names are %s",
                     path, search->wanted, nearest);
}

static enum status find_counter(OTF2_Reader *reader, const char *path,
                                struct counter_search *search, struct error *error)
{
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *on = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_ErrorCode code = OTF2_ERROR_MEM_ALLOC_FAILED;
    if (definitions && on) {
        OTF2_GlobalDefReaderCallbacks_SetStringCallback(on, on_counter_string);
        OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(on, on_member);
        OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(on, on_class);
        OTF2_GlobalDefReaderCallbacks_SetMetricInstanceCallback(on, on_instance);
        code = OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, on, search);
        uint64_t read;
        if (code == OTF2_SUCCESS)
            code = OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read);
    }
    if (on)
        OTF2_GlobalDefReaderCallbacks_Delete(on);
    if (definitions)
        OTF2_Reader_CloseGlobalDefReader(reader, definitions);
    if (search->out_of_memory || code == OTF2_ERROR_MEM_ALLOC_FAILED)
        return error_memory(error, "definitions");
    if (code != OTF2_SUCCESS)
        return error_set(error, STATUS_INPUT, "%s: the definitions cannot be read (%s)", path,
                         otf2_error_text(code));
    return search->place.count > 0 ? STATUS_OK : no_such_counter(path, search, error);
}

/* Reads the values of one location. */
struct counter_values {
    const struct counter_search *search;
    counter_part_list *parts;
    bool has_last, out_of_memory;
    uint64_t last; /* time of the last value */
    double value;
};

static double value_as_double(OTF2_Type type, OTF2_MetricValue value)
{
    switch (type) {
    case OTF2_TYPE_INT64:
        return (double)value.signed_int;
    case OTF2_TYPE_UINT64:
        return (double)value.unsigned_int;
    default:
        return value.floating_point;
    }
}

static OTF2_CallbackCode on_value(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                  void *data, OTF2_AttributeList *list, OTF2_MetricRef metric,
                                  uint8_t count, const OTF2_Type *types,
                                  const OTF2_MetricValue *values)
{
    (void)location, (void)position, (void)list;
    struct counter_values *reading = data;
    const uint32_t place = map_get(&reading->search->place, metric);
    if (place >= count || (reading->has_last && time <= reading->last))
        return OTF2_CALLBACK_SUCCESS;
    const double value = value_as_double(types[place], values[place]);
    const OTF2_MetricMode mode = reading->search->mode;
    const OTF2_MetricMode timing = mode & OTF2_METRIC_TIMING_MASK;
    if (reading->has_last) {
        struct counter_part part = {reading->last, time, reading->value};
        const double ticks = (double)(time - reading->last);
        if ((mode & OTF2_METRIC_VALUE_MASK) == OTF2_METRIC_VALUE_ACCUMULATED)
            part.value = (value - reading->value) / ticks;
        else if ((mode & OTF2_METRIC_VALUE_MASK) == OTF2_METRIC_VALUE_RELATIVE)
            part.value = value / ticks;
        else if (timing == OTF2_METRIC_TIMING_LAST)
            part.value = value;
        reading->out_of_memory |= !array_push(reading->parts, part);
    }
    reading->has_last = true;
    reading->last = time;
    reading->value = value;
    return reading->out_of_memory ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

static enum status read_values(const struct event_source *source, const struct stream *stream,
                               struct counter_values *reading, struct error *error)
{
    const OTF2_LocationRef id = source->definitions->locations[stream->location].id;
    OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(source->reader, id);
    OTF2_EvtReaderCallbacks *on = OTF2_EvtReaderCallbacks_New();
    OTF2_ErrorCode code = OTF2_ERROR_MEM_ALLOC_FAILED;
    uint64_t read;
    if (events && on) {
        OTF2_EvtReaderCallbacks_SetMetricCallback(on, on_value);
        code = OTF2_Reader_RegisterEvtCallbacks(source->reader, events, on, reading);
        OTF2_EvtReader_ApplyMappingTables(events, source->has_mappings);
        OTF2_EvtReader_ApplyClockOffsets(events, source->has_clock_offsets);
        if (code == OTF2_SUCCESS)
            code = OTF2_Reader_ReadAllLocalEvents(source->reader, events, &read);
    }
    if (on)
        OTF2_EvtReaderCallbacks_Delete(on);
    if (events)
        OTF2_Reader_CloseEvtReader(source->reader, events);
    if (reading->out_of_memory || code == OTF2_ERROR_MEM_ALLOC_FAILED)
        return error_memory(error, "the values of a counter");
    return code == OTF2_SUCCESS
               ? STATUS_OK
               : error_set(error, STATUS_INPUT, "%s: the events of rank %u cannot be read (%s)",
                           source->path, stream->rank, otf2_error_text(code));
}

static enum status read_all_values(const struct trace *trace, const struct event_source *source,
                                   const struct counter_search *search, struct counter *counter,
                                   struct error *error)
{
    counter->ranks = calloc((size_t)trace->owned_count + 1, sizeof *counter->ranks);
    counter->owned_count = counter->ranks ? trace->owned_count : 0;
    enum status status = counter->ranks ? STATUS_OK : error_memory(error, "a counter");
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++) {
        struct counter_values reading = {.search = search, .parts = &counter->ranks[s]};
        if (trace->streams[s].location != INDEX_NONE)
            status = read_values(source, &trace->streams[s], &reading, error);
    }
    return status;
}

static void clear_search(struct counter_search *search)
{
    for (size_t i = 0; i < search->strings.count; i++)
        free(search->strings.items[i]);
    free(search->strings.items);
    free(search->members.items);
    map_clear(&search->string_of);
    map_clear(&search->place);
}

/* Opens the archive once more, as `again`. */
static enum status open_again(const struct trace *trace, struct trace *again,
                              struct definition_ids *ids, struct event_source *source,
                              struct error *error)
{
    enum status status = STATUS_OK;
    again->path = arena_strdup(again->arena, trace->path);
    if (!again->path)
        return error_memory(error, "a path");
    if (!name_ends_with(trace->path, ".otf2"))
        return error_set(error, STATUS_INPUT, "%s: only archives of OTF2 have counters",
                         trace->path);
    status = load_open(again, ids, source, error);
    if (status != STATUS_OK || again->rank_count == trace->rank_count)
        return status;
    load_close(source);
    definition_ids_clear(ids);
    return error_set(error, STATUS_INPUT,
                     "%s: its threads are ranks of the trace, and counters of threads cannot be "
                     "told apart",
                     trace->path);
}

/* Collective. Fails if no rank has values. */
static enum status check_values(const struct trace *trace, const char *name,
                                const struct counter *counter, struct error *error)
{
    int64_t parts = 0;
    for (uint32_t s = 0; s < counter->owned_count; s++)
        parts += (int64_t)counter->ranks[s].count;
    processes_sum(trace->processes, &parts, 1);
    return parts > 0 ? STATUS_OK
                     : error_set(error, STATUS_INPUT, "%s: no rank has values of the counter %s",
                                 trace->path, name);
}

enum status counter_load(const struct trace *trace, const char *name, struct counter *counter,
                         struct error *error)
{
    struct counter_search search = {.wanted = name};
    struct definition_ids ids = {0};
    struct event_source source = {0};
    struct trace *again;
    assert(name && *name);
    *counter = (struct counter){0};
    enum status status = load_create(trace->processes, &again, error);
    if (status != STATUS_OK)
        return status;
    status = open_again(trace, again, &ids, &source, error);
    if (status == STATUS_OK) {
        status = find_counter(source.reader, trace->path, &search, error)
                     ?: read_all_values(again, &source, &search, counter, error);
        load_close(&source);
        definition_ids_clear(&ids);
    }
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK)
        status = check_values(trace, name, counter, error);
    clear_search(&search);
    trace_destroy(again);
    if (status != STATUS_OK)
        counter_clear(counter);
    return status;
}

void counter_clear(struct counter *counter)
{
    for (uint32_t s = 0; s < counter->owned_count; s++)
        free(counter->ranks[s].items);
    free(counter->ranks);
    *counter = (struct counter){0};
}
