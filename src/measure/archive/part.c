/* Writes a rank's part of the archive: its event files, and the data about them that are needed to
 * assemble the archive. */
#include "measure/archive/archive_private.h"
#include "measure/archive/symbols.h"
#include "measure/recorder/filter_rule.h"
#include "measure/recorder/openmp.h"

#include "base/otf2_attributes.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef ARRAY(struct rank_location) location_array;

static void write_teams(FILE *file, const struct rank_teams *teams)
{
    const size_t count = teams->members.items.count;
    uint32_t head[] = {DEFINITION_TEAMS, sizeof(uint32_t), (uint32_t)count};
    for (size_t i = 0; i < count; i++)
        head[1] += (uint32_t)(sizeof(uint32_t) + teams->members.items.items[i].size);
    if (count > 0)
        fwrite(head, sizeof head, 1, file);
    for (size_t i = 0; i < count; i++) {
        const struct name *members = &teams->members.items.items[i];
        const uint32_t threads = (uint32_t)(members->size / sizeof(uint32_t)) - 1;
        fwrite(&threads, sizeof threads, 1, file);
        fwrite(members->data, members->size, 1, file);
    }
}

/* Appends the data about the event files to the rank's definitions. */
static enum status append_results(const char *directory, uint32_t rank,
                                  const location_array *locations, const struct rank_teams *teams,
                                  const struct rank_region_visits *visits, uint32_t visit_count,
                                  struct error *error)
{
    assert(visit_count == 0 || visits);
    const struct record_path path = record_path_of_rank(directory, rank, "definitions");
    FILE *file = fopen(path.text, "abe");
    if (!file)
        return error_set(error, STATUS_ENVIRONMENT, "cannot write %s: %s", path.text,
                         strerror(errno));
    for (size_t thread = 0; thread < locations->count; thread++) {
        const uint32_t head[] = {DEFINITION_LOCATION, sizeof locations->items[thread]};
        fwrite(head, sizeof head, 1, file);
        fwrite(&locations->items[thread], sizeof locations->items[thread], 1, file);
    }
    uint32_t head[] = {DEFINITION_VISITS,
                       (uint32_t)(sizeof(uint32_t) + visit_count * sizeof visits[0]), visit_count};
    fwrite(head, sizeof head, 1, file);
    fwrite(visits, sizeof visits[0], visit_count, file);
    write_teams(file, teams);
    if (ferror(file) | fclose(file))
        return error_set(error, STATUS_ENVIRONMENT, "cannot write %s: %s", path.text,
                         strerror(errno));
    return STATUS_OK;
}

static uint64_t event_file_bytes(const struct record_path *part, uint64_t location)
{
    char path[sizeof *part + 64];
    snprintf(path, sizeof path, "%s/" ARCHIVE_NAME "/%llu.evt", part->text,
             (unsigned long long)location);
    return record_file_size(path);
}

static enum status write_rank_locations(const char *directory, OTF2_Archive *archive,
                                        const struct rank_definitions *definitions,
                                        const struct rank_teams *teams,
                                        struct rank_region_visits *visits,
                                        location_array *locations, struct error *error)
{
    enum status status = STATUS_OK;
    for (uint32_t thread = 0; !status; thread++) {
        struct record_reader reader;
        struct rank_location location;
        status = record_reader_open(&reader, directory, definitions->rank, thread, error);
        if (!status && !reader.present && thread == 0 &&
            !OTF2_Archive_GetEvtWriter(archive, archive_location(definitions->rank, thread)))
            status = error_memory(error, "events of a rank"); /* a rank has at least one file */
        if (status || !reader.present)
            break;
        status =
            archive_write_location(archive, &reader, definitions, teams, visits, &location, error);
        record_reader_close(&reader);
        if (!status && !array_push(locations, location))
            status = error_memory(error, "locations");
    }
    return status;
}

