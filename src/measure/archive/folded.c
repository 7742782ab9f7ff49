#include "measure/archive/folded.h"

#include "measure/archive/unify.h"

#include "base/otf2_attributes.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool records_hold(const char *directory, const char *name)
{
    return access(record_path(directory, name).text, F_OK) == 0;
}

enum status archive_take_reduced(const char *directory, uint32_t size, struct error *error)
{
    if (!records_hold(directory, "reduced")) {
        if (!records_hold(directory, "begun"))
            return STATUS_OK;
        return error_set(error, STATUS_INPUT,
                         "%s cannot be recovered: the records were reduced and freed while the "
                         "program ran, and the reduction was killed",
                         directory);
    }
    for (uint32_t rank = 0; rank < size; rank++) {
        const struct record_path from = record_path_of_rank(directory, rank, "reduced");
        const struct record_path to = record_path_of_thread(directory, rank, 0);
        if (rename(from.text, to.text) != 0 && errno != ENOENT)
            return error_set(error, STATUS_ENVIRONMENT, "cannot move %s to %s: %s", from.text,
                             to.text, strerror(errno));
    }
    return STATUS_OK;
}

enum status reduced_run_read(const char *directory, struct reduced_run *run, struct error *error)
{
    const struct record_path path = record_path(directory, "reduced");
    size_t room = 0;
    *run = (struct reduced_run){.present = false};
    FILE *file = fopen(path.text, "re");
    if (!file && errno == ENOENT)
        return STATUS_OK;
    bool read = file && fscanf(file, "%lf", &run->ticks_per_second) == 1;
    for (int d = 0; d < RUN_DISTANCES && read; d++) {
        struct run_distance *distance = &run->machine.distances[d];
        read = fscanf(file, "%la %la %" SCNu64, &distance->latency, &distance->per_byte,
                      &distance->synchronous_from) == 3;
    }
    read = read && getc(file) == '\n';
    ssize_t length = read ? getline(&run->assumed, &room, file) : -1;
    if (file)
        fclose(file);
    if (length < 1) {
        reduced_run_clear(run);
        return error_set(error, STATUS_INPUT, "%s: damaged", path.text);
    }
    run->assumed[length - 1] = '\0';
    run->present = true;
    return STATUS_OK;
}

void reduced_run_clear(struct reduced_run *run)
{
    free(run->assumed);
    map_clear(&run->path_index);
    free(run->paths.items);
    *run = (struct reduced_run){.present = false};
}

void folded_machine_text(const struct run_machine *machine, char *text, size_t size)
{
    enum { DISTANCES = 4 }; /* replay/costs/machine.h: the last one is between hosts */
    size_t length = 0;
    for (int d = 0; d < DISTANCES && length < size; d++) {
        const struct run_distance *distance =
            &machine->distances[d + 1 < DISTANCES ? RUN_SAME_HOST : RUN_OTHER_HOST];
        length +=
            (size_t)snprintf(text + length, size - length, "%s1 %a %a %" PRIu64, d ? " " : "",
                             distance->latency, distance->per_byte, distance->synchronous_from);
    }
}

/* The archive's number of a call path; MAP_NONE if out of memory. */
static uint32_t number_path(struct reduced_run *run, uint64_t parent, uint32_t region)
{
    struct unified_path path = {parent, region};
    uint32_t *number =
        map_at(&run->path_index, (parent + 1) << 32 | region, (uint32_t)run->paths.count);
    if (!number || (*number == run->paths.count && !array_push(&run->paths, path)))
        return MAP_NONE;
    return *number;
}

typedef ARRAY(uint64_t) member_array;

static bool add_path_values(const struct folded_path *path, uint32_t number, member_array *members)
{
    for (uint64_t metric = 0; metric < FOLDED_COUNT; metric++)
        if (path->values[metric] != 0 &&
            !(array_push(members, metric) && array_push(members, number) &&
              array_push(members, (uint64_t)path->values[metric])))
            return false;
    return true;
}

