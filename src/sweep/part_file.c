#include "sweep/part_file.h"

#include "base/json.h"
#include "report/report_file.h"
#include "sweep/journal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t sweep_part_count_open(const struct sweep_folder *folder, const struct sweep_part *part)
{
    assert(part->runs || part->run_count == 0);
    size_t open = 0;
    for (size_t i = 0; i < part->run_count; i++)
        open += folder->results[part->runs[i]].state == RUN_OPEN;
    return open;
}

struct rounds_text sweep_part_rounds_text(const struct sweep_folder *folder, size_t part)
{
    struct rounds_text made = {""};
    assert(part < folder->part_count);
    if (folder->parts[part].replays && sweep_part_count_open(folder, &folder->parts[part]) > 0)
        snprintf(
            made.text, sizeof made.text, ", %zu of %s%zu rounds",
            journal_count_rounds(sweep_folder_path(folder, "part-%02zu.journal", part + 1).text),
            sweep_folder_may_stop(folder) ? "at most " : "", sweep_folder_rounds(folder));
    return made;
}

void sweep_parts_clear(struct sweep_folder *folder)
{
    for (size_t i = 0; i < folder->part_count; i++)
        free(folder->parts[i].runs);
    free(folder->parts);
    folder->parts = NULL;
    folder->part_count = 0;
}

static json_t *part_object(const struct sweep_folder *folder, const struct sweep_part *part)
{
    json_t *runs = json_array();
    for (size_t i = 0; i < part->run_count; i++)
        json_append(&runs, json_text(folder->sweep->runs[part->runs[i]].name));
    return JSON_MEMBERS({"base", json_count(part->base)}, {"replays", json_boolean(part->replays)},
                        {"runs", runs}, {"ranks", json_count(part->ranks)},
                        {"expected_s", json_number(part->expected_s)});
}

static bool print_parts_file(const void *what, FILE *stream)
{
    const struct sweep_folder *folder = what;
    json_t *parts = json_array();
    for (size_t i = 0; i < folder->part_count; i++)
        json_append(&parts, part_object(folder, &folder->parts[i]));
    return json_write(JSON_MEMBERS({"parts", parts}), stream);
}

enum status sweep_parts_write(const struct sweep_folder *folder, const char *path,
                              struct error *error)
{
    return report_file_write(path, print_parts_file, folder, error);
}

/* The number of the run with this name; SIZE_MAX if there is none. */
static size_t run_called(const struct sweep_plan *sweep, const char *name)
{
    for (size_t i = 0; i < sweep->run_count; i++)
        if (strcmp(sweep->runs[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

/* Returns false if the value does not describe a part of the sweep. */
static bool take_part(const struct sweep_plan *sweep, json_t *value, struct sweep_part *part)
{
    json_int_t base, ranks;
    json_t *runs;
    int replays;
    if (json_unpack(value, "{s:I, s:b, s:o, s:I, s:F}", "base", &base, "replays", &replays, "runs",
                    &runs, "ranks", &ranks, "expected_s", &part->expected_s) != 0)
        return false;
    part->base = (size_t)base;
    part->replays = replays;
    part->ranks = (uint32_t)ranks;
    bool good = base >= 0 && part->base < sweep->base_count && ranks > 0 && ranks <= UINT32_MAX &&
                json_array_size(runs) <= sweep->run_count;
    for (size_t i = 0; good && i < json_array_size(runs); i++) {
        const char *name = json_string_value(json_array_get(runs, i));
        const size_t run = name ? run_called(sweep, name) : SIZE_MAX;
        good = run != SIZE_MAX;
        part->runs[part->run_count++] = run;
    }
    return good;
}

static enum status take_parts(struct sweep_folder *folder, const json_t *list, const char *path,
                              struct error *error)
{
    const size_t count = json_array_size(list);
    bool good = json_is_array(list);
    folder->parts = calloc(count + 1, sizeof *folder->parts);
    if (!folder->parts)
        return error_memory(error, "the parts of a sweep");
    while (good && folder->part_count < count) {
        const size_t i = folder->part_count++;
        struct sweep_part *part = &folder->parts[i];
        part->runs = calloc(folder->sweep->run_count + 1, sizeof *part->runs);
        if (!part->runs)
            return error_memory(error, "the parts of a sweep");
        good = take_part(folder->sweep, json_array_get(list, i), part);
    }
    return good ? STATUS_OK
                : error_set(error, STATUS_INPUT,
                            "%s is damaged: remove it, and run \"silas-sweep resume %s\"", path,
                            folder->path);
}

enum status sweep_parts_read(struct sweep_folder *folder, const char *path, struct error *error)
{
    if (access(path, F_OK) != 0)
        return STATUS_OK;
    json_t *whole = json_load_file(path, 0, NULL);
    enum status status = take_parts(folder, json_object_get(whole, "parts"), path, error);
    json_decref(whole);
    return status;
}
