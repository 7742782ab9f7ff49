#include "replay/costs/machine.h"

#include "base/ini.h"
#include "base/names.h"

#include <assert.h>
#include <string.h>

const char *const distance_names[DISTANCE_COUNT + 1] = {
#define X(identifier, name) [DISTANCE_##identifier] = name,
    DISTANCES(X)
#undef X
};

const struct loggps_parameter loggps_parameters[LOGGPS_PARAMETERS] = {
    {"latency", false},          {"send_overhead", false},        {"send_per_byte", true},
    {"receive_overhead", false}, {"receive_per_byte", true},      {"gap", false},
    {"per_byte", true},          {"synchronous_overhead", false}, {"synchronous_per_byte", true},
};

double *loggps_at(struct loggps *loggps, int which)
{
    double *const places[LOGGPS_PARAMETERS] = {
        &loggps->latency,          &loggps->send_overhead,        &loggps->send_per_byte,
        &loggps->receive_overhead, &loggps->receive_per_byte,     &loggps->gap,
        &loggps->per_byte,         &loggps->synchronous_overhead, &loggps->synchronous_per_byte,
    };
    assert(which >= 0 && which < LOGGPS_PARAMETERS);
    return places[which];
}

static bool has_distance(const struct machine *machine)
{
    for (int d = 0; d < DISTANCE_COUNT; d++)
        if (machine->distances[d].known)
            return true;
    return false;
}

void machine_complete(struct machine *machine)
{
    struct loggps *distances = machine->distances;
    for (int d = 1; d < DISTANCE_COUNT; d++)
        if (!distances[d].known)
            distances[d] = distances[d - 1];
    for (int d = DISTANCE_COUNT - 1; d-- > 0;)
        if (!distances[d].known)
            distances[d] = distances[d + 1];
}

static const char *const machine_keys[] = {"synchronous_from", "host", "date", "mpi", NULL};
/* Parameters of struct loggps, its S and a comment. */
static const char *const distance_keys[] = {
    "latency",          "send_overhead",        "send_per_byte",
    "receive_overhead", "receive_per_byte",     "gap",
    "per_byte",         "synchronous_overhead", "synchronous_per_byte",
    "synchronous_from", "confidence",           NULL};

/* `*limit` becomes the S of distances that do not name their own. */
static enum status read_machine_section(const struct ini *ini, uint64_t *limit, struct error *error)
{
    const struct ini_section *section = ini_find_section(ini, "machine");
    *limit = UINT64_MAX;
    if (!section)
        return STATUS_OK;
    enum status status = ini_check_keys(section, machine_keys, error);
    return status == STATUS_OK ? ini_get_limit(section, "synchronous_from", limit, error) : status;
}

static enum status read_distance(const struct ini_section *section, uint64_t limit,
                                 struct machine *machine, struct error *error)
{
    int d = 0;
    while (d < DISTANCE_COUNT && strcmp(section->label, distance_names[d]) != 0)
        d++;
    if (d == DISTANCE_COUNT)
        return ini_error(error, section->ini, section->line,
                         "unknown distance \"%s\": use one of cache, socket, node, network",
                         section->label);
    struct loggps *loggps = &machine->distances[d];
    enum status status = ini_check_keys(section, distance_keys, error);
    for (int i = 0; i < LOGGPS_PARAMETERS && status == STATUS_OK; i++) {
        const struct loggps_parameter *parameter = &loggps_parameters[i];
        double *value = loggps_at(loggps, i);
        const struct ini_key key = {.name = parameter->key,
                                    .type = parameter->per_byte ? INI_NUMBER : INI_COST,
                                    .highest = 1e9};
        status = ini_get(section, &key, value, error);
        if (parameter->per_byte)
            *value *= 1e-9;
    }
    loggps->known = true;
    loggps->synchronous_from = limit;
    return status == STATUS_OK
               ? ini_get_limit(section, "synchronous_from", &loggps->synchronous_from, error)
               : status;
}

static enum status read_links(const struct ini_section *section, struct network_links *links,
                              struct error *error)
{
    static const char *const sharing[] = {"bandwidth", "links", NULL};
    static const struct ini_key keys[] = {
        INI_KEY_AT("sharing", network_links, whole, CHOICE, .choices = sharing),
        INI_KEY(network_links, buses, INTEGER, .least = 1, .most = INT32_MAX),
        INI_KEY(network_links, number, INTEGER, .least = 1, .most = INT32_MAX),
        INI_KEY(network_links, out, RATE),
        INI_KEY(network_links, in, RATE),
        INI_KEY(network_links, memory, RATE),
        INI_KEY_AT("switch", network_links, switched, RATE),
        INI_KEYS_END,
    };
    if (*section->label)
        return ini_error(error, section->ini, section->line,
                         "[links %s]: this section has no name: write [links]", section->label);
    enum status status = ini_read(section, keys, links, error);
    if (status == STATUS_OK && links->buses > 0 && !links->whole)
        return ini_error(error, section->ini, ini_line_of(section, "buses"),
                         "buses need sharing = links; with sharing = bandwidth, switch = RATE "
                         "limits what all nodes send together");
    if (status == STATUS_OK && links->whole && links->switched > 0)
        return ini_error(error, section->ini, ini_line_of(section, "switch"),
                         "switch = RATE needs sharing = bandwidth; with sharing = links, buses = N "
                         "limits the number of messages between nodes");
    return status;
}