/* What the last line of a filter that matches the name says. */
static bool filter_excludes(const char *filter, const char *name)
{
    bool excluded = false;
    char line[4096];
    for (const char *at = filter; *at;) {
        const size_t length = strcspn(at, "\n");
        bool excludes;
        snprintf(line, sizeof line, "%.*s", (int)length, at);
        if (filter_rule_matches(filter_rule_pattern(line, &excludes), name))
            excluded = excludes;
        at += length + (at[length] != '\0');
    }
    return excluded;
}

static enum status exclude_by(const char *filter, struct rank_definitions *definitions,
                              struct error *error)
{
    struct function_symbols *symbols = function_symbols_open();
    bool allocated = symbols != NULL;
    for (size_t i = 0; i < definitions->regions.count && allocated; i++) {
        struct rank_region *region = &definitions->regions.items[i];
        struct function_symbol symbol;
        if (region->construct == OPENMP_NONE)
            continue;
        allocated = construct_symbols_find(symbols, rank_object_path(definitions, region),
                                           region->address, region->construct, &symbol);
        region->excluded = allocated && filter_excludes(filter, symbol.name);
    }
    function_symbols_close(symbols);
    return allocated ? STATUS_OK : error_memory(error, "the filter");
}

/* Excludes constructs of OpenMP: only here are their names known. Rank 0 has recorded the filter.
 */
static enum status exclude_constructs(const char *directory, struct rank_definitions *definitions,
                                      struct error *error)
{
    struct rank_definitions first;
    enum status status = STATUS_OK;
    if (!rank_has_constructs(definitions) ||
        (status = rank_definitions_read(directory, 0, &first, error)))
        return status;
    for (size_t i = 0; i < first.properties.count && !status; i++)
        if (strcmp(first.properties.items[i].name, SILAS_PROPERTY_FILTER) == 0 &&
            first.properties.items[i].value[0])
            status = exclude_by(first.properties.items[i].value, definitions, error);
    rank_definitions_free(&first);
    return status;
}

static enum status write_rank_part(const char *directory,
                                   const struct rank_definitions *definitions, struct error *error)
{
    const struct record_path part = archive_part_path(directory, definitions->rank);
    struct rank_teams teams;
    enum status status = archive_remove_tree(part.text, error);
    if (!status)
        status = rank_teams_read(directory, definitions, &teams, error);
    if (status)
        return status;
    OTF2_Archive *archive = archive_open(part.text, error);
    if (!archive) {
        rank_teams_clear(&teams);
        return error->status;
    }
    location_array locations = {0};
    struct rank_region_visits *visits = calloc(definitions->regions.count + 1, sizeof *visits);
    OTF2_ErrorCode code = OTF2_Archive_OpenEvtFiles(archive);
    if (!visits)
        status = error_memory(error, "regions");
    else if (code)
        status = archive_error(error, part.text, code);
    else
        status = write_rank_locations(directory, archive, definitions, &teams, visits, &locations,
                                      error);
    OTF2_Archive_CloseEvtFiles(archive);
    code = OTF2_Archive_Close(archive);
    if (!status)
        status = archive_check(error, part.text, code);
    for (uint32_t thread = 0; thread < locations.count; thread++)
        locations.items[thread].bytes =
            event_file_bytes(&part, archive_location(definitions->rank, thread));
    if (!status && definitions->present)
        status = append_results(directory, definitions->rank, &locations, &teams, visits,
                                (uint32_t)definitions->regions.count, error);
    free(locations.items);
    free(visits);
    rank_teams_clear(&teams);
    return status;
}

enum status archive_write_rank(const char *directory, uint32_t rank, struct error *error)
{
    struct rank_definitions definitions;
    enum status status = rank_definitions_read(directory, rank, &definitions, error);
    if (status)
        return status;
    definitions.rank = rank;
    status = exclude_constructs(directory, &definitions, error);
    if (!status)
        status = write_rank_part(directory, &definitions, error);
    rank_definitions_free(&definitions);
    return status;
}
