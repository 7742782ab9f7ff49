#include "measure/reduce/assumptions.h"

#include "base/names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Kinds of hypotheses whose calls change nothing but the length of computation. */
static const char *name_of_kind(size_t number)
{
    static const char *const names[] = {"scale", "balance", NULL};
    assert(number < sizeof names / sizeof *names);
    return names[number];
}

static enum status check_section(const struct ini_section *section, struct error *error)
{
    static const char *const keys[] = {"region", "factor", "mode", NULL};
    const char *list = ini_value(section, "region");
    bool no_memory = false;
    char *pattern;
    enum status status = ini_check_keys(section, keys, error);
    if (status == STATUS_OK && !list)
        status = section_error(error, section, NULL, "the key \"region\" is missing");
    while (status == STATUS_OK && (pattern = names_next(&list, &no_memory))) {
        if (strncmp(pattern, "MPI", 3) == 0)
            status = section_error(
                error, section, "region",
                "\"%s\" is in MPI, but only computation can be assumed to change", pattern);
        free(pattern);
    }
    return no_memory ? error_memory(error, "the assumptions") : status;
}

static const struct assumption_kinds kinds_while_running = {
    .name = name_of_kind,
    .check = check_section,
    .advice = "; to assume others, record the whole run and use silas-reduce"};

/* Sections (replay/costs/machine.h) that describe a distance; the first one that the file has
 * counts. */
static const struct ini_section *find_distance(const struct ini *ini, int distance)
{
    enum { SECTIONS = 4 };
    static const char *const names[RUN_DISTANCES][SECTIONS] = {
        {"node", "socket", "cache", "network"}, {"network", "node", "socket", "cache"}};
    for (size_t n = 0; n < SECTIONS; n++)
        for (size_t i = 0; i < ini->section_count; i++)
            if (strcmp(ini->sections[i].kind, "distance") == 0 &&
                strcmp(ini->sections[i].label, names[distance][n]) == 0)
                return &ini->sections[i];
    return NULL;
}

static enum status read_parameters(const struct ini *ini, int which, struct run_distance *result,
                                   struct error *error)
{
    struct sender {
        double latency, send_overhead, send_per_byte, per_byte; /* per byte: ns */
    } sender = {0};
    static const struct ini_key keys[] = {INI_KEY(sender, latency, DURATION, .highest = 1e9),
                                          INI_KEY(sender, send_overhead, DURATION, .highest = 1e9),
                                          INI_KEY(sender, send_per_byte, NUMBER, .highest = 1e9),
                                          INI_KEY(sender, per_byte, NUMBER, .highest = 1e9),
                                          INI_KEYS_END};
    const struct ini_section *general = ini_find_section(ini, "machine");
    const struct ini_section *distance = find_distance(ini, which);
    if (!distance)
        return ini_error(error, ini, 0, "a machine file needs at least one [distance NAME]");
    enum status status = ini_read_some(distance, keys, &sender, error);
    if (!status && general)
        status = ini_get_limit(general, "synchronous_from", &result->synchronous_from, error);
    if (!status)
        status = ini_get_limit(distance, "synchronous_from", &result->synchronous_from, error);
    result->latency = sender.latency + sender.send_overhead;
    result->per_byte = 1e-9 * (sender.per_byte + sender.send_per_byte);
    return status;
}

static enum status load_machine(const char *path, struct run_machine *machine, struct error *error)
{
    struct ini *ini;
    enum status status = ini_load(path, &ini, error);
    if (status)
        return status;
    for (int d = 0; d < RUN_DISTANCES && !status; d++)
        status = read_parameters(ini, d, &machine->distances[d], error);
    ini_destroy(ini);
    return status;
}

enum status run_assumptions_read(const char *text, const char *machine,
                                 struct run_assumptions *assumptions, struct error *error)
{
    *assumptions = (struct run_assumptions){.text = NULL};
    for (int d = 0; d < RUN_DISTANCES; d++)
        assumptions->machine.distances[d].synchronous_from = UINT64_MAX;
    enum status status = assumptions_add(&assumptions->list, &kinds_while_running,
                                         text ? text : ASSUMED_BY_DEFAULT, error);
    if (status == STATUS_INPUT)
        status = error->status = STATUS_USAGE; /* the text is on the command line */
    if (!status && machine)
        status = load_machine(machine, &assumptions->machine, error);
    if (!status && !(assumptions->text = assumptions_text(&assumptions->list)))
        status = error_memory(error, "the assumptions");
    for (size_t i = 0; i < assumptions->list.items.count; i++)
        assumptions->regions |= !assumptions->list.items.items[i].waits;
    if (status)
        run_assumptions_clear(assumptions);
    return status;
}

void run_assumptions_clear(struct run_assumptions *assumptions)
{
    assumptions_clear(&assumptions->list);
    free(assumptions->text);
    *assumptions = (struct run_assumptions){.text = NULL};
}

/* Whether a region has a name that a list of patterns chooses (transform/callpath_marks.h). The
 * whole list may be the name of a region, such as "operator,(a, b)". */
static bool list_chooses(const char *list, const char *name, const char *canonical, bool *no_memory)
{
    bool chosen = name_matches(list, name) || strcmp(list, canonical) == 0;
    char *pattern;
    while (!chosen && (pattern = names_next(&list, no_memory))) {
        chosen = name_matches(pattern, name) || strcmp(pattern, canonical) == 0;
        free(pattern);
    }
    return chosen;
}

bool run_assumptions_choose(const struct run_assumptions *assumptions, const char *name,
                            const char *canonical, bool *no_memory)
{
    assert(name && canonical && no_memory);
    for (size_t i = 0; i < assumptions->list.items.count; i++) {
        const struct assumption *item = &assumptions->list.items.items[i];
        if (!item->waits &&
            list_chooses(ini_value(item->section, "region"), name, canonical, no_memory))
            return true;
    }
    return false;
}
