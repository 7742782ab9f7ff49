#include "config.h" /* the version */

#include "measure/archive/scan.h"
#include "measure/archive/unify.h"

#include "base/otf2_attributes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* --- definitions before the regions ------------------------------------------------------------
 */

static void write_clock(struct unification *unification, const struct archive_scan *scan)
{
    double since_first =
        (double)(int64_t)(scan->begin - scan->first.ticks) / scan->ticks_per_second;
    uint64_t realtime = OTF2_UNDEFINED_TIMESTAMP;
    if (scan->first.realtime)
        realtime = scan->first.realtime + (uint64_t)llround(since_first * 1e9);
    unification_check(unification,
                      OTF2_GlobalDefWriter_WriteClockProperties(
                          unification->writer, (uint64_t)llround(scan->ticks_per_second),
                          scan->begin, scan->end - scan->begin + 1, realtime));
}

static void write_paradigm(struct unification *unification)
{
    OTF2_GlobalDefWriter *writer = unification->writer;
    OTF2_AttributeValue template = {.stringRef = unify_string(unification, "Comm ${id}")};
    unification_check(unification, OTF2_GlobalDefWriter_WriteParadigm(
                                       writer, OTF2_PARADIGM_MPI, unify_string(unification, "MPI"),
                                       OTF2_PARADIGM_CLASS_PROCESS));
    unification_check(unification,
                      OTF2_GlobalDefWriter_WriteParadigmProperty(
                          writer, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE,
                          OTF2_TYPE_STRING, template));
}

static void write_attributes(struct unification *unification)
{
    static const struct {
        const char *name, *description;
        OTF2_Type type;
    } attributes[] = {
#define X(identifier, name, type, description) {name, description, OTF2_TYPE_##type},
        SILAS_ATTRIBUTES(X)
#undef X
    };
    for (uint32_t i = 0; i < SILAS_ATTRIBUTE_COUNT; i++)
        unification_check(unification,
                          OTF2_GlobalDefWriter_WriteAttribute(
                              unification->writer, i, unify_string(unification, attributes[i].name),
                              unify_string(unification, attributes[i].description),
                              attributes[i].type));
}

