#include "predict/hardware.h"

#include "base/ini.h"

#include <assert.h>
#include <string.h>

static const double LONGEST = 1e9; /* ns per byte: as for the LogGPS parameters */

static enum status read_operations(const struct ini_section *section, struct hardware *hardware,
                                   struct error *error)
{
    enum status status = ini_check_keys(section, operation_names, error);
    for (int i = 0; i < OPERATION_COUNT && status == STATUS_OK; i++) {
        const struct ini_key key = {.name = operation_names[i], .type = INI_DURATION};
        status = ini_get(section, &key, &hardware->operation[i], error);
        hardware->has_operation[i] = ini_value(section, key.name) != NULL;
    }
    return status;
}

static enum status read_file(const struct ini_section *section, struct hardware *hardware,
                             struct error *error)
{
    struct file_costs {
        double latency, per_byte;
    } costs = {0, 0};
    const struct ini_key keys[] = {
        INI_KEY(file_costs, latency, DURATION),
        INI_KEY(file_costs, per_byte, NUMBER, .highest = LONGEST),
        INI_KEYS_END,
    };
    enum status status = ini_read(section, keys, &costs, error);
    hardware->has_file = true;
    hardware->file_latency = costs.latency;
    hardware->file_per_byte = 1e-9 * costs.per_byte;
    return status;
}

static enum status read_nodes(const struct ini_section *section, struct hardware *hardware,
                              struct error *error)
{
    struct nodes {
        int64_t ranks;
    } nodes = {0};
    static const struct ini_key keys[] = {
        INI_KEY(nodes, ranks, INTEGER, .required = true, .least = 1, .most = INT32_MAX),
        INI_KEYS_END,
    };
    enum status status = ini_read(section, keys, &nodes, error);
    if (status == STATUS_OK)
        hardware->ranks_per_node = (uint32_t)nodes.ranks;
    return status;
}

static enum status read_call(const struct ini_section *section, struct hardware *hardware,
                             struct error *error)
{
    struct call {
        double overhead;
    } call = {0};
    static const struct ini_key keys[] = {
        INI_KEY(call, overhead, DURATION),
        INI_KEYS_END,
    };
    enum status status = ini_read(section, keys, &call, error);
    hardware->has_call_overhead = true;
    hardware->call_overhead = call.overhead;
    return status;
}

static const struct {
    const char *kind;
    enum status (*read)(const struct ini_section *section, struct hardware *hardware,
                        struct error *error);
} sections[] = {
    {"operations", read_operations},
    {"file", read_file},
    {"nodes", read_nodes},
    {"call", read_call},
};

static enum status read_section(const struct ini_section *section, struct hardware *hardware,
                                struct error *error)
{
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        if (strcmp(section->kind, sections[i].kind) != 0)
            continue;
        if (*section->label)
            return ini_error(error, section->ini, section->line,
                             "[%s %s]: this section has no name: write [%s]", section->kind,
                             section->label, section->kind);
        return sections[i].read(section, hardware, error);
    }
    return STATUS_OK; /* one of those that machine_read knows */
}

/* `complete`: the machine is for predictions, so it must know a distance, and gets the others. */
static enum status load(const char *path, bool complete, struct hardware *hardware,
                        struct error *error)
{
    struct ini *ini;
    *hardware = (struct hardware){.ranks_per_node = UINT32_MAX};
    enum status status = ini_load(path, &ini, error);
    if (status != STATUS_OK)
        return status;
    status = machine_read(ini, &hardware->machine, error);
    for (size_t i = 0; i < ini->section_count && status == STATUS_OK; i++)
        status = read_section(&ini->sections[i], hardware, error);
    if (status == STATUS_OK && complete)
        status = machine_require_distance(ini, &hardware->machine, error);
    if (status == STATUS_OK && complete)
        machine_complete(&hardware->machine);
    ini_destroy(ini);
    return status;
}

enum status hardware_load(const char *path, struct hardware *hardware, struct error *error)
{
    return load(path, true, hardware, error);
}

enum status hardware_load_known(const char *path, struct hardware *hardware, struct error *error)
{
    return load(path, false, hardware, error);
}

/* What works at the same time in a core, and what everything waits for. */
enum core_part { PART_STOPS, PART_STREAM, PART_ARITHMETIC, PART_L1, PART_INTEGERS, CORE_PARTS };

static const uint8_t core_parts[OPERATION_COUNT] = {
    [OPERATION_BYTE] = PART_STREAM,         [OPERATION_FLOP_ADD] = PART_ARITHMETIC,
    [OPERATION_FLOP_MUL] = PART_ARITHMETIC, [OPERATION_FLOP_FMA] = PART_ARITHMETIC,
    [OPERATION_FLOP_DIV] = PART_ARITHMETIC, [OPERATION_FLOP_SQRT] = PART_ARITHMETIC,
    [OPERATION_LOAD_L1] = PART_L1,          [OPERATION_STORE] = PART_L1,
    [OPERATION_INT] = PART_INTEGERS,        [OPERATION_INT_MUL] = PART_INTEGERS,
    [OPERATION_BRANCH] = PART_INTEGERS, /* all others: PART_STOPS */
};

double hardware_vector_seconds(const struct hardware *hardware, const double *counts,
                               enum vector_rule rule)
{
    double parts[CORE_PARTS] = {0}, sum = 0, longest = 0;
    for (int i = 0; i < OPERATION_COUNT; i++) {
        assert(counts[i] == 0 || hardware->has_operation[i]);
        parts[core_parts[i]] += counts[i] * hardware->operation[i];
    }
    for (int p = PART_STOPS + 1; p < CORE_PARTS; p++) {
        sum += parts[p];
        if (parts[p] > longest)
            longest = parts[p];
    }
    return (rule == VECTOR_SUM ? sum : longest) + parts[PART_STOPS];
}

static void print_line(FILE *file, const char *key, double value, const char *unit,
                       const char *remark)
{
    char text[64];
    snprintf(text, sizeof text, "%.4g%s", value, unit);
    if (remark)
        fprintf(file, "%s = %-12s ; %s\n", key, text, remark);
    else
        fprintf(file, "%s = %s\n", key, text);
}

static void print_operations(const struct hardware *hardware,
                             const struct hardware_remarks *remarks, FILE *file)
{
    bool any = false;
    for (int i = 0; i < OPERATION_COUNT; i++) {
        if (!hardware->has_operation[i])
            continue;
        if (!any)
            fprintf(file, "\n[operations]\n");
        any = true;
        print_line(file, operation_names[i], 1e9 * hardware->operation[i], " ns",
                   remarks->operation[i]);
    }
}

void hardware_print(const struct hardware *hardware, const struct hardware_remarks *remarks,
                    FILE *file)
{
    static const struct hardware_remarks none;
    remarks = remarks ? remarks : &none;
    print_operations(hardware, remarks, file);
    if (hardware->has_file) {
        fprintf(file, "\n[file]\n");
        print_line(file, "latency", 1e9 * hardware->file_latency, " ns", remarks->file_latency);
        print_line(file, "per_byte", 1e9 * hardware->file_per_byte, "", remarks->file_per_byte);
    }
    if (hardware->ranks_per_node != UINT32_MAX)
        fprintf(file, "\n[nodes]\nranks = %u\n", (unsigned)hardware->ranks_per_node);
    if (hardware->has_call_overhead) {
        fprintf(file, "\n[call]\n");
        print_line(file, "overhead", 1e9 * hardware->call_overhead, " ns", remarks->call_overhead);
    }
}