/* False if out of memory. */
static bool add_folded_paths(struct reduced_run *run, struct unification *global,
                             const struct rank_definitions *definitions, const struct rank_ids *ids,
                             const struct folded_path *paths, uint64_t count, member_array *members)
{
    const unified_ids *regions = &ids->of[OTF2_MAPPING_REGION];
    uint32_t *numbers = malloc((size_t)count * sizeof *numbers + 1);
    bool room = numbers != NULL;
    for (uint64_t i = 0; i < count && room; i++) {
        bool root = i == 0 || paths[i].parent >= i || paths[i].region >= regions->count;
        numbers[i] =
            root ? number_path(run, UINT64_MAX, unify_program(global, definitions))
                 : number_path(run, numbers[paths[i].parent], regions->items[paths[i].region]);
        room = numbers[i] != MAP_NONE && add_path_values(&paths[i], numbers[i], members);
    }
    free(numbers);
    return room;
}

enum status reduced_run_add(struct reduced_run *run, struct unification *global,
                            const char *directory, const struct rank_definitions *definitions,
                            const struct rank_ids *ids, struct error *error)
{
    assert(run->present);
    const struct record_path path = record_path_of_rank(directory, definitions->rank, "folded");
    struct folded_header header;
    struct folded_path *paths = NULL;
    member_array members = {0};
    FILE *file = fopen(path.text, "rbe");
    bool read = file && fread(&header, sizeof header, 1, file) == 1 &&
                header.paths <= record_file_size(path.text) / sizeof *paths;
    if (read && (paths = malloc((size_t)header.paths * sizeof *paths + 1)))
        read = fread(paths, sizeof *paths, header.paths, file) == header.paths;
    if (file)
        fclose(file);
    enum status status = STATUS_OK;
    if (!read)
        status = error_set(error, STATUS_INPUT, "cannot read %s, or it is damaged", path.text);
    else if (!paths ||
             !add_folded_paths(run, global, definitions, ids, paths, header.paths, &members))
        status = error_memory(error, "the folded profile");
    else
        unify_numbers(global, SILAS_FOLDED_GROUP_NAME, members.items, (uint32_t)members.count);
    run->events += read ? header.events : 0;
    free(paths);
    free(members.items);
    return status;
}

static void set_property_text(struct unification *global, OTF2_Archive *archive, const char *name,
                              const char *format, ...) __attribute__((format(printf, 4, 5)));

static void set_property_text(struct unification *global, OTF2_Archive *archive, const char *name,
                              const char *format, ...)
{
    char text[8192];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    unify_check(global, OTF2_Archive_SetProperty(archive, name, text, true));
}

void reduced_run_write(const struct reduced_run *run, struct unification *global,
                       OTF2_Archive *archive, uint64_t events, uint64_t bytes)
{
    assert(run->present);
    static const char metrics[] = "" /* with a blank in front */
#define X(identifier, name) " " name
        FOLDED_METRICS(X)
#undef X
        ;
    char machine[512];
    uint64_t *members = malloc(run->paths.count * 2 * sizeof *members + 1);
    if (!members) {
        global->no_memory = true;
        return;
    }
    for (size_t i = 0; i < run->paths.count; i++) {
        members[2 * i] = run->paths.items[i].parent;
        members[2 * i + 1] = run->paths.items[i].region;
    }
    unify_numbers(global, SILAS_PATHS_GROUP_NAME, members, 2 * (uint32_t)run->paths.count);
    free(members);
    folded_machine_text(&run->machine, machine, sizeof machine);
    double share = events > 0 ? (double)bytes / (double)events : 0; /* of an event */
    set_property_text(global, archive, SILAS_PROPERTY_REDUCED,
                      "%" PRIu64 " %" PRIu64 " %.0f %" PRIu64, run->events, events,
                      share * (double)run->events, bytes);
    set_property_text(global, archive, SILAS_PROPERTY_ASSUMED, "%s", run->assumed);
    set_property_text(global, archive, SILAS_PROPERTY_MACHINE, "%s", machine);
    set_property_text(global, archive, SILAS_PROPERTY_FOLDED, "%s", metrics + 1);
}