/* Node 0 is the machine. Hosts follow, ordered by their lowest ranks. */
static void write_system_tree(struct unification *unification, const struct archive_scan *scan)
{
    struct utsname system;
    OTF2_GlobalDefWriter *writer = unification->writer;
    const char *machine = uname(&system) == 0 ? system.sysname : "machine";
    unification_check(unification,
                      OTF2_GlobalDefWriter_WriteSystemTreeNode(
                          writer, 0, unify_string(unification, machine),
                          unify_string(unification, "machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    unification_check(unification, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
                                       writer, 0, OTF2_SYSTEM_TREE_DOMAIN_MACHINE));
    for (uint32_t host = 0; host < scan->hosts.items.count; host++) {
        const char *name = scan->hosts.items.items[host].data;
        unification_check(unification, OTF2_GlobalDefWriter_WriteSystemTreeNode(
                                           writer, host + 1, unify_string(unification, name),
                                           unify_string(unification, "node"), 0));
        unification_check(unification,
                          OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
                              writer, host + 1, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
    }
}

static void write_locations(struct unification *unification, const struct archive_scan *scan)
{
    char name[64];
    OTF2_GlobalDefWriter *writer = unification->writer;
    for (uint32_t rank = 0; rank < scan->size; rank++) {
        snprintf(name, sizeof name, "MPI Rank %u", rank);
        unification_check(unification,
                          OTF2_GlobalDefWriter_WriteLocationGroup(
                              writer, rank, unify_string(unification, name),
                              OTF2_LOCATION_GROUP_TYPE_PROCESS, scan->ranks[rank].host + 1,
                              OTF2_UNDEFINED_LOCATION_GROUP));
    }
    for (size_t i = 0; i < scan->locations.count; i++) {
        const struct scan_location *location = &scan->locations.items[i];
        snprintf(name, sizeof name, "Thread %u", location->thread);
        unification_check(unification,
                          OTF2_GlobalDefWriter_WriteLocation(
                              writer, archive_location(location->rank, location->thread),
                              unify_string(unification, location->thread ? name : "Master thread"),
                              OTF2_LOCATION_TYPE_CPU_THREAD, location->events, location->rank));
    }
}

static void write_rank_group(struct unification *unification, uint32_t size)
{
    uint64_t *members = malloc(size * sizeof *members);
    if (!members) {
        unification->no_memory = true;
        return;
    }
    for (uint32_t rank = 0; rank < size; rank++)
        members[rank] = archive_location(rank, 0);
    unify_group(unification, "", OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, members, size);
    free(members);
}

/* --- local definitions -------------------------------------------------------------------------
 */

static bool is_identity(const unified_ids *ids)
{
    for (size_t i = 0; i < ids->count; i++) {
        if (ids->items[i] != i)
            return false;
    }
    return true;
}

static void write_mapping(struct unification *unification, OTF2_DefWriter *writer,
                          OTF2_MappingType type, const unified_ids *ids)
{
    if (is_identity(ids))
        return;
    OTF2_IdMap *map = OTF2_IdMap_CreateFromUint32Array(ids->count, ids->items, true);
    if (!map) {
        unification->no_memory = true;
        return;
    }
    unification_check(unification, OTF2_DefWriter_WriteMappingTable(writer, type, map));
    OTF2_IdMap_Free(map);
}

static void write_clock_offsets(struct unification *unification, OTF2_DefWriter *writer,
                                const struct scan_clock *clock)
{
    if (clock->offset[0] == 0 && clock->offset[1] == 0)
        return;
    for (int i = 0; i < 2 && (i == 0 || clock->time[1] > clock->time[0]); i++)
        unification_check(unification, OTF2_DefWriter_WriteClockOffset(writer, clock->time[i],
                                                                       clock->offset[i], 0));
}

static void write_local(struct unification *unification, OTF2_Archive *archive, uint64_t location,
                        const struct rank_ids *ids, const struct scan_clock *clock)
{
    OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(archive, location);
    if (!writer) {
        unification->no_memory = true;
        return;
    }
    for (int type = 0; type < OTF2_MAPPING_MAX; type++)
        write_mapping(unification, writer, (OTF2_MappingType)type, &ids->of[type]);
    write_clock_offsets(unification, writer, clock);
    unification_check(unification, OTF2_Archive_CloseDefWriter(archive, writer));
}

/* --- properties --------------------------------------------------------------------------------
 */

static void set_property(struct unification *unification, OTF2_Archive *archive, const char *name,
                         const char *value)
{
    if (value[0]) /* OTF2 has no empty properties */
        unification_check(unification, OTF2_Archive_SetProperty(archive, name, value, false));
}

/* Sets a property with one item per rank: its host, or with `cpus` the CPUs it was bound to. */
static void set_list_property(struct unification *unification, OTF2_Archive *archive,
                              const char *name, const struct archive_scan *scan, bool cpus)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    for (uint32_t rank = 0; stream && rank < scan->size; rank++) {
        const struct scan_rank *item = &scan->ranks[rank];
        fprintf(stream, "%s%s",
                rank == 0 ? ""
                : cpus    ? ";"
                          : ",",
                cpus ? item->cpus : (const char *)scan->hosts.items.items[item->host].data);
    }
    if (!stream || fclose(stream) != 0)
        unification->no_memory = true;
    else
        set_property(unification, archive, name, text);
    free(text);
}

static void set_properties(struct unification *unification, OTF2_Archive *archive,
                           const struct archive_scan *scan)
{
    bool complete = true;
    for (uint32_t rank = 0; rank < scan->size; rank++)
        complete = complete && scan->ranks[rank].ended;
    unification_check(unification, OTF2_Archive_SetCreator(archive, "SILAS " PACKAGE_VERSION));
    unification_check(
        unification,
        OTF2_Archive_SetBoolProperty(archive, "OTF2::MPI_COMMUNICATION_COMPLETE", complete, false));
    set_property(unification, archive, SILAS_PROPERTY_COMPLETE, complete ? "yes" : "no");
    set_property(unification, archive, SILAS_PROPERTY_IN_PLACE, "recorded");
    set_list_property(unification, archive, SILAS_PROPERTY_HOSTS, scan, false);
    set_list_property(unification, archive, SILAS_PROPERTY_BINDING, scan, true);
}

/* --- all of it ---------------------------------------------------------------------------------
 */

static enum status write_ranks(struct unification *unification, OTF2_Archive *archive,
                               const char *directory, const struct archive_scan *scan,
                               struct error *error)
{
    size_t at = 0; /* place in the scan's locations, which are in order of the ranks */
    for (uint32_t rank = 0; rank < scan->size; rank++) {
        struct rank_definitions definitions;
        struct rank_ids ids;
        enum status status = rank_definitions_read(directory, rank, &definitions, error);
        if (status)
            return status;
        unify_rank(unification, &definitions, &ids);
        for (; at < scan->locations.count && scan->locations.items[at].rank == rank; at++)
            write_local(unification, archive,
                        archive_location(rank, scan->locations.items[at].thread), &ids,
                        &scan->ranks[rank].clock);
        for (size_t i = 0; i < definitions.properties.count; i++)
            set_property(unification, archive, definitions.properties.items[i].name,
                         definitions.properties.items[i].value);
        rank_ids_free(&ids);
        rank_definitions_free(&definitions);
        if (unification->no_memory || unification->code)
            break;
    }
    return STATUS_OK;
}

static enum status write_all(OTF2_Archive *archive, const char *directory,
                             const struct archive_scan *scan, struct error *error)
{
    struct unification unification;
    OTF2_GlobalDefWriter *writer = OTF2_Archive_GetGlobalDefWriter(archive);
    if (!writer || !unification_open(&unification, writer))
        return error_memory(error, "definitions");
    write_clock(&unification, scan);
    unify_string(&unification, "");
    write_paradigm(&unification);
    write_attributes(&unification);
    write_system_tree(&unification, scan);
    write_locations(&unification, scan);
    write_rank_group(&unification, scan->size);
    enum status status = write_ranks(&unification, archive, directory, scan, error);
    unify_world(&unification, scan->size);
    set_properties(&unification, archive, scan);
    if (!status && unification.no_memory)
        status = error_memory(error, "definitions");
    if (!status && unification.code)
        status = archive_error(error, directory, unification.code);
    unification_close(&unification);
    return status;
}

static void summarize(const struct archive_scan *scan, struct archive_summary *summary)
{
    *summary = (struct archive_summary){
        .ranks = scan->size,
        .locations = (uint32_t)scan->locations.count,
        .bytes = scan->bytes,
        .seconds = (double)(scan->end - scan->begin) / scan->ticks_per_second,
    };
    for (size_t i = 0; i < scan->locations.count; i++)
        summary->events += scan->locations.items[i].events;
    for (uint32_t rank = 0; rank < scan->size; rank++) {
        if (!scan->ranks[rank].ended && summary->unfinished++ == 0)
            summary->first_unfinished = rank;
    }
}

enum status archive_write_definitions(OTF2_Archive *archive, const char *directory, uint32_t size,
                                      struct archive_summary *summary, struct error *error)
{
    struct archive_scan scan;
    enum status status = archive_scan_read(&scan, directory, size, error);
    if (status)
        return status;
    OTF2_ErrorCode code = OTF2_Archive_OpenDefFiles(archive);
    if (code)
        status = archive_error(error, directory, code);
    else
        status = write_all(archive, directory, &scan, error);
    code = OTF2_Archive_CloseDefFiles(archive);
    if (!status && code)
        status = archive_error(error, directory, code);
    summarize(&scan, summary);
    archive_scan_free(&scan);
    return status;
}