void machine_print_links(const struct network_links *links, FILE *file)
{
    const struct {
        const char *key;
        double rate;
    } rates[] = {{"out", links->out},
                 {"in", links->in},
                 {"memory", links->memory},
                 {"switch", links->switched}};
    const size_t count = sizeof rates / sizeof *rates;
    bool limited = links->whole;
    for (size_t i = 0; i < count; i++)
        limited |= rates[i].rate > 0;
    if (!limited)
        return;
    fprintf(file, "\n[links]\n");
    if (links->whole)
        fprintf(file, "sharing = links\n");
    if (links->buses > 0)
        fprintf(file, "buses = %lld\n", (long long)links->buses);
    if (links->number > 1)
        fprintf(file, "number = %lld\n", (long long)links->number);
    for (size_t i = 0; i < count; i++)
        if (rates[i].rate > 0)
            fprintf(file, "%s = %.6g GB/s\n", rates[i].key, 1e-9 * rates[i].rate);
}

bool machine_links_limit(const struct network_links *links, enum distance distance)
{
    return distance == DISTANCE_NETWORK
               ? links->whole || links->out > 0 || links->in > 0 || links->switched > 0
               : links->memory > 0;
}

static enum status refuse_section(const struct ini_section *section, struct error *error)
{
    static const char *const kinds[] = {"machine",   "distance", "operations", "chain", "operation",
                                        "footprint", "file",     "nodes",      "call",  "links"};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    int near = nearest_name(section->kind, kinds, KINDS);
    for (int i = 0; i < KINDS; i++)
        if (strcmp(section->kind, kinds[i]) == 0)
            return STATUS_OK;
    if (near >= 0)
        return ini_error(error, section->ini, section->line,
                         "unknown section [%s]; did you mean [%s]?", section->kind, kinds[near]);
    return ini_error(
        error, section->ini, section->line,
        "unknown section [%s]: a machine file has [machine], [distance NAME] and [links], "
        "and for predictions [operations], [chain], [operation NAME], [footprint SIZE], [file], "
        "[nodes] and [call]",
        section->kind);
}

enum status machine_read(const struct ini *ini, struct machine *machine, struct error *error)
{
    uint64_t limit;
    memset(machine, 0, sizeof *machine);
    machine->links.number = 1;
    enum status status = read_machine_section(ini, &limit, error);
    for (size_t i = 0; i < ini->section_count && status == STATUS_OK; i++) {
        const struct ini_section *section = &ini->sections[i];
        if (strcmp(section->kind, "distance") == 0)
            status = read_distance(section, limit, machine, error);
        else if (strcmp(section->kind, "links") == 0)
            status = read_links(section, &machine->links, error);
        else
            status = refuse_section(section, error);
    }
    return status;
}

enum status machine_require_distance(const struct ini *ini, const struct machine *machine,
                                     struct error *error)
{
    if (has_distance(machine))
        return STATUS_OK;
    return ini_error(error, ini, 0, "a machine file needs at least one [distance NAME]");
}

enum status machine_load_known(const char *path, struct machine *machine, struct error *error)
{
    struct ini *ini;
    enum status status = ini_load(path, &ini, error);
    if (status != STATUS_OK)
        return status;
    status = machine_read(ini, machine, error);
    if (status == STATUS_OK)
        status = machine_require_distance(ini, machine, error);
    ini_destroy(ini);
    return status;
}

enum status machine_load(const char *path, struct machine *machine, struct error *error)
{
    enum status status = machine_load_known(path, machine, error);
    if (status == STATUS_OK)
        machine_complete(machine);
    return status;
}

uint64_t machine_synchronous_from(const struct machine *machine)
{
    uint64_t smallest = UINT64_MAX;
    for (int d = 0; d < DISTANCE_COUNT; d++)
        if (machine->distances[d].known && machine->distances[d].synchronous_from < smallest)
            smallest = machine->distances[d].synchronous_from;
    return smallest;
}

void machine_print_distance(const struct machine *machine, enum distance distance, FILE *file)
{
    struct loggps loggps = machine->distances[distance];
    assert(loggps.known);
    fprintf(file, "\n[distance %s]\n", distance_names[distance]);
    for (int i = 0; i < LOGGPS_PARAMETERS; i++)
        fprintf(file, "%s = %.5g%s\n", loggps_parameters[i].key, 1e9 * *loggps_at(&loggps, i),
                loggps_parameters[i].per_byte ? "" : " ns");
    if (loggps.synchronous_from == UINT64_MAX)
        fprintf(file, "synchronous_from = never\n");
    else
        fprintf(file, "synchronous_from = %llu\n", (unsigned long long)loggps.synchronous_from);
}
